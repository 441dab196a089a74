// A driver keeps its own interrupt away and takes the lock that the handler takes on another processor.
// not-runnable: interrupts and spin locks are the kernel's.
struct spinlock {
    int value;
};

typedef int (*irq_handler_t)(int number, void *device);

int request_irq(unsigned int number, irq_handler_t handler, unsigned long flags, const char *name, void *device);
const void *free_irq(unsigned int number, void *device);
void spin_lock(struct spinlock *lock);
void spin_unlock(struct spinlock *lock);
void spin_lock_irq(struct spinlock *lock);
void spin_unlock_irq(struct spinlock *lock);

struct device {
    struct spinlock lock;
    int packets;
};

static struct device card;

static int handler(int number, void *device)
{
    struct device *found = device;
    spin_lock(&found->lock);
    found->packets++; //~ count: no-race -- both have the device's lock; locks{found->lock}
    spin_unlock(&found->lock);
    return number;
}

static int take_packets(struct device *device)
{
    spin_lock_irq(&device->lock);
    int packets = device->packets; //~ read: no-race -- both have the device's lock; locks{device->lock}
    device->packets = 0;           //~ reset: no-race -- both have the device's lock; locks{device->lock}
    spin_unlock_irq(&device->lock);
    return packets;
}

int main(void)
{
    int packets = 0;
    card.packets = 0;
    if (request_irq(5, handler, 0, "card", &card))
        return 1;
    for (int i = 0; i < 10; i++)
        packets += take_packets(&card);
    free_irq(5, &card);
    return packets;
}
