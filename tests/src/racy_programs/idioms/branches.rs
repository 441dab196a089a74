//! Functions that are told by their arguments what to do, so that threads do different things in them.

use super::Idiom;

pub const IDIOMS: &[Idiom] = &[Idiom {
    name: "told_by_an_argument",
    flaws: &["same_argument", "sometimes_the_same", "changed_on_the_way"],
    forms: &["by_case"],
    members: "",
    text: r"
static struct $data $shared;

static void $work(int turn, int from_worker)
{
    if (turn < 0)
        return;
!by_case:    if (!from_worker) {
?by_case:    switch (from_worker) {
?by_case:    case 0: {
        <w $shared>
        <a $shared>
    }
?by_case:        break;
?by_case:    default:
?by_case:        break;
?by_case:    }
}

static void $pass(int turn, int from_worker)
{
?changed_on_the_way:    if (turn > 0)
?changed_on_the_way:        from_worker = 0;
    $work(turn, from_worker);
}

static void *$worker(void *argument)
{
    for (int i = 0; i < 5; i++) {
        usleep(10);
!same_argument:!sometimes_the_same:        $pass(i, 1);
?same_argument:        $pass(i, 0);
?sometimes_the_same:        $pass(i, i % 2);
    }
    return argument;
}

static void $run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, $worker, NULL);
    for (int i = 0; i < 5; i++) {
        usleep(10);
        $pass(i, 0);
    }
    pthread_join(thread, NULL);
}
",
}];
