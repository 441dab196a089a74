// KISS's toastmon race in the style of a driver, mended by the spin lock of the state.
// not-runnable: the functions of the kernel are only declared
typedef long NTSTATUS;
typedef void *PVOID, *HANDLE;
typedef unsigned char KIRQL;
typedef unsigned long KSPIN_LOCK;
typedef void KSTART_ROUTINE(PVOID context);

void KeInitializeSpinLock(KSPIN_LOCK *lock);
void KeAcquireSpinLock(KSPIN_LOCK *lock, KIRQL *old);
void KeReleaseSpinLock(KSPIN_LOCK *lock, KIRQL old);
NTSTATUS PsCreateSystemThread(HANDLE *thread, unsigned long access, PVOID attributes, HANDLE process,
                              PVOID client, KSTART_ROUTINE *start, PVOID context);

typedef enum { Started, StopPending, Deleted } PNP_STATE;

typedef struct {
    KSPIN_LOCK StateLock;
    PNP_STATE PnpState;
} DEVICE_EXTENSION;

typedef struct {
    DEVICE_EXTENSION *DeviceExtension;
} DEVICE_OBJECT;

static NTSTATUS DispatchPnp(DEVICE_OBJECT *DeviceObject)
{
    DEVICE_EXTENSION *Extension = DeviceObject->DeviceExtension;
    KIRQL Irql;
    KeAcquireSpinLock(&Extension->StateLock, &Irql);
    Extension->PnpState = StopPending; //~ stop: locks{Extension->StateLock}
    KeReleaseSpinLock(&Extension->StateLock, Irql);
    return 0;
}

static NTSTATUS DispatchPower(DEVICE_OBJECT *DeviceObject)
{
    DEVICE_EXTENSION *Extension = DeviceObject->DeviceExtension;
    KIRQL Irql;
    KeAcquireSpinLock(&Extension->StateLock, &Irql);
    PNP_STATE State = Extension->PnpState; //~ look: no-race -- the spin lock; locks{Extension->StateLock}
    KeReleaseSpinLock(&Extension->StateLock, Irql);
    if (State == Deleted)
        return -1;
    return 0;
}

static void PnpThread(PVOID Context)
{
    DispatchPnp(Context);
}

static void PowerThread(PVOID Context)
{
    DispatchPower(Context);
}

int main(void)
{
    static DEVICE_EXTENSION Extension;
    static DEVICE_OBJECT Device = { &Extension };
    HANDLE Pnp, Power;
    KeInitializeSpinLock(&Extension.StateLock);
    if (PsCreateSystemThread(&Pnp, 0, 0, 0, 0, PnpThread, &Device) != 0)
        return 1;
    return PsCreateSystemThread(&Power, 0, 0, 0, 0, PowerThread, &Device) != 0;
}
