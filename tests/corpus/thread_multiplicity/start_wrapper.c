// A wrapper starts the threads and calls the real entry from a trampoline, which hides the entry.
#include <pthread.h>

struct task {
    void (*run)(void *context);
    void *context;
};

struct tally {
    pthread_mutex_t lock;
    int votes;
};

static void *trampoline(void *argument)
{
    struct task *task = argument;
    task->run(task->context);
    return NULL;
}

static pthread_t start(struct task *task)
{
    pthread_t thread;
    pthread_create(&thread, NULL, trampoline, task);
    return thread;
}

static void vote(void *context)
{
    struct tally *tally = context;
    for (int i = 0; i < 100; i++) {
        tally->votes++; //~ vote: race(self); locks{}
    }
}

int main(void)
{
    static struct tally tally = { .lock = PTHREAD_MUTEX_INITIALIZER };
    static struct task task = { vote, &tally };
    pthread_t one = start(&task);
    pthread_t two = start(&task);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
