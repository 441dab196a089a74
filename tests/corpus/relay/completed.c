// RELAY's completion variable (fig. 10): the waiter uses the reply when the request is completed.
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
    request.reply = 7; //~ w: no-race -- before the completion; locks{}
    complete(&request.finished);
    return argument;
}

int main(void)
{
    pthread_t thread;
    init_completion(&request.finished);
    pthread_create(&thread, NULL, controller, NULL);
    wait_for_completion(&request.finished);
    return request.reply != 7; //~ r: no-race -- after the completion; locks{}
}
