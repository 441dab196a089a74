// One semaphore hands the request over, another one the reply.
#include <pthread.h>
#include <semaphore.h>

struct exchange {
    sem_t asked, answered;
    int request, reply;
};

static struct exchange exchange;

static void *server(void *argument)
{
    sem_wait(&exchange.asked);
    exchange.reply = 2 * exchange.request; //~ work: no-race -- after the question, before the answer; locks{}
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
    sem_wait(&exchange.answered);
    int reply = exchange.reply; //~ get: no-race -- after the answer; locks{}
    pthread_join(thread, NULL);
    return reply != 42;
}
