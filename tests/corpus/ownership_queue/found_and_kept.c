// One thread finds a job and keeps it for later, while another one pops the job and works on it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct job {
    struct job *next;
    int state;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *queue;

static struct job *pop(void)
{
    pthread_mutex_lock(&queue_lock);
    struct job *job = queue;
    if (job != NULL)
        queue = job->next;
    pthread_mutex_unlock(&queue_lock);
    return job;
}

static void *worker(void *argument)
{
    usleep(1000);
    struct job *job = pop();
    if (job != NULL) {
        usleep(1000);
        job->state = 1; //~ work: race(peek); locks{}
    }
    return argument;
}

static void *observer(void *argument)
{
    pthread_mutex_lock(&queue_lock);
    struct job *first = queue;
    pthread_mutex_unlock(&queue_lock);
    if (first != NULL)
        for (int i = 0; i < 20; i++) {
            *(int *)argument += first->state; //~ peek: locks{}
            usleep(200);
        }
    return NULL;
}

int main(void)
{
    int seen = 0;
    pthread_t one, two;
    struct job *job = calloc(1, sizeof *job);
    queue = job;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, observer, &seen);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(job);
    return seen < 0;
}
