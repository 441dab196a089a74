// A handler that reports a crash reads what the program was doing; nothing runs on beside it.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int requests;

static void report_crash(int number)
{
    fprintf(stderr, "signal %d after %d requests\n", number, requests); //~ no-race -- the program has crashed
    _Exit(1);
}

int main(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = report_crash;
    sigaction(SIGSEGV, &action, NULL);
    signal(SIGABRT, report_crash);
    for (int round = 0; round < 3; round++)
        requests++; //~ no-race -- only this thread and its crash handler
    printf("%d\n", requests);
    return 0;
}
