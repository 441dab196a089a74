static pthread_mutex_t lock;
static int counter, *pointer = &counter;
struct node { struct node *next; int value : 3; union { int a; char b[4]; }; };
static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    *pointer = 1;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    counter += 2;
    pthread_join(thread, 0);
    return counter;
}
