// A binary tree: searches share the lock, insertions have it alone.
#include <pthread.h>
#include <stddef.h>

struct node {
    int key;
    struct node *left, *right;
};

static pthread_rwlock_t tree_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct node nodes[] = { { 50, NULL, NULL }, { 20, NULL, NULL }, { 70, NULL, NULL }, { 30, NULL, NULL }, { 10, NULL, NULL } };
static struct node *const root = &nodes[0];

static void insert(struct node *node)
{
    struct node *at = root;
    pthread_rwlock_wrlock(&tree_lock);
    for (;;) {
        struct node **next = node->key < at->key ? &at->left : &at->right;
        if (*next == NULL) { //~ free: no-race -- only this thread writes; locks{tree_lock}
            *next = node;    //~ hang: no-race -- insertions are alone; locks{tree_lock}
            break;
        }
        at = *next;
    }
    pthread_rwlock_unlock(&tree_lock);
}

static int contains(int key)
{
    pthread_rwlock_rdlock(&tree_lock);
    struct node *at = root;
    while (at != NULL && at->key != key)
        at = key < at->key ? at->left : at->right; //~ go: locks{shared tree_lock}
    pthread_rwlock_unlock(&tree_lock);
    return at != NULL;
}

static void *builder(void *argument)
{
    for (int i = 1; i < 5; i++)
        insert(&nodes[i]);
    return argument;
}

static void *searcher(void *argument)
{
    int found = 0;
    for (int key = 0; key < 100; key++)
        found += contains(key);
    return found < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, searcher, NULL);
    pthread_create(&two, NULL, builder, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
