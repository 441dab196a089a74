// The producer keeps its pointer and writes to the job after it has pushed it.
#include <pthread.h>
#include <stddef.h>

struct job {
    struct job *next;
    int input, priority;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job jobs[200], *queue;

static void push(struct job *job)
{
    pthread_mutex_lock(&queue_lock);
    job->next = queue; //~ link: no-race -- the queue's lock; locks{queue_lock}
    queue = job;       //~ put: no-race -- the queue's lock; locks{queue_lock}
    pthread_mutex_unlock(&queue_lock);
}

static struct job *pop(void)
{
    pthread_mutex_lock(&queue_lock);
    struct job *job = queue; //~ get: no-race -- the queue's lock; locks{queue_lock}
    if (job != NULL)
        queue = job->next; //~ unlink: no-race -- the queue's lock; locks{queue_lock}
    pthread_mutex_unlock(&queue_lock);
    return job;
}

static void *worker(void *argument)
{
    for (int done = 0; done < 200;) {
        struct job *job = pop();
        if (job == NULL)
            continue;
        job->priority += job->input; //~ work: race(late); locks{}
        done++;
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 200; i++) {
        struct job *job = &jobs[i];
        job->input = i; //~ fill: no-race -- not in the queue yet; spurious: race(work) -- the job is an element of a static array and not new, and that no element is pushed twice follows only from the numbers of the turns; locks{}
        push(job);
        job->priority = 1; //~ late: locks{}
    }
    pthread_join(thread, NULL);
    return 0;
}
