// The program of CIRC (fig. 1): whoever changes the state from zero to one has the variable to itself, without any lock.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, state;

static void *thread(void *argument) {
    for (int turn = 0; turn < 2; turn++) {
        int old;
        __VERIFIER_atomic_begin();
        old = state;
        if (state == 0)
            state = 1;
        __VERIFIER_atomic_end();
        if (old == 0) {
            x++;
            __VERIFIER_atomic_begin();
            state = 0;
            __VERIFIER_atomic_end();
        }
    }
    return argument;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, thread, 0);
    pthread_create(&other, 0, thread, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
