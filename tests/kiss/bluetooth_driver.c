// The simplified Bluetooth driver of KISS, fig. 2: it races on stoppingFlag and may work on a device that has stopped.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

typedef struct {
    int pendingIo;
    bool stoppingFlag;
    bool stoppingEvent;
} DEVICE_EXTENSION;

static bool stopped;
static int BCSP_IoIncrement(DEVICE_EXTENSION *e) {
    if (e->stoppingFlag)
        return -1;
    __VERIFIER_atomic_begin();
    e->pendingIo = e->pendingIo + 1;
    __VERIFIER_atomic_end();
    return 0;
}
static void BCSP_IoDecrement(DEVICE_EXTENSION *e) {
    int pendingIo;
    __VERIFIER_atomic_begin();
    e->pendingIo = e->pendingIo - 1;
    pendingIo = e->pendingIo;
    __VERIFIER_atomic_end();
    if (pendingIo == 0)
        e->stoppingEvent = true;
}
static void BCSP_PnpAdd(DEVICE_EXTENSION *e) {
    int status = BCSP_IoIncrement(e);
    if (status == 0)
        assert(!stopped);
    BCSP_IoDecrement(e);
}
static void *BCSP_PnpStop(void *argument) {
    DEVICE_EXTENSION *e = argument;
    e->stoppingFlag = true;
    BCSP_IoDecrement(e);
    __VERIFIER_assume(e->stoppingEvent);
    stopped = true;
    return 0;
}
int main(void) {
    DEVICE_EXTENSION *e = malloc(sizeof *e);
    e->pendingIo = 1;
    e->stoppingFlag = false;
    e->stoppingEvent = false;
    stopped = false;
    pthread_t stopper;
    pthread_create(&stopper, 0, BCSP_PnpStop, e);
    BCSP_PnpAdd(e);
    return 0;
}
