"""Statements that use what a module shares between threads; they stand where its lock is held."""

from __future__ import annotations

from scope import Scope
from shape import Shape


def guarded_block(s: Scope, shape: Shape, guard: str, at: str, writing: bool) -> list[str]:
    """A few random statements on what a guard protects; `at` is the object, or the slot's index."""
    choices = {"object": _object_blocks, "slots": _slot_blocks, "settings": _settings_blocks, "ring": _ring_blocks,
               "tree": _tree_blocks, "totals": _totals_blocks}[guard](shape, writing)
    return s.rng.choice(choices)(s, shape, at)


def _object_blocks(shape: Shape, writing: bool) -> list:
    reading = [_read_scalars, _read_array, _copy_range]
    if shape.list_style != "none":
        reading.append(_walk_entries)
    if not writing:
        return reading
    found = [_change_scalar, _change_scalar, _limit_scalar, _stretch_range, _push_sample, _change_flags, _slot_pointer,
             _read_scalars, _copy_range, _read_array]
    if shape.has_payload:
        found.append(_change_payload)
    if shape.has_label:
        found.append(_rename)
    if shape.has_buffer:
        found.append(_append_text)
    if shape.list_style != "none":
        found += [_add_entry, _walk_entries, _drop_entry]
    return found


def _scalar(s: Scope, shape: Shape) -> str:
    return s.rng.choice(shape.scalars)[1]


def _change_scalar(s: Scope, shape: Shape, at: str) -> list[str]:
    name = _scalar(s, shape)
    return [f"{at}->{name} += {s.value} & {s.number(3, 31)};", f"{s.result} += (long){at}->{name} & 255;"]


def _limit_scalar(s: Scope, shape: Shape, at: str) -> list[str]:
    name, other = _scalar(s, shape), _scalar(s, shape)
    bound = s.number(100, 999)
    return [f"if ({at}->{name} > {bound}) {{", f"{at}->{other}++;", f"{at}->{name} = {s.number(1, 50)};",
            "} else {", f"{at}->{name}++;", "}"]


def _read_scalars(s: Scope, shape: Shape, at: str) -> list[str]:
    one, two = _scalar(s, shape), _scalar(s, shape)
    return [f"if ((long){at}->{one} > {s.number(1, 200)})", f"    {s.result} += (long){at}->{two} % {s.number(7, 99)};"]


def _read_array(s: Scope, shape: Shape, at: str) -> list[str]:
    index = s.declare("unsigned", "index")
    return [f"for ({index} = 0; {index} < {shape.array_size}; {index}++) {{",
            f"if ({at}->{shape.array}[{index}] > {s.number(10, 500)})",
            f"    {s.result} += {at}->{shape.array}[{index}] & {s.number(3, 63)};", "}"]


def _copy_range(s: Scope, shape: Shape, at: str) -> list[str]:
    seen = s.declare(f"struct {shape.prefix}_range", "seen")
    name = s.rng.choice(shape.ranges)
    return [f"{seen} = {at}->{name};", f"{s.result} += {seen}.high - {seen}.low + (long){seen}.hits;"]


def _stretch_range(s: Scope, shape: Shape, at: str) -> list[str]:
    name = s.rng.choice(shape.ranges)
    range_ = s.declare(f"struct {shape.prefix}_range *", "range")
    return [f"{range_} = &{at}->{name};", f"if ({s.value} < {range_}->low)", f"    {range_}->low = {s.value};",
            f"if ({s.value} > {range_}->high)", f"    {range_}->high = {s.value};", f"{at}->{name}.hits++;"]


def _push_sample(s: Scope, shape: Shape, at: str) -> list[str]:
    array = shape.array
    return [f"{at}->{array}[{at}->{array}_at % {shape.array_size}] = {s.value};", f"{at}->{array}_at++;",
            f"{s.result} += {at}->{array}_at & 7;"]


def _slot_pointer(s: Scope, shape: Shape, at: str) -> list[str]:
    slot = s.declare("long *", "slot")
    return [f"{slot} = &{at}->{shape.array}[(unsigned long){s.value} % {shape.array_size}];", f"*{slot} += {s.number(1, 9)};",
            f"{s.result} += *{slot} & 15;"]


def _change_flags(s: Scope, shape: Shape, at: str) -> list[str]:
    one, two = s.rng.sample(shape.flags, 2)
    return [f"if ({at}->{one}) {{", f"{at}->{one} = 0;", f"{at}->mode = (unsigned)({s.value} & 7);", "} else {",
            f"{at}->{two} = {s.value} > {s.number(0, 60)};", "}"]


def _change_payload(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f"switch ({at}->payload_kind) {{", "case 0:", f"{at}->payload.number += {s.value};", "break;", "case 1:",
            f"{at}->payload.real *= 1.{s.number(1, 9)};", "break;", "default:",
            f"memcpy({at}->payload.text, \"reset\", 6);", f"{at}->payload_kind = 0;", "break;", "}"]


def _rename(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f'snprintf({at}->label, sizeof {at}->label, "%s-%d", "{shape.prefix[:8]}", (int)({s.value} & 0xff));',
            f"{s.result} += (long)strlen({at}->label);"]


def _append_text(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f"if ({at}->buffer_used + 8 > {at}->buffer_size) {{",
            f"char *larger = realloc({at}->buffer, {at}->buffer_size * 2);", "", "if (larger != NULL) {",
            f"{at}->buffer = larger;", f"{at}->buffer_size *= 2;", "}", "}",
            f"if ({at}->buffer_used + 8 <= {at}->buffer_size && {at}->buffer_used < 4096)",
            f"    {at}->buffer[{at}->buffer_used++] = (char)('a' + ({s.value} & 7));"]


def _add_entry(s: Scope, shape: Shape, at: str) -> list[str]:
    entry = s.declare(f"struct {shape.prefix}_entry *", "entry")
    link = f"list_add(&{at}->entries, &{entry}->link);" if shape.list_style == "embedded" else \
        f"{entry}->next = {at}->entries;\n{at}->entries = {entry};"
    return [f"{entry} = memory_take(sizeof *{entry});", f"if ({entry} != NULL) {{", f"{entry}->key = {s.value};",
            f"{entry}->weight = {s.number(1, 40)};", f'snprintf({entry}->tag, sizeof {entry}->tag, "%d", {at}->id);',
            *link.split("\n"), f"{at}->entry_count++;", "}"]


def _drop_entry(s: Scope, shape: Shape, at: str) -> list[str]:
    entry = s.declare(f"struct {shape.prefix}_entry *", "entry")
    if shape.list_style == "embedded":
        return [f"if (!list_is_empty(&{at}->entries)) {{",
                f"{entry} = CONTAINER_OF({at}->entries.next, struct {shape.prefix}_entry, link);",
                f"list_remove(&{entry}->link);", f"{s.result} += {entry}->weight;", f"memory_give({entry});",
                f"{at}->entry_count--;", "}"]
    return [f"{entry} = {at}->entries;", f"if ({entry} != NULL) {{", f"{at}->entries = {entry}->next;",
            f"{s.result} += {entry}->weight;", f"memory_give({entry});", f"{at}->entry_count--;", "}"]


def _walk_entries(s: Scope, shape: Shape, at: str) -> list[str]:
    if shape.list_style == "embedded":
        node = s.declare("struct list_node *", "node")
        return [f"for ({node} = {at}->entries.next; {node} != &{at}->entries; {node} = {node}->next) {{",
                f"const struct {shape.prefix}_entry *entry = CONTAINER_OF({node}, struct {shape.prefix}_entry, link);", "",
                f"if (entry->key > {s.number(5, 90)})", f"    {s.result} += entry->weight;", "}"]
    entry = s.declare(f"const struct {shape.prefix}_entry *", "entry")
    return [f"for ({entry} = {at}->entries; {entry} != NULL; {entry} = {entry}->next) {{",
            f"if ({entry}->key == {s.value})", f"    {s.result} += {entry}->weight;",
            f"else if ({entry}->tag[0] == '{s.number(0, 9)}')", f"    {s.result}++;", "}"]


def _slot_blocks(shape: Shape, writing: bool) -> list:
    return [_change_slot, _replace_slot, _read_slot]


def _change_slot(s: Scope, shape: Shape, at: str) -> list[str]:
    p = shape.prefix
    return [f"if ({p}_slots[{at}].key == {s.value}) {{", f"{p}_slots[{at}].uses++;", "} else {",
            f"{p}_slots[{at}].key = {s.value};", f"{p}_slots[{at}].value += {s.number(1, 30)};", "}"]


def _replace_slot(s: Scope, shape: Shape, at: str) -> list[str]:
    slot = s.declare(f"struct {shape.prefix}_slot *", "slot")
    return [f"{slot} = &{shape.prefix}_slots[{at}];", f"if ({slot}->uses > {s.number(3, 50)})",
            f"    memset({slot}, 0, sizeof *{slot});", f"{slot}->value = {s.value};", f"{slot}->uses++;"]


def _read_slot(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f"if ({shape.prefix}_slots[{at}].key != 0)",
            f"    {s.result} += {shape.prefix}_slots[{at}].value & {s.number(7, 127)};"]


def _settings_blocks(shape: Shape, writing: bool) -> list:
    return [_change_setting, _reset_origin] if writing else [_read_setting, _compare_settings]


def _change_setting(s: Scope, shape: Shape, at: str) -> list[str]:
    name = s.rng.choice(shape.settings)[1]
    p = shape.prefix
    return [f"if ({p}_settings.{name} < {s.number(50, 200)})", f"    {p}_settings.{name} += {s.value} & 3;",
            "else", f"    {p}_settings.{name} = {s.number(1, 20)};"]


def _reset_origin(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f'snprintf({shape.prefix}_settings.origin, sizeof {shape.prefix}_settings.origin, "v%d", (int)({s.value} & 63));']


def _read_setting(s: Scope, shape: Shape, at: str) -> list[str]:
    name = s.rng.choice(shape.settings)[1]
    return [f"{s.result} += {shape.prefix}_settings.{name} * {s.number(2, 6)};",
            f"if ({shape.prefix}_settings.origin[0] == 'v')", f"    {s.result}++;"]


def _compare_settings(s: Scope, shape: Shape, at: str) -> list[str]:
    one, two = (name for _, name in s.rng.sample(shape.settings, 2))
    return [f"if ({shape.prefix}_settings.{one} > {shape.prefix}_settings.{two})", f"    {s.result} -= {s.number(1, 9)};"]


def _ring_blocks(shape: Shape, writing: bool) -> list:
    return [_push_ring, _pop_ring]


def _push_ring(s: Scope, shape: Shape, at: str) -> list[str]:
    p, size = shape.prefix, shape.ring_size
    return [f"if ({p}_ring_head - {p}_ring_tail < {size}) {{", f"{p}_ring[{p}_ring_head % {size}].amount = {s.value};",
            f"{p}_ring[{p}_ring_head % {size}].source = {s.number(1, 9)};", f"{p}_ring_head++;", "}"]


def _pop_ring(s: Scope, shape: Shape, at: str) -> list[str]:
    p, size = shape.prefix, shape.ring_size
    return [f"while ({p}_ring_tail != {p}_ring_head) {{", f"{s.result} += {p}_ring[{p}_ring_tail % {size}].amount & 31;",
            f"if ({p}_ring[{p}_ring_tail++ % {size}].source == {s.number(1, 9)})", "    break;", "}"]


def _tree_blocks(shape: Shape, writing: bool) -> list:
    return [grow_tree, _find_in_tree, sum_tree]


def grow_tree(s: Scope, shape: Shape, at: str) -> list[str]:
    p = shape.prefix
    place = s.declare(f"struct {p}_node **", "place")
    return [f"{place} = &{p}_root;", f"while (*{place} != NULL && (*{place})->key != ({s.value} & 63))",
            f"    {place} = ({s.value} & 63) < (*{place})->key ? &(*{place})->smaller : &(*{place})->larger;",
            f"if (*{place} == NULL && {p}_nodes < 64) {{", f"*{place} = memory_take(sizeof **{place});",
            f"if (*{place} != NULL) {{", f"(*{place})->key = {s.value} & 63;", f"{p}_nodes++;", "}",
            f"}} else if (*{place} != NULL) {{", f"(*{place})->hits++;", "}"]


def _find_in_tree(s: Scope, shape: Shape, at: str) -> list[str]:
    node = s.declare(f"const struct {shape.prefix}_node *", "node")
    return [f"for ({node} = {shape.prefix}_root; {node} != NULL;) {{", f"if ({node}->key == ({s.value} & 63)) {{",
            f"{s.result} += {node}->hits;", "break;", "}",
            f"{node} = ({s.value} & 63) < {node}->key ? {node}->smaller : {node}->larger;", "}"]


def sum_tree(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f"{s.result} += {shape.prefix}_tree_sum({shape.prefix}_root) & 1023;"]


def _totals_blocks(shape: Shape, writing: bool) -> list:
    return [_change_total, _count_mode, _read_totals]


def _change_total(s: Scope, shape: Shape, at: str) -> list[str]:
    one, two = (name for _, name in s.rng.sample(shape.totals, 2))
    p = shape.prefix
    return [f"{p}_totals.{one} += {s.value} & 63;", f"if ({p}_totals.{one} > {s.number(500, 5000)}) {{",
            f"{p}_totals.{two}++;", f"{p}_totals.{one} = 0;", "}"]


def _count_mode(s: Scope, shape: Shape, at: str) -> list[str]:
    return [f"{shape.prefix}_totals.by_mode[(unsigned long){s.value} % 8] += {s.number(1, 4)};"]


def _read_totals(s: Scope, shape: Shape, at: str) -> list[str]:
    struct = s.declare(f"struct {shape.prefix}_totals", "totals_now")
    name = shape.totals[0][1]
    return [f"{struct} = {shape.prefix}_totals;", f"{s.result} += {struct}.{name} + {struct}.by_mode[{s.number(0, 7)}];"]
