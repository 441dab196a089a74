"""The threads of a generated program: each group of modules has its own, and main starts and joins them all."""

from __future__ import annotations

from typing import Sequence

from module import Module
from scope import indented

#: How many functions `service` writes, and how many `main_file` does.
SERVICE_FUNCTIONS = 8
MAIN_FUNCTIONS = 5


def service(group: str, modules: Sequence[Module], workers: int) -> list[str]:
    """The file with a group's threads: workers that share the rounds, and a keeper that gets jobs from them."""
    g = group
    includes = sorted(f'#include "{module.header}"' for module in modules)
    rounds = [f"total += {module.prefix}_serve(round * {number + 3} + worker->index);" for number, module in enumerate(modules)]
    cases: list[str] = []
    for number, module in enumerate(modules):
        cases += [f"case {number}:", f"done += {module.prefix}_serve(job->amount);", "break;"]
    prepare = [line for module in modules for line in (f"status = {module.prefix}_prepare();", "if (status != STATUS_OK)",
                                                      "    return status;")]
    return indented(f"""\
/* The threads of the {g} group. */
#include "{g}/service.h"

{chr(10).join(includes)}
#include "common/log.h"
#include "common/memory.h"

#include <pthread.h>
#include <stdio.h>

#define WORKERS {workers}

struct {g}_job {{
long amount;
int kind;
char note[16];
struct {g}_job *next;
}};

struct {g}_worker {{
pthread_t thread;
int index;
long done;
}};

static struct {g}_worker {g}_workers[WORKERS];
static pthread_t {g}_keeper_thread;
static pthread_mutex_t {g}_jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t {g}_jobs_changed = PTHREAD_COND_INITIALIZER;
static struct {g}_job *{g}_jobs;
static int {g}_closed;
static long {g}_rounds;
static long {g}_kept;

static int {g}_submit(int kind, long amount)
{{
struct {g}_job *job = memory_take(sizeof *job);

if (job == NULL)
    return STATUS_MEMORY;
job->kind = kind;
job->amount = amount;
snprintf(job->note, sizeof job->note, "job %d", kind);
pthread_mutex_lock(&{g}_jobs_lock);
job->next = {g}_jobs;
{g}_jobs = job;
pthread_cond_signal(&{g}_jobs_changed);
pthread_mutex_unlock(&{g}_jobs_lock);
return STATUS_OK;
}}

static struct {g}_job *{g}_next_job(void)
{{
struct {g}_job *job;

pthread_mutex_lock(&{g}_jobs_lock);
while ({g}_jobs == NULL && !{g}_closed)
    pthread_cond_wait(&{g}_jobs_changed, &{g}_jobs_lock);
job = {g}_jobs;
if (job != NULL)
    {g}_jobs = job->next;
pthread_mutex_unlock(&{g}_jobs_lock);
return job;
}}

static void *{g}_work(void *argument)
{{
struct {g}_worker *worker = argument;
long total = 0;
long round;

for (round = 0; round < {g}_rounds; round++) {{
{chr(10).join(rounds)}
if (round % 4 == worker->index && {g}_submit((int)(round % {max(len(modules), 1)}), round) != STATUS_OK)
    log_note(LOG_ERROR, "{g}: a job is lost in round %ld", round);
}}
worker->done = total;
return NULL;
}}

static void *{g}_keep(void *unused)
{{
struct {g}_job *job;
long done = 0;

(void)unused;
while ((job = {g}_next_job()) != NULL) {{
switch (job->kind) {{
{chr(10).join(cases)}
default:
log_note(LOG_DETAIL, "{g}: nobody does %s", job->note);
break;
}}
memory_give(job);
}}
{g}_kept = done;
return NULL;
}}

int {g}_prepare(long rounds)
{{
int status;

{g}_rounds = rounds;
{chr(10).join(prepare)}
return STATUS_OK;
}}

int {g}_start(void)
{{
int index;

if (pthread_create(&{g}_keeper_thread, NULL, {g}_keep, NULL) != 0)
    return STATUS_AGAIN;
for (index = 0; index < WORKERS; index++) {{
{g}_workers[index].index = index;
if (pthread_create(&{g}_workers[index].thread, NULL, {g}_work, &{g}_workers[index]) != 0)
    return STATUS_AGAIN;
}}
return STATUS_OK;
}}

long {g}_join(void)
{{
long done = 0;
int index;

for (index = 0; index < WORKERS; index++) {{
pthread_join({g}_workers[index].thread, NULL);
done += {g}_workers[index].done;
}}
pthread_mutex_lock(&{g}_jobs_lock);
{g}_closed = 1;
pthread_cond_signal(&{g}_jobs_changed);
pthread_mutex_unlock(&{g}_jobs_lock);
pthread_join({g}_keeper_thread, NULL);
return done + {g}_kept;
}}

long {g}_dispose(void)
{{
long left = 0;

{chr(10).join(f"left += {module.prefix}_dispose();" for module in modules)}
return left;
}}""".split("\n"))


def service_header(group: str) -> list[str]:
    """What main needs of a group."""
    return [f"/* The threads of the {group} group. */", f"#ifndef {group.upper()}_SERVICE_H", f"#define {group.upper()}_SERVICE_H",
            "", f"int {group}_prepare(long rounds);", f"int {group}_start(void);", f"long {group}_join(void);",
            f"long {group}_dispose(void);", "", "#endif"]


def main_file(groups: Sequence[str]) -> list[str]:
    """Everything is prepared before the first thread starts, and freed after the last was joined."""
    def each(what: str) -> str:
        return "\n".join(what.replace("GROUP", group) for group in groups)

    return indented(f"""\
/* The program: prepares all groups, lets their threads work, and says what came out. */
#include "common/log.h"
#include "common/memory.h"
#include "common/status.h"
{each('#include "GROUP/service.h"')}

#include <stdio.h>
#include <stdlib.h>

static int prepare_all(long rounds)
{{
{each("if (GROUP_prepare(rounds) != STATUS_OK)" + chr(10) + "    return STATUS_MEMORY;")}
return STATUS_OK;
}}

static int start_all(void)
{{
{each("if (GROUP_start() != STATUS_OK)" + chr(10) + "    return STATUS_AGAIN;")}
return STATUS_OK;
}}

static long join_all(void)
{{
long done = 0;

{each("done += GROUP_join();")}
return done;
}}

static long dispose_all(void)
{{
long left = 0;

{each("left += GROUP_dispose();")}
return left;
}}

int main(int count, char **arguments)
{{
long rounds = count > 1 ? atol(arguments[1]) : 40;
long done, left;

if (prepare_all(rounds) != STATUS_OK || start_all() != STATUS_OK) {{
fprintf(stderr, "the program could not start\\n");
return EXIT_FAILURE;
}}
done = join_all();
left = dispose_all();
printf("%ld done, %ld left, %ld errors, %ld blocks\\n", done, left, log_count(LOG_ERROR), memory_in_use());
return EXIT_SUCCESS;
}}""".split("\n"))
