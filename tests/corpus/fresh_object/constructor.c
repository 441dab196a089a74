// A constructor returns a new object; its caller changes it until it puts it into a table.
#include <pthread.h>
#include <stdlib.h>

struct user {
    int number, rights;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct user *table[8];

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL)
        abort();
    return memory;
}

static struct user *new_user(int number)
{
    struct user *user = allocate(sizeof *user);
    user->number = number; //~ number: no-race -- nobody else knows the user
    user->rights = 0;      //~ none: no-race -- nobody else knows the user
    return user;
}

static void *registrar(void *argument)
{
    for (int i = 0; i < 8; i++) {
        struct user *user = new_user(i);
        user->rights = 4; //~ rights: no-race -- nobody else knows the user; locks{}
        pthread_mutex_lock(&table_lock);
        table[i] = user;
        pthread_mutex_unlock(&table_lock);
    }
    return argument;
}

static void *auditor(void *argument)
{
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&table_lock);
        struct user *user = table[i];
        pthread_mutex_unlock(&table_lock);
        if (user != NULL)
            *(int *)argument += user->number + user->rights; //~ use: no-race -- a user in the table does not change; locks{}
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
    return sum < 0;
}
