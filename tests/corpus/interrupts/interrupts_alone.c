// A driver keeps its own interrupt away, but the handler may run on another processor meanwhile.
// not-runnable: interrupts are the kernel's.
typedef int (*irq_handler_t)(int number, void *device);

int request_irq(unsigned int number, irq_handler_t handler, unsigned long flags, const char *name, void *device);
const void *free_irq(unsigned int number, void *device);
void local_irq_disable(void);
void local_irq_enable(void);

struct device {
    int packets;
};

static struct device card;

static int handler(int number, void *device)
{
    struct device *found = device;
    found->packets++; //~ count: race(read, reset) (unconfirmed -- the program cannot be run); locks{}
    return number;
}

static int take_packets(struct device *device)
{
    local_irq_disable();
    int packets = device->packets; //~ read: locks{}
    device->packets = 0;           //~ reset: locks{}
    local_irq_enable();
    return packets;
}

int main(void)
{
    int packets = 0;
    if (request_irq(5, handler, 0, "card", &card))
        return 1;
    for (int i = 0; i < 10; i++)
        packets += take_packets(&card);
    free_irq(5, &card);
    return packets;
}
