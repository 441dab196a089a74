// A mailbox holds one letter; who reads it leaves it in the box, so two readers have the same letter.
#include <pthread.h>
#include <stddef.h>

struct letter {
    int text, stamp;
};

static pthread_mutex_t box_lock = PTHREAD_MUTEX_INITIALIZER;
static struct letter only = { .text = 1 }, *box = &only;

static struct letter *look(void)
{
    pthread_mutex_lock(&box_lock);
    struct letter *letter = box;
    pthread_mutex_unlock(&box_lock);
    return letter;
}

static void *reader(void *argument)
{
    struct letter *letter = look();
    for (int i = 0; i < 50; i++)
        letter->stamp++; //~ stamp: race(self); locks{}
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
