// Two threads write bit-fields that a field of width zero keeps in different words.
#include <pthread.h>

struct flags {
    unsigned dirty : 1;
    unsigned : 0;
    unsigned users : 7;
};

static struct flags flags;

static void *writer(void *argument)
{
    for (unsigned i = 0; i < 100; i++)
        flags.dirty = i & 1; //~ dirty: no-race -- a word of its own; locks{}
    return argument;
}

static void *opener(void *argument)
{
    for (unsigned i = 0; i < 100; i++)
        flags.users = i & 0x7f; //~ users: no-race -- a word of its own; locks{}
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, opener, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
