// The creator frees an entry that it has inserted, while a reader may look at it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct entry {
    int key;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries[4];

static void *inserter(void *argument)
{
    for (int key = 0; key < 4; key++) {
        struct entry *entry = malloc(sizeof *entry);
        entry->key = key; //~ key: no-race -- not inserted yet; locks{}
        pthread_mutex_lock(&lock);
        entries[key] = entry;
        pthread_mutex_unlock(&lock);
        usleep(30000);
        free(entry); //~ free: race(use); locks{}
    }
    return argument;
}

static void *reader(void *argument)
{
    struct entry *entry = NULL;
    while (entry == NULL) {
        pthread_mutex_lock(&lock);
        entry = entries[0];
        pthread_mutex_unlock(&lock);
    }
    *(int *)argument = entry->key; //~ use: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, inserter, NULL);
    pthread_create(&two, NULL, reader, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum < 0;
}
