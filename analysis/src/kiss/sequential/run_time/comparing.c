// Sorting and searching. The function that compares may stop, so that it is called by the program and not from here: these
// say which two elements are next. Elements move towards the front until the one before is not greater.

struct racelens_comparing { char *key, *base, *left, *right; unsigned long count, size, first, last; };

static void *racelens_compare_begin(void *key, void *base, unsigned long count, unsigned long size) {
    struct racelens_comparing *now = __builtin_malloc(sizeof *now);
    now->key = key;
    now->base = base;
    now->count = count;
    now->size = size;
    now->first = now->last = 0;
    now->left = now->right = 0;
    return now;
}
static void *racelens_compare_left(void *comparing) { return ((struct racelens_comparing *)comparing)->left; }
static void *racelens_compare_right(void *comparing) { return ((struct racelens_comparing *)comparing)->right; }
// Whether two elements are to be compared, after the last two were found to be in this order.
static int racelens_sort_on(void *comparing, int order) {
    struct racelens_comparing *now = comparing;
    if (order > 0) {
        for (unsigned long byte = 0; byte < now->size; byte++) {
            char kept = now->left[byte];
            now->left[byte] = now->right[byte];
            now->right[byte] = kept;
        }
        now->last--;
    } else now->last = 0;
    if (now->last == 0) now->last = ++now->first;
    if (now->first >= now->count) return 0;
    now->right = now->base + now->last * now->size;
    now->left = now->right - now->size;
    return 1;
}
// Begins with any order but zero: nothing was compared yet as long as there is no right element.
static int racelens_search_on(void *comparing, int order) {
    struct racelens_comparing *now = comparing;
    if (!now->right) now->last = now->count;
    else if (order == 0) return 0;
    else if (order < 0) now->last = (unsigned long)(now->right - now->base) / now->size;
    else now->first = (unsigned long)(now->right - now->base) / now->size + 1;
    now->right = 0;
    if (now->first >= now->last) return 0;
    now->left = now->key;
    now->right = now->base + (now->first + (now->last - now->first) / 2) * now->size;
    return 1;
}
