// A search remembers what it has found and locked, leaves the loop and returns it.
#include <pthread.h>
#include <stddef.h>

struct user {
    pthread_mutex_t lock;
    struct user *next;
    int number, visits;
};

static struct user users[2] = {
    { .lock = PTHREAD_MUTEX_INITIALIZER, .next = &users[1], .number = 1 },
    { .lock = PTHREAD_MUTEX_INITIALIZER, .number = 2 },
};
static struct user *list = users;

static struct user *find_locked(int number)
{
    struct user *found = NULL;
    for (struct user *user = list; user != NULL; user = user->next) {
        if (user->number == number) {
            pthread_mutex_lock(&user->lock);
            found = user;
            break;
        }
    }
    return found;
}

static void *visitor(void *argument)
{
    for (int i = 0; i < 50; i++) {
        struct user *user = find_locked(1 + i % 3);
        if (user == NULL)
            continue;
        user->visits++; //~ w: no-race -- the search has locked it; locks{user->lock}
        pthread_mutex_unlock(&user->lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, visitor, NULL);
    pthread_create(&two, NULL, visitor, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return users[0].visits == 0;
}
