//! What is done before a thread starts and after it was joined.

use super::Idiom;

pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "before_the_start_and_after_the_join",
        flaws: &["started_too_soon", "second_not_awaited"],
        forms: &["wrapped"],
        members: "",
        text: r"
static struct $data $shared;

static void *$worker(void *argument)
{
    <r $shared>
    return argument;
}

?wrapped:static void $start(pthread_t *thread)
?wrapped:{
?wrapped:    pthread_create(thread, NULL, $worker, NULL);
?wrapped:}
?wrapped:
static void $run(void)
{
    pthread_t one, two;
!started_too_soon:    <w $shared>
!wrapped:    pthread_create(&one, NULL, $worker, NULL);
?wrapped:    $start(&one);
?started_too_soon:    <w $shared>
!wrapped:    pthread_create(&two, NULL, $worker, NULL);
?wrapped:    $start(&two);
    pthread_join(one, NULL);
!second_not_awaited:    pthread_join(two, NULL);
    <w $shared>
?second_not_awaited:    pthread_join(two, NULL);
}
",
    },
    Idiom {
        name: "threads_in_an_array",
        flaws: &["one_left_out", "read_early", "same_result"],
        forms: &["read_in_the_loop"],
        members: "",
        text: r"
static struct $data $settings;
static struct $data $results[3];

static void *$worker(void *argument)
{
    struct $data *result = argument;
    <r $settings>
    <w *result>
    return NULL;
}

static void $run(void)
{
    pthread_t threads[3];
    <w $settings>
    for (int i = 0; i < 3; i++)
!same_result:        pthread_create(&threads[i], NULL, $worker, &$results[i]);
?same_result:        pthread_create(&threads[i], NULL, $worker, &$results[0]);
?read_early:    for (int i = 0; i < 3; i++) {
?read_early:        <r $results[i]>
?read_early:    }
!one_left_out:    for (int i = 0; i < 3; i++) {
?one_left_out:    for (int i = 1; i < 3; i++) {
        pthread_join(threads[i], NULL);
?read_in_the_loop:        <r $results[i]>
    }
    for (int i = 0; i < 3; i++) {
        <a $results[i]>
    }
    <b $settings>
?one_left_out:    pthread_join(threads[0], NULL);
}
",
    },
    Idiom {
        name: "two_phases_of_threads",
        flaws: &["first_not_awaited"],
        forms: &["one_reader"],
        members: "",
        text: r"
static struct $data $cells[3];

static void *$fill(void *argument)
{
    int id = (int)(intptr_t)argument;
    <w $cells[id]>
    return NULL;
}

static void *$collect(void *argument)
{
    int id = (int)(intptr_t)argument;
    <r $cells[(id + 1) % 3]>
    return NULL;
}

static void $run(void)
{
    pthread_t first[3];
?one_reader:    pthread_t reader;
!one_reader:    pthread_t second[3];
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&first[i], NULL, $fill, (void *)i);
!first_not_awaited:    for (int i = 0; i < 3; i++)
!first_not_awaited:        pthread_join(first[i], NULL);
?one_reader:    pthread_create(&reader, NULL, $collect, NULL);
?one_reader:    pthread_join(reader, NULL);
!one_reader:    for (intptr_t i = 0; i < 3; i++)
!one_reader:        pthread_create(&second[i], NULL, $collect, (void *)i);
!one_reader:    for (int i = 0; i < 3; i++)
!one_reader:        pthread_join(second[i], NULL);
?first_not_awaited:    for (int i = 0; i < 3; i++)
?first_not_awaited:        pthread_join(first[i], NULL);
}
",
    },
    Idiom {
        name: "child_of_a_child",
        flaws: &["child_not_awaited", "parent_goes_on"],
        forms: &["child_reads"],
        members: "",
        text: r"
static struct $data $shared;
?child_not_awaited:static pthread_t $left_over;

static void *$child(void *argument)
{
!child_reads:    <w $shared>
?child_reads:    <r $shared>
    return argument;
}

static void *$parent(void *argument)
{
    pthread_t thread;
    <a $shared>
    pthread_create(&thread, NULL, $child, NULL);
?parent_goes_on:    <w $shared>
!child_not_awaited:    pthread_join(thread, NULL);
!child_not_awaited:    <b $shared>
?child_not_awaited:    $left_over = thread;
    return argument;
}

static void $run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, $parent, NULL);
    pthread_join(thread, NULL);
    <w $shared>
?child_not_awaited:    pthread_join($left_over, NULL);
}
",
    },
    Idiom {
        name: "one_thread_after_another",
        flaws: &["overlapping"],
        forms: &["starter_reads"],
        members: "",
        text: r"
static struct $data $shared;

static void *$worker(void *argument)
{
    <w $shared>
    return argument;
}

static void $run(void)
{
?overlapping:    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
!overlapping:        pthread_t thread;
!overlapping:        pthread_create(&thread, NULL, $worker, NULL);
!overlapping:        pthread_join(thread, NULL);
?overlapping:        pthread_create(&threads[i], NULL, $worker, NULL);
?starter_reads:        <r $shared>
    }
?overlapping:    for (int i = 0; i < 3; i++)
?overlapping:        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "result_of_a_thread",
        flaws: &["used_early"],
        forms: &["through_the_result"],
        members: "",
        text: r"
static void *$worker(void *argument)
{
    struct $data *object = argument;
    <w *object>
    return object;
}

static void $run(void)
{
    struct $data *object = calloc(1, sizeof *object);
    pthread_t thread;
?through_the_result:    void *result;
    <a *object>
    pthread_create(&thread, NULL, $worker, object);
?used_early:    <b *object>
!through_the_result:    pthread_join(thread, NULL);
?through_the_result:    pthread_join(thread, &result);
?through_the_result:    object = result;
    <b *object>
    free(object);
}
",
    },
];
