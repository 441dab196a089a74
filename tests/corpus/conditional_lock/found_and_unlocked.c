// A search returns its result, but has unlocked it by then.
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t lock;
    int number;
    long balance;
};

static struct account accounts[2] = {
    { .lock = PTHREAD_MUTEX_INITIALIZER, .number = 1 },
    { .lock = PTHREAD_MUTEX_INITIALIZER, .number = 2 },
};

static struct account *find(int number)
{
    for (int i = 0; i < 2; i++) {
        struct account *account = &accounts[i];
        pthread_mutex_lock(&account->lock);
        int is_found = account->number == number;
        pthread_mutex_unlock(&account->lock);
        if (is_found)
            return account;
    }
    return NULL;
}

static void *teller(void *argument)
{
    for (int i = 0; i < 50; i++) {
        struct account *account = find(1 + i % 3);
        if (account == NULL)
            continue;
        account->balance++; //~ pay: race(self); locks{}
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, teller, NULL);
    pthread_create(&two, NULL, teller, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
