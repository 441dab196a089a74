// RELAY's non-parallel threads, broken: nobody waits until the first thread has set the state.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum state { IDLE, MASTER };

static enum state state;
static sem_t started;

static void *sync_thread(void *argument)
{
    usleep(5000);
    state = MASTER; //~ set: race(check); race(self) (unconfirmed -- ThreadSanitizer tells each stack once, mostly with the check); locks{}
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
    return 0;
}

int main(void)
{
    sem_init(&started, 0, 0);
    int running = 0;
    for (int i = 0; i < 2; i++)
        running += start_sync_thread() == 0;
    while (running-- > 0)
        sem_wait(&started);
    return 0;
}
