// A thread joins the one that it has started itself; whoever has joined it has neither beside itself.
#include <pthread.h>

static long total;

static void *child(void *argument)
{
    total += 2; //~ c: no-race -- its parent waits for it; locks{}
    return argument;
}

static void *parent(void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    total += 1; //~ p: no-race -- its child has ended; locks{}
    return argument;
}

static void *late(void *argument)
{
    total += 4; //~ l: no-race -- the others have ended; locks{}
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, parent, NULL);
    pthread_join(thread, NULL);
    total++; //~ r: no-race -- both have ended; locks{}
    pthread_create(&thread, NULL, late, NULL);
    pthread_join(thread, NULL);
    return total != 8;
}
