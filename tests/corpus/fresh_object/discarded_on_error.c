// An object that turns out to be useless is freed by its creator before anybody else hears of it.
#include <pthread.h>
#include <stdlib.h>

struct entry {
    int key;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries[10];

static int insert(int key)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        return -1;
    entry->key = key; //~ key: no-race -- not inserted yet; locks{}
    if (key % 3 == 0) {
        free(entry); //~ discard: no-race -- never inserted; locks{}
        return 1;
    }
    pthread_mutex_lock(&lock);
    entries[key] = entry;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *inserter(void *argument)
{
    for (int key = 0; key < 10; key++)
        insert(key);
    return argument;
}

static void *reader(void *argument)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        struct entry *entry = entries[i];
        pthread_mutex_unlock(&lock);
        if (entry != NULL)
            *(int *)argument += entry->key; //~ use: no-race -- entries do not change; locks{}
    }
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
