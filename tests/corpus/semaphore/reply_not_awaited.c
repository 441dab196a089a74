// The request is handed over by a semaphore, but the reply is read without waiting for it.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

struct exchange {
    sem_t asked, answered;
    int request, reply;
};

static struct exchange exchange;

static void *server(void *argument)
{
    sem_wait(&exchange.asked);
    exchange.reply = 2 * exchange.request; //~ work: race(get); locks{}
    sem_post(&exchange.answered);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&exchange.asked, 0, 0);
    sem_init(&exchange.answered, 0, 0);
    pthread_create(&thread, NULL, server, NULL);
    exchange.request = 21; //~ ask: no-race -- before the question is posted; locks{}
    sem_post(&exchange.asked);
    usleep(1000);
    int reply = exchange.reply; //~ get: locks{}
    pthread_join(thread, NULL);
    return reply < 0;
}
