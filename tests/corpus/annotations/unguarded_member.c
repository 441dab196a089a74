// A member with `guarded_by` that one thread changes without its lock.
#include <pthread.h>
#include <stdlib.h>

#if defined(__clang__) || defined(__RACELENS__)
#define ANNOTATE(attribute) __attribute__((attribute))
#else
#define ANNOTATE(attribute)
#endif

struct account {
    pthread_mutex_t lock;
    long balance ANNOTATE(guarded_by(lock));
};

static struct account *account_new(long balance)
{
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    account->balance = balance; //~ i: no-race -- nobody else knows the new account yet
    return account;
}

static void *withdraw(void *argument)
{
    struct account *account = argument;
    // violates: guarded_by
    account->balance -= 10; //~ u: race(w); locks{}
    return NULL;
}

static void *deposit(void *argument)
{
    struct account *account = argument;
    pthread_mutex_lock(&account->lock);
    account->balance += 10; //~ w: locks{account->lock}
    pthread_mutex_unlock(&account->lock);
    return NULL;
}

int main(void)
{
    struct account *account = account_new(100);
    pthread_t one, two;
    pthread_create(&one, NULL, deposit, account);
    pthread_create(&two, NULL, withdraw, account);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return account->balance < 0; //~ r: no-race -- both threads have ended
}
