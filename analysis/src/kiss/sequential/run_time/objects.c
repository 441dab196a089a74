// What stands for locks, semaphores, condition variables, barriers, once-controls and handles of threads.

// Any of these, by its address.
static struct racelens_object {
    void *address;
    int owner, holds, readers, is_semaphore, is_recursive, is_made, is_sequence, once, thread;
    long count, posts;
} racelens_object[RACELENS_OBJECTS];
static int racelens_objects;
static void *racelens_specific[RACELENS_THREADS][RACELENS_KEYS];

static struct racelens_object *racelens_find(void *address) {
    int at = 0;
    while (at < racelens_objects && racelens_object[at].address != address) at++;
    __racelens_assume(at < RACELENS_OBJECTS);
    if (at == racelens_objects) racelens_object[racelens_objects++].address = address;
    return &racelens_object[at];
}
static int racelens_is_free(struct racelens_object *lock, int shared, int recursive) {
    if (lock->owner == racelens_current) return recursive || lock->is_recursive;
    return lock->owner == 0 && (shared || lock->readers == 0);
}
static void racelens_take_lock(struct racelens_object *lock, int shared) {
    if (shared && lock->owner == 0) lock->readers++;
    else { lock->owner = racelens_current; lock->holds++; }
}
static void racelens_acquire(void *address, int shared, int recursive) {
    struct racelens_object *lock = racelens_find(address);
    racelens_await(racelens_is_free(lock, shared, recursive), );
    racelens_take_lock(lock, shared);
}
static int racelens_try_acquire(void *address, int shared, int recursive) {
    struct racelens_object *lock = racelens_find(address);
    if (!racelens_is_free(lock, shared, recursive)) return 0;
    racelens_take_lock(lock, shared);
    return 1;
}
static void racelens_release(void *address) {
    struct racelens_object *lock = racelens_find(address);
    if (lock->is_semaphore) lock->count++;
    else if (lock->owner == racelens_current) { if (--lock->holds == 0) lock->owner = 0; lock->posts += lock->is_sequence; }
    else { __racelens_assume(lock->readers > 0); lock->readers--; }
}
// Sequence locks: who reads goes on beside writers, and is told afterwards whether there was one.
static struct racelens_object *racelens_reading[RACELENS_THREADS];
static void racelens_make_sequence(void *address) { racelens_find(address)->is_sequence = 1; }
static long racelens_read_begin(void *address) {
    struct racelens_object *lock = racelens_find(address);
    racelens_await(lock->owner == 0, 0);
    // Of sections in each other only one would be known.
    __racelens_assume(!racelens_reading[racelens_current]);
    racelens_reading[racelens_current] = lock;
    return lock->posts * 2;
}
static int racelens_read_retry(void *address, long start) {
    struct racelens_object *lock = racelens_find(address);
    __racelens_assume(racelens_reading[racelens_current] == lock);
    racelens_reading[racelens_current] = 0;
    return lock->owner != 0 || lock->posts * 2 != start;
}
static int racelens_is_retried(int reader, int kind, int writer) {
    return !(kind & 2) && racelens_reading[reader] && racelens_reading[reader]->owner == writer;
}
static void racelens_initialise_lock(void *address, int is_semaphore, int recursive, long count) {
    struct racelens_object *lock = racelens_find(address);
    lock->owner = lock->holds = lock->readers = 0;
    lock->is_semaphore = is_semaphore;
    lock->is_recursive = recursive & 1;
    lock->is_made = 1;
    lock->count = count;
}
// The kinds of the GNU C library: 1 is recursive. What is initialised without attributes is not.
static void racelens_set_mutex_type(void *attributes, int kind) { racelens_find(attributes)->is_recursive = kind == 1; }
static void racelens_initialise_mutex(void *mutex, void *attributes) {
    racelens_initialise_lock(mutex, 0, attributes ? racelens_find(attributes)->is_recursive : 0, 0);
}
// A mutex that no call has made has its kind in a member.
static void racelens_read_kind(void *mutex, void *kind) {
    if (!racelens_find(mutex)->is_made) racelens_find(mutex)->is_recursive = *(int *)kind == 1;
}
static void racelens_initialise_barrier(void *barrier, unsigned count) {
    racelens_find(barrier)->count = count;
    racelens_find(barrier)->posts = 0;
}
static long racelens_come(void *barrier) { return racelens_find(barrier)->posts++; }
// The thread that comes last is told so.
static int racelens_pass(void *barrier, long before) {
    struct racelens_object *object = racelens_find(barrier);
    __racelens_assume(object->count > 0);
    racelens_await(object->posts >= (before / object->count + 1) * object->count, 0);
    return before % object->count == object->count - 1 ? -1 : 0;
}
static void racelens_post(void *address) {
    struct racelens_object *object = racelens_find(address);
    object->count++;
    object->posts++;
}
static void racelens_take(void *address) {
    struct racelens_object *object = racelens_find(address);
    object->is_semaphore = 1;
    racelens_await(object->count > 0, );
    object->count--;
}
static int racelens_try_take(void *address) {
    struct racelens_object *object = racelens_find(address);
    object->is_semaphore = 1;
    if (object->count <= 0) return 0;
    object->count--;
    return 1;
}
static int racelens_outcome(int happened, int success, int failure) { return happened ? success : failure; }
static long racelens_wait_begin(void *on, void *lock) {
    racelens_release(lock);
    return racelens_find(on)->posts;
}
static void racelens_wait_end(void *on, void *lock, long posts, int shared) {
    racelens_await(racelens_find(on)->posts > posts, );
    racelens_acquire(lock, shared, 0);
}
// Whether the time was up before somebody posted.
static int racelens_wait_timed(void *on, void *lock, long posts, int shared) {
    int is_late = racelens_find(on)->posts <= posts;
    racelens_acquire(lock, shared, 0);
    return is_late;
}
static int racelens_once_begin(void *control) {
    struct racelens_object *object = racelens_find(control);
    racelens_await(object->once != 1, 0);
    if (object->once == 2) return 0;
    object->once = 1;
    return 1;
}
static void racelens_once_end(void *control) { racelens_find(control)->once = 2; }

static void racelens_name_thread(void *handle, int thread) { racelens_find(handle)->thread = thread; }
static void *racelens_join(void *handle) {
    long thread = (long)handle;
    if (thread < 1 || thread > racelens_threads) thread = racelens_find(handle)->thread;
    __racelens_assume(thread > 0);
    racelens_await(racelens_finished[thread], 0);
    return racelens_result[thread];
}
static void racelens_join_entry(void *entry) {
    for (int thread = 2; thread <= racelens_threads; thread++)
        racelens_await(racelens_thread[thread].entry != entry || racelens_finished[thread], );
}
static void racelens_give(void *pointer, long size, void *value) {
    if (pointer) __builtin_memcpy(pointer, &value, (unsigned long)size);
}
static void *racelens_get_specific(unsigned long key) {
    __racelens_assume(key < RACELENS_KEYS);
    return racelens_specific[racelens_current][key];
}
static int racelens_set_specific(unsigned long key, void *value) {
    __racelens_assume(key < RACELENS_KEYS);
    racelens_specific[racelens_current][key] = value;
    return 0;
}
