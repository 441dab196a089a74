// Two threads fill two halves of one array that overlap by one cell.
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
        range->cells[i] = i * i; //~ w: race(self); locks{}
    return NULL;
}

int main(void)
{
    static int cells[LENGTH];
    struct range lower = { cells, 0, LENGTH / 2 + 1 };
    struct range upper = { cells, LENGTH / 2, LENGTH };
    pthread_t one, two;
    pthread_create(&one, NULL, fill, &lower);
    pthread_create(&two, NULL, fill, &upper);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
