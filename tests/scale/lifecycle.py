"""How the objects of a generated module begin and end."""

from __future__ import annotations

from random import Random

from scope import Scope
from shape import Shape


def lifecycle(shape: Shape, rng: Random, counters: list[str]) -> list[tuple[str, bool, list[str]]]:
    """The functions that make and free a module's objects: header, whether others may call it, lines."""
    p = shape.prefix
    heads = ((f"struct {p} *{p}_create(int id)", _create), (f"void {p}_destroy(struct {p} *object)", _destroy),
             (f"struct {p} *{p}_pick(long number)", _pick), (f"int {p}_prepare(void)", _prepare),
             (f"long {p}_dispose(void)", _dispose))
    found = [(head, True, write(head, shape, rng, counters)) for head, write in heads]
    if "tree" in shape.guards:
        found = [(head, False, write(head, shape, rng, counters)) for head, write in (
            (f"static long {p}_tree_sum(const struct {p}_node *node)", _tree_sum),
            (f"static void {p}_tree_free(struct {p}_node *node)", _tree_free))] + found
    return found


def _create(head: str, shape: Shape, rng: Random, _: list[str]) -> list[str]:
    p, lock = shape.prefix, shape.lock_name
    lines = [head, "{", f"struct {p} *object = memory_take(sizeof *object);", "int at;", "", "if (object == NULL)",
             "    return NULL;", "object->id = id;"]
    lines += [f"object->{name} = {rng.randint(0, 9)};" for _, name in shape.scalars]
    for name in shape.ranges:
        lines += [f"object->{name}.low = {rng.randint(10, 90)};", f"object->{name}.high = -{rng.randint(10, 90)};",
                  f"object->{name}.hits = 0;"]
    lines += [f"for (at = 0; at < {shape.array_size}; at++)", f"    object->{shape.array}[at] = at * id;",
              f"object->{shape.flags[0]} = 1;", "object->mode = (unsigned)id & 7;"]
    if shape.has_payload:
        lines += ["object->payload_kind = id % 3;"]
    if shape.has_label:
        lines += [f'snprintf(object->label, sizeof object->label, "{p[:10]}-%d", id);']
    if shape.list_style == "embedded":
        lines += ["list_init(&object->entries);"]
    if shape.has_buffer:
        lines += ["object->buffer_size = 64;", "object->buffer = malloc(object->buffer_size);",
                  "if (object->buffer == NULL)", "    goto no_buffer;"]
    init = f"pthread_{shape.lock_kind}_init(&object->{lock}, {'PTHREAD_PROCESS_PRIVATE' if shape.lock_kind == 'spin' else 'NULL'})"
    lines += [f"if ({init} != 0)", "    goto no_lock;", "return object;", "", "no_lock:"]
    if shape.has_buffer:
        lines += ["free(object->buffer);", "no_buffer:"]
    return [*lines, "memory_give(object);", "return NULL;", "}"]


def _destroy(head: str, shape: Shape, rng: Random, _: list[str]) -> list[str]:
    p = shape.prefix
    lines = [head, "{"]
    if shape.list_style == "next":
        lines += [f"struct {p}_entry *entry, *next;", "", "for (entry = object->entries; entry != NULL; entry = next) {",
                  "next = entry->next;", "memory_give(entry);", "}"]
    elif shape.list_style == "embedded":
        lines += ["while (!list_is_empty(&object->entries)) {", f"struct {p}_entry *entry = CONTAINER_OF(object->entries.next,"
                  f" struct {p}_entry, link);", "", "list_remove(&entry->link);", "memory_give(entry);", "}"]
    if shape.has_buffer:
        lines += ["free(object->buffer);"]
    return [*lines, f"pthread_{shape.lock_kind}_destroy(&object->{shape.lock_name});", "memory_give(object);", "}"]


def _pick(head: str, shape: Shape, rng: Random, _: list[str]) -> list[str]:
    return [head, "{", f"return {shape.prefix}_objects[(unsigned long)number % {shape.objects}];", "}"]


def _prepare(head: str, shape: Shape, rng: Random, _: list[str]) -> list[str]:
    p = shape.prefix
    lines = [head, "{", "int at;", "", f"for (at = 0; at < {shape.objects}; at++) {{", f"{p}_objects[at] = {p}_create(at);",
             f"if ({p}_objects[at] == NULL) {{", f'log_note(LOG_ERROR, "{p}: out of memory at %d", at);',
             "return STATUS_MEMORY;", "}", "}"]
    if "slots" in shape.guards:
        lines += [f"for (at = 0; at < {shape.stripes}; at++)", f"    pthread_mutex_init(&{p}_slot_locks[at], NULL);",
                  f"memset({p}_slots, 0, sizeof {p}_slots);"]
    if "settings" in shape.guards:
        lines += [f"{p}_settings.{name} = {rng.randint(1, 99)};" for _, name in shape.settings]
    if "ring" in shape.guards:
        lines += [f"{p}_ring_head = 0;", f"{p}_ring_tail = 0;"]
    return [*lines, "return STATUS_OK;", "}"]


def _dispose(head: str, shape: Shape, rng: Random, counters: list[str]) -> list[str]:
    p = shape.prefix
    s = Scope(rng, "value", ())
    at = s.declare("int", "at")
    lines = [f"for ({at} = 0; {at} < {shape.objects}; {at}++) {{",
             f"{s.result} += (long){p}_objects[{at}]->{shape.scalars[0][1]};", f"{p}_destroy({p}_objects[{at}]);",
             f"{p}_objects[{at}] = NULL;", "}"]
    if "totals" in shape.guards:
        lines += [f"{s.result} += {p}_totals.{name};" for _, name in shape.totals]
    if "slots" in shape.guards:
        lines += [f"for ({at} = 0; {at} < {shape.slots}; {at}++)", f"    {s.result} += {p}_slots[{at}].value;"]
    if "tree" in shape.guards:
        lines += [f"{p}_tree_free({p}_root);", f"{p}_root = NULL;"]
    return s.function(head, lines + [f"{s.result} += {counter};" for counter in counters])


def _tree_sum(head: str, shape: Shape, rng: Random, _: list[str]) -> list[str]:
    p = shape.prefix
    return [head, "{", "if (node == NULL)", "    return 0;",
            f"return node->hits + {p}_tree_sum(node->smaller) + {p}_tree_sum(node->larger);", "}"]


def _tree_free(head: str, shape: Shape, rng: Random, _: list[str]) -> list[str]:
    p = shape.prefix
    return [head, "{", "if (node == NULL)", "    return;", f"{p}_tree_free(node->smaller);",
            f"{p}_tree_free(node->larger);", "memory_give(node);", "}"]
