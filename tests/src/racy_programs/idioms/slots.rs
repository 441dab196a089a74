//! Memory that belongs to one thread: its slot of an array, its argument, its thread-local variables.

use super::Idiom;

pub const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "slot_by_number",
        flaws: &["number_shared", "neighbour_touched"],
        forms: &["number_by_address"],
        members: "",
        text: r"
static struct $data $slots[3];

static void *$worker(void *argument)
{
!number_by_address:    int id = (int)(intptr_t)argument;
?number_by_address:    int id = *(int *)argument;
?number_shared:    id /= 2;
    for (int i = 0; i < 3; i++) {
        <w $slots[id]>
    }
?neighbour_touched:    <a $slots[(id + 1) % 3]>
    <b $slots[id]>
    return NULL;
}

static void $run(void)
{
    pthread_t threads[3];
?number_by_address:    int ids[3];
?number_by_address:    for (int i = 0; i < 3; i++) {
?number_by_address:        ids[i] = i;
?number_by_address:        pthread_create(&threads[i], NULL, $worker, &ids[i]);
?number_by_address:    }
!number_by_address:    for (intptr_t i = 0; i < 3; i++)
!number_by_address:        pthread_create(&threads[i], NULL, $worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "argument_of_each_thread",
        flaws: &[
            "same_argument",
            "next_one_touched",
            "touched_after_the_start",
        ],
        forms: &["on_the_stack", "number_inside"],
        members: "",
        text: r"
struct $argument {
    int id;
    struct $data data;
};

?number_inside:static struct $data $totals[4];
?number_inside:
static void *$worker(void *argument)
{
    struct $argument *mine = argument;
    <w mine->data>
    <a mine->data>
?next_one_touched:    <w mine[1].data>
?number_inside:    <w $totals[mine->id]>
    return NULL;
}

static void $run(void)
{
    pthread_t threads[3];
!on_the_stack:    static struct $argument arguments[4];
?on_the_stack:    struct $argument arguments[4];
?on_the_stack:    memset(arguments, 0, sizeof arguments);
!same_argument:    for (int i = 0; i < 3; i++)
!same_argument:        arguments[i].id = i;
    for (int i = 0; i < 3; i++) {
!same_argument:        pthread_create(&threads[i], NULL, $worker, &arguments[i]);
?same_argument:        pthread_create(&threads[i], NULL, $worker, &arguments[0]);
?touched_after_the_start:        <b arguments[i].data>
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    <r arguments[1].data>
}
",
    },
    Idiom {
        name: "argument_from_the_heap",
        flaws: &["touched_after_the_start", "same_for_all"],
        forms: &["filled_by_a_helper"],
        members: "",
        text: r"
static void *$worker(void *argument)
{
    struct $data *mine = argument;
    <w *mine>
!touched_after_the_start:!same_for_all:    free(mine);
    return NULL;
}

?filled_by_a_helper:static void $fill(struct $data *object)
?filled_by_a_helper:{
?filled_by_a_helper:    <a *object>
?filled_by_a_helper:}
?filled_by_a_helper:
static void $run(void)
{
    pthread_t threads[3];
?same_for_all:    struct $data *fresh = calloc(1, sizeof *fresh);
    for (int i = 0; i < 3; i++) {
!same_for_all:        struct $data *fresh = calloc(1, sizeof *fresh);
!filled_by_a_helper:        <a *fresh>
?filled_by_a_helper:        $fill(fresh);
        pthread_create(&threads[i], NULL, $worker, fresh);
?touched_after_the_start:        <b *fresh>
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
",
    },
    Idiom {
        name: "thread_local_variable",
        flaws: &["address_given_away"],
        forms: &["spelt_for_gcc"],
        members: "",
        text: r"
!spelt_for_gcc:static _Thread_local struct $data $own;
?spelt_for_gcc:static __thread struct $data $own;

static void *$worker(void *argument)
{
    <w $own>
?address_given_away:    struct $data *given = argument;
?address_given_away:    <a *given>
    <r $own>
    return argument;
}

static void $run(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
!address_given_away:        pthread_create(&threads[i], NULL, $worker, NULL);
?address_given_away:        pthread_create(&threads[i], NULL, $worker, &$own);
    <w $own>
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
",
    },
];
