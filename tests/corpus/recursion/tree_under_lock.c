// A recursive walk that is always entered with the tree's lock held.
#include <pthread.h>
#include <stdlib.h>

struct tree {
    struct tree *left, *right;
    int visits;
};

static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER;

static struct tree *grow(int depth)
{
    struct tree *tree = calloc(1, sizeof *tree);
    if (depth > 0) {
        tree->left = grow(depth - 1);
        tree->right = grow(depth - 1);
    }
    return tree;
}

static void visit(struct tree *tree)
{
    if (tree == NULL)
        return;
    tree->visits++; //~ w: no-race -- the caller holds the lock over the whole walk; locks{tree_lock}
    visit(tree->left);
    visit(tree->right);
}

static void *visitor(void *argument)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&tree_lock);
        visit(argument);
        pthread_mutex_unlock(&tree_lock);
    }
    return NULL;
}

int main(void)
{
    struct tree *tree = grow(3);
    pthread_t one, two;
    pthread_create(&one, NULL, visitor, tree);
    pthread_create(&two, NULL, visitor, tree);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
