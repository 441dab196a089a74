"""One generated module: a source file and its header."""

from __future__ import annotations

from random import Random

import functions
from functions import Function
from lifecycle import lifecycle
from planting import MARK, Planter, functions_needed, possible_kinds, takes_object
from scope import Scope, indented
from shape import LOCK_ORDER, Shape
from words import Names

#: What a module's functions are, in percent, after those that every module has.
SHARES = {"pure": 34, "helper": 20, "operation": 30, "composite": 16}
#: With so many there is an operation for each of the module's locks.
FEWEST = 20


class Module:
    """A module; it is written when it is made, so those that it uses have to be there."""

    def __init__(self, directory: str, prefix: str, budget: int, planted: int, first_race: int,
                 uses: list["Module"], rng: Random) -> None:
        self.prefix = prefix
        self.directory = directory
        self.source = f"{directory}/{prefix}.c"
        self.header = f"{directory}/{prefix}.h"
        self._rng = rng
        self._names = Names()
        self._uses = uses
        self.shape = Shape(prefix, rng)
        self._budget = budget
        self._plan(budget, planted)
        self._connect()
        self._planter = Planter(self.shape, rng, first_race)
        for f, kind in self._broken:
            guard, statement = self._planter.choose(f, kind)
            if guard:
                rng.choice([g for g in self._operations if g.guard == guard and g.writing]).duties.append(statement)
        self._write(first_race)

    # What there is.

    def _plan(self, budget: int, planted: int) -> None:
        rng, shape, p = self._rng, self.shape, self.prefix
        kinds = possible_kinds(shape)
        self._broken = [(self._function("planted", "object" if takes_object(kind, shape) else "numbers", static=False), kind)
                        for kind in (rng.choice(kinds) for _ in range(planted))]
        taken = sum(functions_needed(kind) for _, kind in self._broken)
        taken += len(shape.wrappers()) + len(lifecycle(shape, Random(0), [])) + 1
        self._transfers = shape.lock_kind == "mutex" and rng.random() < 0.4
        self._dispatches = shape.has_operations
        taken += self._transfers + self._dispatches
        rest = budget - taken
        if rest < FEWEST:
            raise ValueError(f"a module of {budget} functions is too small")
        counts = {kind: rest * share // 100 for kind, share in SHARES.items()}
        counts["pure"] += rest - sum(counts.values())
        self._serve = Function(f"{p}_serve", "serve", "plain", static=False, prefix=p)
        self._composites = [self._function("composite", "plain", static=False) for _ in range(counts["composite"])]
        self._operations = [self._operation() for _ in range(counts["operation"])]
        for guard, f in zip(shape.guards, self._operations):
            self._assign(guard, f)
        self._handlers = []
        if self._dispatches:
            fitting = [f for f in self._operations if f.guard == "object"]
            self._handlers = fitting[:rng.randint(2, 6)]
            self._dispatch = Function(f"{p}_dispatch", "dispatch", "object", static=False, prefix=p)
        self._helpers = [self._helper() for _ in range(counts["helper"])]
        self._pures = [self._function("pure", rng.choice(("numbers", "numbers", "text", "values")))
                       for _ in range(counts["pure"])]
        numeric = [f for f in self._pures if f.takes == "numbers"]
        self._pair = tuple(numeric[-2:]) if len(numeric) > 3 and rng.random() < 0.5 else ()
        if self._transfers:
            self._transfer = Function(f"{p}_transfer", "transfer", "plain", static=False, prefix=p)

    def _function(self, kind: str, takes: str, static: bool = True, guard: str = "", writing: bool = True) -> Function:
        return Function(self._names.verb(self.prefix, self._rng), kind, takes, guard, static, writing, prefix=self.prefix)

    def _operation(self) -> Function:
        guard = "object" if self._rng.random() < 0.5 else self._rng.choice(self.shape.guards)
        readers = guard == "settings" or guard == "object" and self.shape.lock_kind == "rwlock"
        return self._function("operation", "object" if guard == "object" else "numbers", False, guard,
                              not readers or self._rng.random() < 0.6)

    def _assign(self, guard: str, f: Function) -> None:
        """Makes an operation one that writes under this lock."""
        f.guard, f.writing = guard, True
        f.takes = "object" if guard == "object" else "numbers"

    def _helper(self) -> Function:
        # Only writers call helpers, so helpers may write; a settings' helper needs a writer to call it.
        fitting = [f for f in self._operations if f.writing]
        guard = self._rng.choice(fitting).guard
        return self._function("helper", {"object": "object", "slots": "slot"}.get(guard, "numbers"), True, guard)

    # Who calls whom.

    def _connect(self) -> None:
        rng = self._rng
        pair = set(id(f) for f in self._pair)
        for at, callee in enumerate(self._pures):
            above = self._composites + self._operations + self._helpers + [f for f in self._pures[:at] if id(f) not in pair]
            self._call_from(above, callee, lambda f: f.kind in ("operation", "helper") and rng.random() < 0.4)
        for at, callee in enumerate(self._helpers):
            above = [f for f in self._operations if f.guard == callee.guard and f.writing]
            above += [f for f in self._helpers[:at] if f.guard == callee.guard]
            self._call_from(above, callee, lambda f: True)
        for callee in self._operations:
            if callee in self._handlers:
                continue
            nesting = [f for f in self._operations
                       if f is not callee and LOCK_ORDER.index(f.guard) < LOCK_ORDER.index(callee.guard)]
            if nesting and rng.random() < 0.3:
                rng.choice(nesting).calls.append((callee, True))
            self._call_from(self._composites or [self._serve], callee, lambda f: False)
        for callee in self._composites:
            self._serve.calls.append((callee, False))
        for callee, _ in self._broken:
            for caller in rng.sample(self._composites, min(2, len(self._composites))):
                caller.calls.append((callee, False))
        if self._dispatches:
            self._call_from(self._composites, self._dispatch, lambda f: False)
        if self._transfers:
            self._serve.calls.append((self._transfer, False))
        if self._uses:
            for caller in self._composites + self._operations:
                if rng.random() < (0.8 if caller.kind == "composite" else 0.3):
                    callee = rng.choice(rng.choice(self._uses).public())
                    caller.calls.append((callee, caller.kind == "operation" and rng.random() < 0.4))

    def _call_from(self, callers: list[Function], callee: Function, under_lock) -> None:
        for _ in range(1 + (self._rng.random() < 0.4)):
            caller = self._rng.choice(callers)
            caller.calls.append((callee, under_lock(caller)))

    def public(self) -> list[Function]:
        """What other modules may call."""
        return self._operations + self._composites[:3]

    # The text.

    def _write(self, first_race: int) -> None:
        rng, shape = self._rng, self.shape
        texts = [functions.recursive(f, self._pair[1 - self._pair.index(f)], rng) if f in self._pair
                 else functions.pure(f, rng) for f in reversed(self._pures)]
        texts += [functions.helper(f, shape, rng) for f in reversed(self._helpers)]
        nested_last = sorted(self._operations, key=lambda f: -LOCK_ORDER.index(f.guard))
        texts += [functions.operation(f, shape, rng) for f in nested_last]
        for f, kind in self._broken:
            texts += self._planter.plant(f, kind)
        self.races = self._planter.races
        if self._dispatches:
            texts.append(self._dispatch_text())
        if self._transfers:
            texts.append(self._transfer_text())
        texts += [functions.composite(f, shape, rng) for f in self._composites]
        texts.append(functions.serve(self._serve, rng))
        ends = lifecycle(shape, rng, self._planter.counters)
        own = [lines for _, public, lines in ends if not public]
        public = [lines for _, public, lines in ends if public]
        wrappers = [lines for _, lines in shape.wrappers()]
        forward = [f"{f.head()};" for f in self._pair]
        everything = [*wrappers, *own, *public, *texts]
        if len(everything) != self._budget:
            raise AssertionError(f"{self.prefix} has {len(everything)} functions, planned were {self._budget}")
        lines = [f"/* The {self.prefix.replace('_', ' ')}. */", f'#include "{self.header}"', "",
                 *sorted({f'#include "{m.header}"' for m in self._uses}), '#include "common/log.h"',
                 '#include "common/memory.h"', '#include "common/text.h"', "", "#include <stdio.h>", "#include <stdlib.h>",
                 "#include <string.h>", "", *shape.variables(), *(f"static long {c};" for c in self._planter.counters), *forward, ""]
        for text in everything:
            lines += [*text, ""]
        self.source_lines = self._resolve_marks(indented(lines), first_race)
        self.header_lines = indented(self._header([head for head, is_public, _ in ends if is_public]))

    def _resolve_marks(self, lines: list[str], first_race: int) -> list[str]:
        """Takes the marks off the racing lines, and notes where those lines are."""
        out = []
        for number, line in enumerate(lines, start=1):
            text, marked, race = line.partition(MARK)
            if marked:
                planted = self.races[int(race) - first_race]
                planted.file = self.source
                planted.lines.append(number)
            out.append(text)
        return out

    def _header(self, lifecycle_heads: list[str]) -> list[str]:
        guard = f"{self.prefix.upper()}_H"
        public = self._operations + [f for f, _ in self._broken] + self._composites + [self._serve]
        public += [self._dispatch] if self._dispatches else []
        public += [self._transfer] if self._transfers else []
        return [f"/* The {self.prefix.replace('_', ' ')}, for those who use it. */", f"#ifndef {guard}", f"#define {guard}", "",
                "#include <pthread.h>", "#include <stddef.h>", "", '#include "common/list.h"', '#include "common/status.h"', "",
                *self.shape.types(), *(f"{head};" for head in lifecycle_heads), *(f"{f.head()};" for f in public), "", "#endif"]

    def _dispatch_text(self) -> list[str]:
        p = self.prefix
        rows = [f'{{"{f.name.removeprefix(p + "_")}", {f.name}}},' for f in self._handlers]
        return [f"static const struct {p}_handler {{", "const char *name;", f"long (*handle)(struct {p} *object, long value);",
                f"}} {p}_handlers[] = {{", *rows, "};", "",
                self._dispatch.head(), "{", f"const struct {p}_handler *handler;", "",
                f"handler = &{p}_handlers[(unsigned long)value % {len(rows)}];", "if (handler->name[0] == '\\0')",
                "    return STATUS_REFUSED;", "return handler->handle(object, value);", "}"]

    def _transfer_text(self) -> list[str]:
        p, shape = self.prefix, self.shape
        s = Scope(self._rng, "value", ("value",))
        numeric = [name for kind, name in shape.scalars]
        source, target = self._rng.sample(numeric, 2)
        for name in ("from", "to", "first", "second"):
            s.declare(f"struct {p} *", name)
        return s.function(self._transfer.head(), [
            f"from = {p}_pick(value);", f"to = {p}_pick(value + 1);", "if (from == to)", "    return 0;",
            "first = from->id < to->id ? from : to;", "second = first == from ? to : from;",
            shape.lock_object("first"), shape.lock_object("second"), f"from->{source} -= value & 3;",
            f"to->{target} += value & 3;", f"{s.result} = (long)to->{target} & 127;", shape.unlock_object("second"),
            shape.unlock_object("first")])
