// The program blocks the signal while it changes what the handler changes too.
// not-runnable: ThreadSanitizer does not see races between a thread and a handler that interrupts it
#include <signal.h>
#include <unistd.h>

static int requests, rounds;

static void count(int number)
{
    (void)number;
    requests++; //~ h: no-race -- it does not interrupt where the signal is blocked; locks{signals}
    rounds++;   //~ g: race(n) (unconfirmed -- the handler runs in the thread that it interrupts); locks{signals}
}

int main(void)
{
    sigset_t interrupts, before;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    signal(SIGINT, count);
    for (int round = 0; round < 3; round++) {
        sigprocmask(SIG_BLOCK, &interrupts, &before);
        requests++; //~ m: no-race -- the signal is blocked; locks{signals}
        sigprocmask(SIG_SETMASK, &before, NULL);
        rounds++; //~ n: race(g) (unconfirmed -- the handler runs in the thread that it interrupts); locks{}
        usleep(1000);
    }
    return 0;
}
