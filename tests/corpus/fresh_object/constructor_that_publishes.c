// The constructor itself puts the new object into the table, so its caller changes a shared one.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct user {
    int number, rights;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct user *table[8];

static struct user *new_user(int number)
{
    struct user *user = malloc(sizeof *user);
    user->number = number; //~ number: no-race -- nobody else knows the user yet; locks{}
    pthread_mutex_lock(&table_lock);
    table[number] = user;
    pthread_mutex_unlock(&table_lock);
    return user;
}

static void *registrar(void *argument)
{
    for (int i = 0; i < 8; i++) {
        struct user *user = new_user(i);
        usleep(500);
        user->rights = 4; //~ rights: race(use); locks{}
    }
    return argument;
}

static void *auditor(void *argument)
{
    for (int turn = 0; turn < 40; turn++) {
        for (int i = 0; i < 8; i++) {
            pthread_mutex_lock(&table_lock);
            struct user *user = table[i];
            pthread_mutex_unlock(&table_lock);
            if (user != NULL)
                *(int *)argument += user->number + user->rights; //~ use: locks{}
        }
        usleep(200);
    }
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, registrar, NULL);
    pthread_create(&two, NULL, auditor, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
