// A handler for a signal from outside interrupts the program anywhere, also between reading and writing a counter.
// not-runnable: ThreadSanitizer does not see races between a thread and a handler that interrupts it
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int requests;

static void count(int number)
{
    (void)number;
    requests++; //~ h: race(m) (unconfirmed -- the handler runs in the thread that it interrupts)
}

int main(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = count;
    sigaction(SIGINT, &action, NULL);
    for (int round = 0; round < 3; round++) {
        requests++; //~ m: race(h) (unconfirmed -- the handler runs in the thread that it interrupts)
        usleep(1000);
    }
    return 0;
}
