// A program with one thread blocks the signal while it touches what the handler touches.
// not-runnable: ThreadSanitizer does not see races between a thread and a handler that interrupts it
#include <signal.h>
#include <string.h>

static int requests;

static void count(int number)
{
    (void)number;
    requests++; //~ h: no-race -- the signal is blocked meanwhile; spurious: race(m) -- a mask holds for one thread, so that it helps only if every thread that could handle the signal blocks it, and masks of threads are not followed
}

int main(void)
{
    struct sigaction action;
    sigset_t interrupt;

    memset(&action, 0, sizeof action);
    action.sa_handler = count;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigaction(SIGINT, &action, NULL);
    sigprocmask(SIG_BLOCK, &interrupt, NULL);
    requests++; //~ m: no-race -- the handler does not run now
    sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
    return 0;
}
