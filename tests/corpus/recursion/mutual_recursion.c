// Two functions of a parser call each other; the lock is taken once, around both.
#include <pthread.h>

struct parser {
    pthread_mutex_t lock;
    int depth, terms;
};

static int parse_term(struct parser *parser, int length);

static int parse_sum(struct parser *parser, int length)
{
    parser->depth++; //~ enter: no-race -- the lock is held around the descent; locks{parser->lock}
    int result = length > 0 ? parse_term(parser, length - 1) : 0;
    parser->depth--; //~ leave: no-race -- the lock is held around the descent; locks{parser->lock}
    return result;
}

static int parse_term(struct parser *parser, int length)
{
    parser->terms++; //~ term: no-race -- the lock is held around the descent; locks{parser->lock}
    if (length % 2 == 0)
        return length;
    return parse_sum(parser, length - 1);
}

static void *client(void *argument)
{
    struct parser *parser = argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&parser->lock);
        parse_sum(parser, i % 8);
        pthread_mutex_unlock(&parser->lock);
    }
    return NULL;
}

static struct parser parser = { .lock = PTHREAD_MUTEX_INITIALIZER };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, client, &parser);
    pthread_create(&two, NULL, client, &parser);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
