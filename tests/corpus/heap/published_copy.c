// The workspace of one thread is published in a global and then written to by both.
#include <pthread.h>
#include <stdlib.h>

struct workspace {
    int cells[4];
};

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct workspace *shared;

static struct workspace *shared_workspace(void)
{
    pthread_mutex_lock(&shared_lock);
    if (shared == NULL)
        shared = calloc(1, sizeof *shared); //~ publish: no-race -- the pointer itself is guarded; locks{shared_lock}
    struct workspace *workspace = shared;
    pthread_mutex_unlock(&shared_lock);
    return workspace;
}

static void *compute(void *argument)
{
    struct workspace *workspace = shared_workspace();
    for (int i = 0; i < 100; i++)
        workspace->cells[i % 4]++; //~ w: race(self); locks{}
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, compute, NULL);
    pthread_create(&two, NULL, compute, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(shared);
    return 0;
}
