// Two threads fill the two halves of one array; the border is fixed before they start.
#include <pthread.h>

#define LENGTH 64

struct range {
    int *cells;
    int first, last;
};

static void *fill(void *argument)
{
    struct range *range = argument;
    for (int i = range->first; i < range->last; i++)
        range->cells[i] = i * i; //~ w: no-race -- the ranges do not overlap; spurious: race(self) -- indices are compared where they are constants, counters of threads or numbers taken once, and not as ranges between two bounds; locks{}
    return NULL;
}

int main(void)
{
    static int cells[LENGTH];
    struct range lower = { cells, 0, LENGTH / 2 };
    struct range upper = { cells, LENGTH / 2, LENGTH };
    pthread_t one, two;
    pthread_create(&one, NULL, fill, &lower);
    pthread_create(&two, NULL, fill, &upper);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return cells[LENGTH - 1] == 0; //~ r: no-race -- both threads are joined; locks{}
}
