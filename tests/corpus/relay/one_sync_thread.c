// RELAY's non-parallel threads: a second thread is never started while the first one starts up.
#include <pthread.h>
#include <semaphore.h>

enum state { IDLE, MASTER };

static enum state state;
static sem_t started;

static void *sync_thread(void *argument)
{
    state = MASTER; //~ set: spurious: race(self, check) -- a second thread may be started as far as the calls tell, and that it is not follows from the value that the first one has left; locks{}
    sem_post(&started);
    return argument;
}

static int start_sync_thread(void)
{
    pthread_t thread;
    if (state == MASTER) //~ check: locks{}
        return -1;
    if (pthread_create(&thread, NULL, sync_thread, NULL) != 0)
        return -1;
    pthread_detach(thread);
    sem_wait(&started);
    return 0;
}

int main(void)
{
    sem_init(&started, 0, 0);
    start_sync_thread();
    start_sync_thread();
    return 0;
}
