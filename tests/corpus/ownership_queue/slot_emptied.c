// A mailbox holds one letter; who takes the letter out empties the box and owns the letter.
#include <pthread.h>
#include <stdlib.h>

struct letter {
    int text, stamp;
};

static pthread_mutex_t box_lock = PTHREAD_MUTEX_INITIALIZER;
static struct letter *box;

static struct letter *take(void)
{
    pthread_mutex_lock(&box_lock);
    struct letter *letter = box;
    box = NULL;
    pthread_mutex_unlock(&box_lock);
    return letter;
}

static void *reader(void *argument)
{
    for (int i = 0; i < 50; i++) {
        struct letter *letter = take();
        if (letter == NULL)
            continue;
        letter->stamp = letter->text; //~ stamp: no-race -- the box was emptied, so the letter is ours; locks{}
        free(letter);                 //~ burn: no-race -- the box was emptied, so the letter is ours; locks{}
    }
    return argument;
}

static void *writer(void *argument)
{
    for (int i = 0; i < 20; i++) {
        struct letter *letter = malloc(sizeof *letter);
        letter->text = i; //~ text: no-race -- not in the box yet; locks{}
        pthread_mutex_lock(&box_lock);
        struct letter *old = box;
        box = letter;
        pthread_mutex_unlock(&box_lock);
        free(old); //~ replace: no-race -- the old letter was taken out; locks{}
    }
    return argument;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_create(&three, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return 0;
}
