"""Functions of generated modules: what they are called, what they call, and their text."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from computations import GUARDED, UNGUARDED
from guarded import grow_tree, guarded_block, sum_tree
from scope import Scope
from shape import Shape

#: How many lines a function of each kind has, on average; with the short ones this makes about fifty.
LENGTHS = {"pure": 40, "helper": 43, "operation": 56, "composite": 58, "planted": 56}


@dataclass
class Function:
    """One function of a module, before it has a body."""

    name: str
    #: pure: works on its arguments; helper: runs under its caller's lock; operation: takes a lock;
    #: composite: calls others; serve: what threads call.
    kind: str
    #: What its parameters are: numbers, text, values, object, slot or plain.
    takes: str
    guard: str = ""
    static: bool = True
    writing: bool = True
    #: Whom it calls, and whether it does so under its lock.
    calls: list[tuple["Function", bool]] = field(default_factory=list)
    #: The module that it belongs to.
    prefix: str = ""
    #: Statements that it has to make under its lock, with `AT` for the object or the slot's index.
    duties: list[str] = field(default_factory=list)

    def head(self) -> str:
        """The header of its definition."""
        parameters = {"numbers": "long value, long limit", "text": "const char *text, size_t length",
                      "values": "const long *values, int count", "object": f"struct {self.prefix} *object, long value",
                      "slot": "unsigned long at, long value", "plain": "long value"}[self.takes]
        return f"{'static ' if self.static else ''}long {self.name}({parameters})"

    def scope(self, rng: Random) -> Scope:
        """A new inside, with what every function needs."""
        names = {"numbers": ("value", "limit"), "text": ("text", "length"), "values": ("values", "count"),
                 "object": ("object", "value"), "slot": ("at", "value"), "plain": ("value",)}[self.takes]
        scope = Scope(rng, "value", names)
        if "value" not in names:
            scope.declare("long", "value", "(long)length" if self.takes == "text" else "count")
        return scope


def call(s: Scope, callee: Function, own: str = "", foreign: bool = False) -> list[str]:
    """A call; `own` is the object at hand if it is of the callee's module."""
    before: list[str] = []
    if callee.takes == "numbers":
        arguments = f"{s.value}, {s.number(2, 60)}"
    elif callee.takes == "plain":
        arguments = f"{s.value} + {s.number(0, 30)}"
    elif callee.takes == "object":
        arguments = f"{own or f'{callee.prefix}_pick({s.value})'}, {s.value} + {s.number(0, 9)}"
    elif callee.takes == "text":
        phrase = s.declare("char", "phrase", suffix="[40]")
        before = [f'snprintf({phrase}, sizeof {phrase}, "%ld,%ld;%d", {s.value}, {s.result}, {s.number(1, 99)});']
        arguments = f"{phrase}, strlen({phrase})"
    else:
        size = s.number(3, 6)
        series = s.declare("long", "series", suffix=f"[{size}]")
        index = s.declare("int", "index")
        before = [f"for ({index} = 0; {index} < {size}; {index}++)",
                  f"    {series}[{index}] = {s.value} + {index} * {s.number(2, 20)};"]
        arguments = f"{series}, {size}"
    # Calls into other modules are made now and then, so that running the program takes a bounded time.
    if foreign or s.rng.random() < 0.4:
        mask = 15 if foreign else 3
        return [*before, f"if (({s.value} & {mask}) == {s.number(0, mask)})", f"    {s.result} += {callee.name}({arguments});"]
    if s.rng.random() < 0.3:
        got = s.declare("long", "got")
        return [*before, f"{got} = {callee.name}({arguments});", f"if ({got} < 0)", f"    {s.result} -= {s.number(1, 5)};",
                "else", f"    {s.result} += {got} & {s.number(15, 255)};"]
    return [*before, f"{s.result} += {callee.name}({arguments});"]


def mixed(s: Scope, pieces: list[list[str]]) -> list[str]:
    """The pieces in random order, with blank lines between them."""
    s.rng.shuffle(pieces)
    return [line for piece in pieces for line in (*piece, "")]


def filled(s: Scope, pieces: list[list[str]], length: int, blocks=UNGUARDED) -> list[str]:
    """The pieces, and so many computations that the whole has about `length` lines."""
    while sum(len(piece) + 1 for piece in pieces) < length:
        pieces.append(s.rng.choice(blocks)(s))
    return mixed(s, pieces)


def wanted_length(kind: str, rng: Random) -> int:
    """How long a function is to be: most are near the average, a few are long."""
    average = LENGTHS[kind]
    return int(average * (rng.uniform(1.6, 2.6) if rng.random() < 0.08 else rng.uniform(0.4, 1.3)))


def pure(f: Function, rng: Random) -> list[str]:
    """A function of its arguments alone."""
    s = f.scope(rng)
    first: list[str] = []
    if f.takes == "text":
        at = s.declare("size_t", "at")
        first = [f"for ({at} = 0; {at} < length && text[{at}] != '\\0'; {at}++) {{", f"if (text[{at}] == '{rng.choice(',;/:')}')",
                 f"    {s.result} += {s.number(2, 9)};", f"else if (text[{at}] >= '0' && text[{at}] <= '9')",
                 f"    value += text[{at}] - '0';", "}", ""]
    elif f.takes == "values":
        at = s.declare("int", "at")
        first = [f"for ({at} = 0; {at} < count; {at}++) {{", f"if (values[{at}] % {s.number(2, 9)} == 0)", "    continue;",
                 f"{s.result} += values[{at}] & {s.number(15, 255)};", "}", ""]
    else:
        first = [f"if (limit <= 0 || value > limit * {s.number(50, 900)})", f"    return {s.number(0, 5)};", ""]
    pieces = [call(s, callee) for callee, _ in f.calls]
    body = filled(s, pieces, wanted_length("pure", rng) - len(first) - 8)
    return s.function(f.head(), first + body)


def recursive(f: Function, partner: Function, rng: Random) -> list[str]:
    """One of two functions that call each other on smaller and smaller problems."""
    s = f.scope(rng)
    first = ["if (limit > 8)", "    limit = 8;", "if (limit <= 0)", f"    return value & {s.number(15, 127)};", ""]
    body = filled(s, [call(s, callee) for callee, _ in f.calls], wanted_length("pure", rng) - 18)
    down = [f"if (value % {s.number(2, 4)} == 0)", f"    return {s.result} + {partner.name}(value / 2, limit - 1);",
            f"{s.result} += {f.name}(value - {s.number(3, 9)}, limit - 2);"]
    return s.function(f.head(), first + body + down)


def helper(f: Function, shape: Shape, rng: Random) -> list[str]:
    """A function whose caller holds the lock."""
    s = f.scope(rng)
    at = "at" if f.guard == "slots" else "object"
    first = ["/* The caller holds the lock. */"]
    pieces = [guarded_block(s, shape, f.guard, at, f.writing) for _ in range(rng.randint(2, 4))]
    pieces += [helper_call(s, callee, at, f) for callee, _ in f.calls]
    body = filled(s, pieces, wanted_length("helper", rng) - 8, GUARDED)
    return s.function(f.head(), first + body)


def operation(f: Function, shape: Shape, rng: Random) -> list[str]:
    """A function that takes a lock, works under it and releases it."""
    s = f.scope(rng)
    at = "object"
    before: list[list[str]] = []
    if f.guard == "slots":
        at = s.declare("unsigned long", "at")
        before.append([f"{at} = text_hash_number((unsigned long)value) % {shape.slots};"])
    length = wanted_length("operation", rng) - 12
    inside = [guarded_block(s, shape, f.guard, at, f.writing) for _ in range(rng.randint(2, 5))]
    if f.guard == "tree":
        inside += [grow_tree(s, shape, at), sum_tree(s, shape, at)]
    inside += [[duty.replace("AT", at)] for duty in f.duties]
    for callee, under_lock in f.calls:
        if under_lock:
            inside.append(helper_call(s, callee, at, f))
    outside = [call(s, callee, "object" if f.guard == "object" and callee.prefix == f.prefix else "",
                    callee.prefix != f.prefix) for callee, under_lock in f.calls if not under_lock]
    split = rng.randint(0, len(outside))
    inner = mixed(s, inside)
    opening = filled(s, outside[:split], (length - len(inner)) // 2)
    closing = filled(s, outside[split:], (length - len(inner)) // 2)
    opening = [line for piece in before for line in piece] + opening
    lock, unlock = shape.lock(f.guard, at, f.writing), shape.unlock(f.guard, at)
    style = rng.random()
    if style < 0.25:
        leave = s.fresh("out")
        body = [*opening, *lock, f"if ({s.result} < {s.number(-900, -200)}) {{", f"{s.result} = STATUS_REFUSED;",
                f"goto {leave};", "}", "", *inner, f"{leave}:", *unlock, f"if ({s.result} == STATUS_REFUSED)",
                f"    return {s.result};", *closing]
    elif style < 0.45:
        body = [*opening, *lock, f"if ({s.value} == {s.number(400, 999)}) {{", *unlock, "return STATUS_AGAIN;", "}", "",
                *inner, *unlock, *closing]
    elif style < 0.55 and f.guard == "object" and shape.lock_kind == "mutex":
        body = [*opening, f"if (pthread_mutex_trylock(&object->{shape.lock_name}) != 0)", "    return STATUS_AGAIN;",
                *inner, *unlock, *closing]
    else:
        body = [*opening, *lock, *inner, *unlock, *closing]
    return s.function(f.head(), body)


def helper_call(s: Scope, callee: Function, at: str, caller: Function) -> list[str]:
    """A call under the lock: of a helper for the same object, or of whatever takes locks behind this one."""
    if callee.takes == "slot":
        return [f"{s.result} += {callee.name}({at}, {s.value});"]
    own = "object" if callee.takes == "object" and callee.prefix == caller.prefix else ""
    return call(s, callee, own, callee.prefix != caller.prefix)


def composite(f: Function, shape: Shape, rng: Random) -> list[str]:
    """A function that gets its work done by others."""
    s = f.scope(rng)
    object_ = s.declare(f"struct {f.prefix} *", "object", f"{f.prefix}_pick(value)")
    pieces = [call(s, callee, object_ if callee.prefix == f.prefix else "", callee.prefix != f.prefix)
              for callee, _ in f.calls]
    own = [callee for callee, _ in f.calls if callee.takes == "object" and callee.prefix == f.prefix]
    if own and rng.random() < 0.3:
        pieces.append(scratch_object(s, f, rng.choice(own)))
    if not own:
        pieces.append([f"{s.result} += {object_}->id;"])
    if rng.random() < 0.4:
        pieces.append([f"if ({s.result} > {s.number(9000, 90000)})",
                       f'    log_note(LOG_DETAIL, "{f.prefix}: %ld is much", {s.result});'])
    return s.function(f.head(), filled(s, pieces, wanted_length("composite", rng) - 8))


def scratch_object(s: Scope, f: Function, used: Function) -> list[str]:
    """An object that nobody else sees: made, used and freed."""
    scratch = s.declare(f"struct {f.prefix} *", "scratch")
    return [f"{scratch} = {f.prefix}_create((int)({s.value} & 31));", f"if ({scratch} == NULL)",
            "    return STATUS_MEMORY;", f"{s.result} += {used.name}({scratch}, {s.value});", f"{f.prefix}_destroy({scratch});"]


def serve(f: Function, rng: Random) -> list[str]:
    """What threads call: it hands the rounds out to the module's functions."""
    s = f.scope(rng)
    cases = [f"switch ((unsigned long){s.value} % {max(len(f.calls), 1)}) {{"]
    for number, (callee, _) in enumerate(f.calls):
        cases += [f"case {number}:", *call(s, callee), "break;"]
    return s.function(f.head(), [*cases, "default:", "break;", "}"])
