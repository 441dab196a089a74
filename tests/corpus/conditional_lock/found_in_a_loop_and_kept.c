// A search under the list's lock returns what it has found, and its caller uses that when the lock is given back.
#include <pthread.h>
#include <stddef.h>

struct user {
    struct user *next;
    int number, visits;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct user users[2] = { { &users[1], 1, 0 }, { NULL, 2, 0 } };
static struct user *list = users;

static struct user *find(int number)
{
    struct user *found = NULL;
    for (struct user *user = list; user != NULL; user = user->next) {
        if (user->number == number) {
            found = user;
            break;
        }
    }
    return found;
}

static void visit(int number)
{
    pthread_mutex_lock(&list_lock);
    struct user *user = find(number);
    pthread_mutex_unlock(&list_lock);
    if (user != NULL)
        user->visits++; //~ w: race(self); locks{}
}

static void *visitor(void *argument)
{
    for (int i = 0; i < 50; i++)
        visit(1 + i % 3);
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
