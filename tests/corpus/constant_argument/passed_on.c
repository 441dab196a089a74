// What a caller wants goes through a function in between, as bits and as a case; each thread wants something else.
#include <pthread.h>

enum { READ = 1, WRITE = 2, SYNC = 4 };
enum command { START, STOP };

static int reads, writes, starts, stops;

static void transfer(int wanted)
{
    if (wanted & READ)
        reads++; //~ r: no-race -- only main reads; locks{}
    if ((wanted & (WRITE | SYNC)) == (WRITE | SYNC))
        writes++; //~ w: no-race -- only the worker writes; locks{}
}

static void control(enum command command)
{
    switch (command) {
    case START:
        starts++; //~ start: no-race -- only main starts; locks{}
        break;
    case STOP:
        stops++; //~ stop: no-race -- only the worker stops; locks{}
        break;
    }
}

static void perform(int wanted, enum command command)
{
    transfer(wanted);
    control(command);
}

static void *worker(void *argument)
{
    perform(WRITE | SYNC, STOP);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    perform(READ | SYNC, START);
    pthread_join(thread, NULL);
    return reads + writes + starts + stops != 4;
}
