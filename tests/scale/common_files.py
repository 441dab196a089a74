"""The hand-written files that every generated program has: what all of its modules use."""

from __future__ import annotations

#: By path. `FUNCTIONS` says how many functions they define.
FILES: dict[str, str] = {}

FILES["common/status.h"] = """\
/* What functions return when they could not do their work. */
#ifndef STATUS_H
#define STATUS_H

#define STATUS_OK 0
#define STATUS_REFUSED (-1)
#define STATUS_AGAIN (-2)
#define STATUS_MEMORY (-3)

#endif
"""

FILES["common/list.h"] = """\
/* Doubly linked lists whose nodes lie in the objects that they link. */
#ifndef LIST_H
#define LIST_H

#include <stddef.h>

struct list_node {
    struct list_node *previous;
    struct list_node *next;
};

#define CONTAINER_OF(node, type, member) ((type *)((char *)(node) - offsetof(type, member)))

static inline void list_init(struct list_node *head)
{
    head->previous = head;
    head->next = head;
}

static inline int list_is_empty(const struct list_node *head)
{
    return head->next == head;
}

static inline void list_add(struct list_node *head, struct list_node *node)
{
    node->previous = head;
    node->next = head->next;
    head->next->previous = node;
    head->next = node;
}

static inline void list_remove(struct list_node *node)
{
    node->previous->next = node->next;
    node->next->previous = node->previous;
    node->previous = NULL;
    node->next = NULL;
}

#endif
"""

FILES["common/memory.h"] = """\
/* Memory that is counted. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

void *memory_take(size_t size);
void memory_give(void *block);
long memory_in_use(void);

#endif
"""

FILES["common/memory.c"] = """\
/* Memory that is counted. */
#include "common/memory.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static long memory_blocks;
static long memory_refusals;

void *memory_take(size_t size)
{
    void *block = calloc(1, size);

    pthread_mutex_lock(&memory_lock);
    if (block != NULL)
        memory_blocks++;
    else
        memory_refusals++;
    pthread_mutex_unlock(&memory_lock);
    return block;
}

void memory_give(void *block)
{
    if (block == NULL)
        return;
    pthread_mutex_lock(&memory_lock);
    memory_blocks--;
    pthread_mutex_unlock(&memory_lock);
    free(block);
}

long memory_in_use(void)
{
    long blocks;

    pthread_mutex_lock(&memory_lock);
    blocks = memory_blocks + memory_refusals;
    pthread_mutex_unlock(&memory_lock);
    return blocks;
}
"""

FILES["common/log.h"] = """\
/* The last messages of the program. */
#ifndef LOG_H
#define LOG_H

enum log_level { LOG_DETAIL, LOG_ERROR };

void log_note(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
long log_count(enum log_level level);

#endif
"""

FILES["common/log.c"] = """\
/* The last messages of the program. */
#include "common/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#define LOG_LINES 16

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_lines[LOG_LINES][96];
static unsigned log_next;
static long log_counts[2];

void log_note(enum log_level level, const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&log_lock);
    va_start(arguments, format);
    vsnprintf(log_lines[log_next % LOG_LINES], sizeof log_lines[0], format, arguments);
    va_end(arguments);
    log_next++;
    log_counts[level]++;
    pthread_mutex_unlock(&log_lock);
}

long log_count(enum log_level level)
{
    long count;

    pthread_mutex_lock(&log_lock);
    count = log_counts[level];
    pthread_mutex_unlock(&log_lock);
    return count;
}
"""

FILES["common/text.h"] = """\
/* Small functions on texts and numbers. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

unsigned long text_hash_number(unsigned long number);
unsigned long text_hash(const char *text, size_t length);

#endif
"""

FILES["common/text.c"] = """\
/* Small functions on texts and numbers. */
#include "common/text.h"

unsigned long text_hash_number(unsigned long number)
{
    number ^= number >> 17;
    number *= 0x9e3779b97f4a7c15UL;
    return number ^ (number >> 29);
}

unsigned long text_hash(const char *text, size_t length)
{
    unsigned long hash = 5381;
    size_t at;

    for (at = 0; at < length; at++)
        hash = hash * 33 + (unsigned char)text[at];
    return text_hash_number(hash);
}
"""

FUNCTIONS = 4 + 3 + 2 + 2
