static __int128 lowest;
static void *worker(void *p) { lowest++; return p; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    switch (lowest) { case (__int128)1 << 127: return 1; }
    return lowest < ((__int128)1 << 127);
}
