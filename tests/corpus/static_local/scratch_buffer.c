// A formatting helper returns its static buffer, which all its callers share.
#include <pthread.h>

static const char *hex_digit(unsigned value)
{
    static char buffer[2];
    buffer[0] = "0123456789abcdef"[value % 16]; //~ w: race(self); locks{}
    return buffer;
}

static void *dump(void *argument)
{
    int *checksum = argument;
    for (unsigned i = 0; i < 100; i++) {
        const char *digit = hex_digit(i);
        *checksum += digit[0]; //~ r: race(w); locks{}
    }
    return NULL;
}

int main(void)
{
    int checksums[2] = { 0, 0 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, dump, &checksums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
