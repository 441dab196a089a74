// Every thread allocates its own workspace at the same line; the allocations never meet.
#include <pthread.h>
#include <stdlib.h>

struct workspace {
    int cells[16];
    long sum;
};

static struct workspace *new_workspace(void)
{
    return calloc(1, sizeof(struct workspace));
}

static void *compute(void *argument)
{
    long *result = argument;
    struct workspace *workspace = new_workspace();
    for (int i = 0; i < 16; i++) {
        workspace->cells[i] = i;             //~ cell: no-race -- allocated by this very thread
        workspace->sum += workspace->cells[i]; //~ sum: no-race -- allocated by this very thread
    }
    *result = workspace->sum; //~ out: no-race -- every thread has its own result; locks{}
    free(workspace);
    return NULL;
}

int main(void)
{
    long results[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute, &results[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return results[0] != results[1];
}
