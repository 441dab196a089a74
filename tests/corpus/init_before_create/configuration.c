// The configuration is written before any thread exists and only read afterwards.
#include <pthread.h>
#include <stdlib.h>

struct configuration {
    int workers, verbose;
    const char *name;
};

static struct configuration configuration;

static void configure(int argc, char **argv)
{
    configuration.workers = 2;                                //~ workers: no-race -- no thread yet; locks{}
    configuration.verbose = argc > 1;                         //~ verbose: no-race -- no thread yet; locks{}
    configuration.name = argc > 1 ? argv[1] : "server";       //~ name: no-race -- no thread yet; locks{}
}

static void *worker(void *argument)
{
    int *characters = argument;
    for (const char *at = configuration.name; *at != '\0'; at++) //~ read: no-race -- only reads from here on; locks{}
        *characters += 1 + configuration.verbose;
    return NULL;
}

int main(int argc, char **argv)
{
    int characters[2] = { 0, 0 };
    pthread_t threads[2];
    configure(argc, argv);
    for (int i = 0; i < configuration.workers; i++)
        pthread_create(&threads[i], NULL, worker, &characters[i]);
    for (int i = 0; i < configuration.workers; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
