// RELAY's worked example: the statistics reader is entered with the lock held and writes after letting it go.
#include <pthread.h>

struct airo_info {
    pthread_mutex_t lock;
    struct { int ev; } pwr;
    struct { int rx_p; } stats;
};

struct net_device {
    struct airo_info *priv;
};

static int vals[4] = { 3, 5, 8, 13 };

static void airo_read_stats(struct airo_info *ai)
{
    if (ai->pwr.ev != 0) { //~ event: no-race -- only read, and with the lock of the caller; locks{ai->lock}
        pthread_mutex_unlock(&ai->lock);
        return;
    }
    pthread_mutex_unlock(&ai->lock);
    ai->stats.rx_p = vals[2]; //~ packets: race(self); locks{}
}

static void *airo_thread(void *d)
{
    struct net_device *dev = d;
    struct airo_info *ai = dev->priv; //~ priv: no-race -- only read; locks{}
    pthread_mutex_lock(&ai->lock);
    airo_read_stats(ai);
    return NULL;
}

int main(void)
{
    static struct airo_info info = { .lock = PTHREAD_MUTEX_INITIALIZER };
    static struct net_device device = { &info };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, airo_thread, &device);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
