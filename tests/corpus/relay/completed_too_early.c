// RELAY's completion variable (fig. 10), broken: the request is completed before its reply is written.
// not-runnable: the completion is the kernel's.
#include <pthread.h>

struct completion {
    unsigned int done;
};

void init_completion(struct completion *x);
void complete(struct completion *x);
void wait_for_completion(struct completion *x);

struct request {
    struct completion finished;
    int reply;
};

static struct request request;

static void *controller(void *argument)
{
    complete(&request.finished);
    request.reply = 7; //~ w: race(r); locks{}
    return argument;
}

int main(void)
{
    pthread_t thread;
    init_completion(&request.finished);
    pthread_create(&thread, NULL, controller, NULL);
    wait_for_completion(&request.finished);
    return request.reply != 7; //~ r: locks{}
}
