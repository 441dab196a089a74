// A command loop: every case that touches the store takes the lock and gives it back.
#include <pthread.h>

enum command { PUT, GET, CLEAR, PING, COMMANDS };

struct store {
    pthread_mutex_t lock;
    int value;
};

static int execute(struct store *store, enum command command, int value)
{
    int answer = 0;
    switch (command) {
    case PUT:
        pthread_mutex_lock(&store->lock);
        store->value = value; //~ put: locks{store->lock}
        break;
    case GET:
        pthread_mutex_lock(&store->lock);
        answer = store->value; //~ get: locks{store->lock}
        break;
    case CLEAR:
        pthread_mutex_lock(&store->lock);
        store->value = 0; //~ clear: no-race -- the lock of the store; locks{store->lock}
        break;
    default:
        return -1;
    }
    pthread_mutex_unlock(&store->lock);
    return answer;
}

static void *client(void *argument)
{
    int sum = 0;
    for (int i = 0; i < 300; i++)
        sum += execute(argument, (enum command)(i % 3), i);
    return sum < 0 ? argument : NULL;
}

static struct store store = { .lock = PTHREAD_MUTEX_INITIALIZER };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, client, &store);
    pthread_create(&two, NULL, client, &store);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
