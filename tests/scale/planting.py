"""Functions with a race that was put there on purpose."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from functions import Function, call, filled, wanted_length
from guarded import guarded_block
from scope import Scope
from shape import Shape

#: Stands behind a racing line until the file is written, with the number of its race.
MARK = "\0"


@dataclass
class Planted:
    """A race on purpose; files and lines are known when the module is written."""

    kind: str
    function: str
    #: The member or global that is raced for, and how the program spells it.
    variable: str
    expression: str
    file: str = ""
    lines: list[int] = field(default_factory=list)


def possible_kinds(shape: Shape) -> list[str]:
    """What can be broken in a module of this shape."""
    kinds = ["forgotten lock", "lock of another object", "access after unlocking", "read without the lock",
             "helper without the lock", "counter without a lock", "error path without the lock"]
    if "settings" in shape.guards or shape.lock_kind == "rwlock":
        kinds.append("write under the read lock")
    if "slots" in shape.guards:
        kinds.append("lock of another stripe")
    if "totals" in shape.guards:
        kinds += ["statistics without the lock", "lock of something else"]
    return kinds


def takes_object(kind: str, shape: Shape) -> bool:
    """Whether the function that is broken this way works on an object."""
    if kind == "write under the read lock":
        return "settings" not in shape.guards
    return kind not in ("statistics without the lock", "lock of another stripe", "counter without a lock")


def functions_needed(kind: str) -> int:
    """How many functions a race of this kind takes."""
    return 2 if kind == "helper without the lock" else 1


class Planter:
    """Writes the broken functions of one module."""

    def __init__(self, shape: Shape, rng: Random, first: int) -> None:
        self._shape = shape
        self._rng = rng
        self._first = first
        self._free = [name for _, name in shape.scalars]
        rng.shuffle(self._free)
        self._chosen: dict[str, str] = {}
        self.races: list[Planted] = []
        #: Globals that only the broken functions use.
        self.counters: list[str] = []

    def choose(self, f: Function, kind: str) -> tuple[str, str]:
        """Chooses what is raced for; returns which lock guards it and what disciplined code has to do there.

        A lock that is always the same wrong one still excludes; the race is with the code that takes the right one.
        """
        if kind == "lock of another stripe":
            return "slots", f"{self._shape.prefix}_slots[AT].uses++;"
        if not takes_object(kind, self._shape):
            return "", ""
        name = self._chosen[f.name] = self._free.pop()
        return "object", f"AT->{name} += {self._rng.randint(1, 9)};"

    def plant(self, f: Function, kind: str) -> list[list[str]]:
        """The text of the functions of one race."""
        s = f.scope(self._rng)
        shape, p = self._shape, self._shape.prefix
        field_ = self._chosen.get(f.name, "")
        member = f"object->{field_}"
        mark = MARK + str(self._first + len(self.races))
        outside = [call(s, callee, "object" if callee.prefix == f.prefix and f.takes == "object" else "",
                        callee.prefix != f.prefix) for callee, _ in f.calls]
        length = wanted_length("planted", self._rng)
        lock, unlock = shape.lock_object("object"), shape.unlock_object("object")
        more: list[list[str]] = []
        if kind == "forgotten lock":
            core = [f"{member} += {s.value} & {s.number(3, 15)};{mark}"]
        elif kind == "lock of another object":
            peer = s.declare(f"struct {p} *", "peer", f"{p}_pick(object->id + 1)")
            core = [shape.lock_object(peer), f"{member} -= {s.value} & 7;{mark}", shape.unlock_object(peer)]
        elif kind == "access after unlocking":
            core = [lock, *guarded_block(s, shape, "object", "object", True), unlock, f"{member} = {s.number(1, 9)};{mark}"]
        elif kind == "read without the lock":
            core = [f"{s.result} += (long){member} & 31;{mark}"]
        elif kind == "helper without the lock":
            name = f"{f.name}_step"
            inner = Scope(self._rng, "value", ("object", "value"))
            change = [f"{member} += {inner.value} & 3;{mark}", f"{inner.result} += value & 1;"]
            more = [inner.function(f"static long {name}(struct {p} *object, long value)",
                                   change + filled(inner, [], length // 2))]
            core = [lock, f"{s.result} += {name}(object, {s.value});", unlock, f"if ({s.result} > {s.number(3, 60)})",
                    f"    {s.result} += {name}(object, {s.value} + 1);"]
        elif kind == "counter without a lock":
            member = f"{p}_{f.name.removeprefix(p + '_')}_calls"
            field_ = member
            self.counters.append(member)
            core = [f"{member}++;{mark}"]
        elif kind == "error path without the lock":
            core = [f"if ({s.value} % {s.number(3, 7)} == 1) {{", f"{member}++;{mark}", "return STATUS_REFUSED;", "}", lock,
                    *guarded_block(s, shape, "object", "object", True), unlock]
        elif kind == "write under the read lock" and f.takes == "object":
            core = [shape.lock_object("object", writing=False), f"{member} = {s.value};{mark}", unlock]
        elif kind == "write under the read lock":
            field_ = shape.settings[0][1]
            member = f"{p}_settings.{field_}"
            core = [*shape.lock("settings", "", False), f"{member} += {s.number(1, 4)};{mark}", *shape.unlock("settings", "")]
        elif kind == "lock of another stripe":
            at = s.declare("unsigned long", "at", f"(unsigned long)value % {shape.slots}")
            field_, member = "uses", f"{p}_slots[{at}].uses"
            stripe = f"{p}_slot_locks[({at} + 1) % {shape.stripes}]"
            core = [f"pthread_mutex_lock(&{stripe});", f"{member}++;{mark}", f"pthread_mutex_unlock(&{stripe});"]
        elif kind == "statistics without the lock":
            field_ = shape.totals[-1][1]
            member = f"{p}_totals.{field_}"
            core = [f"{member} += {s.value} & 1;{mark}"]
        else:
            core = [*shape.lock("totals", "", True), f"{member} += {s.number(1, 6)};{mark}", *shape.unlock("totals", "")]
        self.races.append(Planted(kind, f.name, field_, member))
        half = max((length - len(core)) // 2, 4)
        body = [*filled(s, outside, half), *core, "", *filled(s, [], half)]
        return [*more, s.function(f.head(), body)]
