//! Locks that are taken on conditions, for reading, or in other guises.

use super::Idiom;

/// Two threads of each of the two functions `$one` and `$other`.
macro_rules! two_of_each {
    ($text:literal, $before:literal) => {
        concat!(
            $text,
            "
static void $run(void)
{
    pthread_t threads[4];
",
            $before,
            "    for (int i = 0; i < 4; i += 2) {
        pthread_create(&threads[i], NULL, $one, NULL);
        pthread_create(&threads[i + 1], NULL, $other, NULL);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
"
        )
    };
}

pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "tried_and_tested",
        flaws: &["result_ignored", "test_reversed"],
        forms: &[],
        members: "",
        text: two_of_each!(
            r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data $shared;

static void *$one(void *argument)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&$lock);
        <w $shared>
        usleep(10);
        pthread_mutex_unlock(&$lock);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 5; i++) {
        int failed = pthread_mutex_trylock(&$lock);
!result_ignored:!test_reversed:        if (failed == 0) {
?result_ignored:        {
?test_reversed:        if (failed != 0) {
            <a $shared>
        }
        if (failed == 0)
            pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "tried_in_a_function",
        flaws: &["result_ignored", "not_locked_elsewhere"],
        forms: &["zero_is_success"],
        members: "",
        text: two_of_each!(
            r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data $shared;

static int $try(void)
{
!zero_is_success:    return pthread_mutex_trylock(&$lock) == 0;
?zero_is_success:    if (pthread_mutex_trylock(&$lock) != 0)
?zero_is_success:        return -1;
?zero_is_success:    return 0;
}

static void *$one(void *argument)
{
    for (int i = 0; i < 5; i++) {
!not_locked_elsewhere:        pthread_mutex_lock(&$lock);
        <w $shared>
        usleep(10);
!not_locked_elsewhere:        pthread_mutex_unlock(&$lock);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 5; i++) {
!zero_is_success:        int taken = $try();
?zero_is_success:        int taken = $try() == 0;
!result_ignored:        if (taken) {
?result_ignored:        {
            <a $shared>
        }
        if (taken)
            pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "tried_until_taken",
        flaws: &["given_up"],
        forms: &[],
        members: "",
        text: two_of_each!(
            r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data $shared;

static void *$one(void *argument)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&$lock);
        <w $shared>
        usleep(10);
        pthread_mutex_unlock(&$lock);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 5; i++) {
!given_up:        while (pthread_mutex_trylock(&$lock) != 0)
!given_up:            usleep(10);
?given_up:        int taken = 0;
?given_up:        for (int tries = 0; tries < 2 && !taken; tries++)
?given_up:            taken = pthread_mutex_trylock(&$lock) == 0;
        <a $shared>
!given_up:        pthread_mutex_unlock(&$lock);
?given_up:        if (taken)
?given_up:            pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "locked_where_it_must",
        flaws: &["lock_not_held"],
        forms: &["through_a_member"],
        members: "",
        text: two_of_each!(
            r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data $shared;

?through_a_member:struct $way {
?through_a_member:    int must_lock;
?through_a_member:};
?through_a_member:
!through_a_member:static void $update(int must_lock)
?through_a_member:static void $update(const struct $way *way)
{
!through_a_member:    if (must_lock)
?through_a_member:    if (way->must_lock)
        pthread_mutex_lock(&$lock);
    <w $shared>
!through_a_member:    if (must_lock)
?through_a_member:    if (way->must_lock)
        pthread_mutex_unlock(&$lock);
}

static void *$one(void *argument)
{
?through_a_member:    struct $way way = { 1 };
    for (int i = 0; i < 4; i++) {
!through_a_member:        $update(1);
?through_a_member:        $update(&way);
        usleep(20);
    }
    return argument;
}

static void *$other(void *argument)
{
?through_a_member:    struct $way way = { 0 };
    for (int i = 0; i < 4; i++) {
!lock_not_held:        pthread_mutex_lock(&$lock);
!through_a_member:        $update(0);
?through_a_member:        $update(&way);
!lock_not_held:        pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "locked_if_needed",
        flaws: &["accessed_anyway", "other_condition"],
        forms: &["one_branch"],
        members: "",
        text: two_of_each!(
            r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data $shared;

static void $step(int need)
{
    if (need > 0)
        pthread_mutex_lock(&$lock);
!one_branch:    usleep(5);
?accessed_anyway:    {
?other_condition:    if (need != 1) {
!accessed_anyway:!other_condition:    if (need > 0) {
        <w $shared>
?one_branch:        usleep(5);
    }
    if (need > 0)
        pthread_mutex_unlock(&$lock);
}

static void *$one(void *argument)
{
    for (int i = 0; i < 4; i++) {
        $step(i % 3);
        usleep(20);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&$lock);
        <a $shared>
        pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "lock_that_may_fail",
        flaws: &["failure_ignored"],
        forms: &["true_on_success"],
        members: "",
        text: two_of_each!(
            r"
static pthread_mutex_t $lock = PTHREAD_MUTEX_INITIALIZER;
static struct $data $shared;

static int $enter(int wanted)
{
    if (wanted < 0)
!true_on_success:        return -1;
?true_on_success:        return 0;
    pthread_mutex_lock(&$lock);
!true_on_success:    return 0;
?true_on_success:    return 1;
}

static void *$one(void *argument)
{
    for (int i = -2; i < 4; i++) {
?failure_ignored:        int result = $enter(i);
!failure_ignored:!true_on_success:        if ($enter(i) != 0)
!failure_ignored:?true_on_success:        if (!$enter(i))
!failure_ignored:            continue;
        <w $shared>
?failure_ignored:!true_on_success:        if (result == 0)
?failure_ignored:?true_on_success:        if (result)
?failure_ignored:            pthread_mutex_unlock(&$lock);
!failure_ignored:        pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&$lock);
        <a $shared>
        pthread_mutex_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "readers_and_writers",
        flaws: &[
            "written_by_a_reader",
            "writer_shares",
            "read_without_the_lock",
        ],
        forms: &["reader_tries"],
        members: "",
        text: two_of_each!(
            r"
static pthread_rwlock_t $lock = PTHREAD_RWLOCK_INITIALIZER;
static struct $data $shared;

static void *$one(void *argument)
{
    for (int i = 0; i < 4; i++) {
!writer_shares:        pthread_rwlock_wrlock(&$lock);
?writer_shares:        pthread_rwlock_rdlock(&$lock);
        <w $shared>
        <b $shared>
        pthread_rwlock_unlock(&$lock);
        usleep(20);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 4; i++) {
!read_without_the_lock:!reader_tries:        pthread_rwlock_rdlock(&$lock);
!read_without_the_lock:?reader_tries:        if (pthread_rwlock_tryrdlock(&$lock) != 0)
!read_without_the_lock:?reader_tries:            continue;
        <r $shared>
?written_by_a_reader:        <w $shared>
?written_by_a_reader:        usleep(20);
!read_without_the_lock:        pthread_rwlock_unlock(&$lock);
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
    Idiom {
        name: "semaphore_as_a_lock",
        flaws: &["two_permits", "not_waited_for"],
        forms: &["tried"],
        members: "",
        text: two_of_each!(
            r"
static sem_t $permit;
static struct $data $shared;

static void *$one(void *argument)
{
    for (int i = 0; i < 4; i++) {
        sem_wait(&$permit);
        <w $shared>
?two_permits:        usleep(20);
        sem_post(&$permit);
        usleep(20);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 4; i++) {
!not_waited_for:!tried:        sem_wait(&$permit);
!not_waited_for:?tried:        if (sem_trywait(&$permit) != 0)
!not_waited_for:?tried:            continue;
        <a $shared>
!not_waited_for:        sem_post(&$permit);
        usleep(20);
    }
    return argument;
}
",
            "!two_permits:    sem_init(&$permit, 0, 1);
?two_permits:    sem_init(&$permit, 0, 2);
"
        ),
    },
    Idiom {
        name: "atomic_counters",
        flaws: &["plain_increment", "plain_read"],
        forms: &["atomic_type"],
        members: "",
        text: two_of_each!(
            r"
!atomic_type:static int $count;
?atomic_type:?plain_increment:static int $count;
?atomic_type:?plain_read:static int $count;
?atomic_type:!plain_increment:!plain_read:static atomic_int $count;
static atomic_long $total;

static void *$one(void *argument)
{
    for (int i = 0; i < 4; i++) {
?atomic_type:!plain_increment:!plain_read:        $count++;
!atomic_type:!plain_increment:        __atomic_fetch_add(&$count, 1, __ATOMIC_RELAXED);
?atomic_type:?plain_read:        __atomic_fetch_add(&$count, 1, __ATOMIC_SEQ_CST);
?plain_increment:        $count++;
        atomic_fetch_add_explicit(&$total, i, memory_order_relaxed);
        usleep(20);
    }
    return argument;
}

static void *$other(void *argument)
{
    for (int i = 0; i < 4; i++) {
?plain_read:        if ($count > 100)
?plain_read:            break;
!plain_read:!atomic_type:        if (__atomic_load_n(&$count, __ATOMIC_RELAXED) > 100)
!plain_read:!atomic_type:            break;
!plain_read:?atomic_type:?plain_increment:        if (__atomic_load_n(&$count, __ATOMIC_SEQ_CST) > 100)
!plain_read:?atomic_type:!plain_increment:        if (atomic_load(&$count) > 100)
!plain_read:?atomic_type:            break;
        $total++;
        usleep(20);
    }
    return argument;
}
",
            ""
        ),
    },
];
