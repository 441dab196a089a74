// A mutex made recursive by its attributes; a method calls another one of the same object.
#define _GNU_SOURCE
#include <pthread.h>

struct document {
    pthread_mutex_t lock;
    int words, changes;
};

static void document_init(struct document *document)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&document->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void changed(struct document *document)
{
    document->changes++; //~ change: no-race -- held by every caller; locks{document->lock}
}

static void append(struct document *document, int words)
{
    pthread_mutex_lock(&document->lock);
    document->words += words; //~ append: no-race -- the lock of the document; locks{document->lock}
    changed(document);
    pthread_mutex_unlock(&document->lock);
}

static void append_twice(struct document *document, int words)
{
    pthread_mutex_lock(&document->lock);
    append(document, words);
    append(document, words);
    changed(document);
    pthread_mutex_unlock(&document->lock);
}

static void *writer(void *argument)
{
    for (int i = 0; i < 100; i++)
        append_twice(argument, i);
    return NULL;
}

int main(void)
{
    static struct document document;
    pthread_t one, two;
    document_init(&document);
    pthread_create(&one, NULL, writer, &document);
    pthread_create(&two, NULL, writer, &document);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
