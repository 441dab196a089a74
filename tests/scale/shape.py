"""What the data of one generated module looks like: its object, its globals and the locks that guard them."""

from __future__ import annotations

from random import Random

import words

#: The order in which the locks of one module are taken; a lock is only ever taken under those before it.
LOCK_ORDER = ("object", "slots", "settings", "ring", "tree", "totals")


class Shape:
    """The types and variables of a module, drawn at random."""

    def __init__(self, prefix: str, rng: Random) -> None:
        self.prefix = prefix
        self.macro = prefix.upper()
        self.lock_kind = rng.choices(("mutex", "rwlock", "spin"), (6, 3, 2))[0]
        self.lock_style = rng.choice(("call", "macro", "wrapper"))
        self.lock_name = rng.choice(("lock", "mutex", "guard"))
        self.lock_last = rng.random() < 0.3
        fields = rng.sample(words.FIELDS, 9)
        self.scalars = [(rng.choice(("long", "int", "long", "unsigned", "size_t")), name) for name in fields[:6]]
        self.totals = [("long", name) for name in fields[6:]]
        self.ranges = rng.sample(words.RANGES, rng.randint(1, 2))
        self.array, self.array_size = rng.choice(words.ARRAYS), rng.choice((4, 8, 16))
        self.flags = rng.sample(words.FLAGS, rng.randint(2, 4))
        self.has_payload = rng.random() < 0.5
        self.has_buffer = rng.random() < 0.4
        self.has_label = rng.random() < 0.7
        self.list_style = rng.choices(("next", "embedded", "none"), (5, 3, 2))[0]
        self.objects = rng.randint(2, 6)
        self.slots, self.stripes = rng.choice((16, 32, 64)), rng.choice((4, 8))
        self.settings = [("long", name) for name in rng.sample(("timeout", "quota", "threshold", "depth", "factor"), 3)]
        self.ring_size = rng.choice((16, 32))
        self.global_style = rng.choice(("call", "wrapper", "macro"))
        others = rng.sample(LOCK_ORDER[1:], rng.randint(2, 4))
        self.guards = [guard for guard in LOCK_ORDER if guard == "object" or guard in others]
        self.has_operations = rng.random() < 0.6

    def types(self) -> list[str]:
        """The module's types, for its header."""
        p = self.prefix
        lines = [f"struct {p}_range {{", "long low;", "long high;", "unsigned hits;", "};", ""]
        if self.list_style != "none":
            link = "struct list_node link;" if self.list_style == "embedded" else f"struct {p}_entry *next;"
            lines += [f"struct {p}_entry {{", "long key;", "long weight;", "char tag[12];", link, "};", ""]
        lock = f"{self.lock_type()} {self.lock_name};"
        lines += [f"struct {p} {{", *([] if self.lock_last else [lock]), "int id;"]
        lines += [f"{kind} {name};" for kind, name in self.scalars]
        lines += [f"struct {p}_range {name};" for name in self.ranges]
        lines += [f"long {self.array}[{self.array_size}];", f"unsigned {self.array}_at;"]
        lines += [f"unsigned {name} : 1;" for name in self.flags] + ["unsigned mode : 3;"]
        if self.has_payload:
            lines += ["int payload_kind;", "union {", "long number;", "double real;", "char text[8];", "} payload;"]
        if self.has_label:
            lines += ["char label[24];"]
        if self.has_buffer:
            lines += ["char *buffer;", "size_t buffer_used;", "size_t buffer_size;"]
        if self.list_style != "none":
            head = "struct list_node entries;" if self.list_style == "embedded" else f"struct {p}_entry *entries;"
            lines += [head, "unsigned entry_count;"]
        lines += [*([lock] if self.lock_last else []), "};", ""]
        if self.lock_style == "macro":
            for macro, writing, acquire in (("LOCK", True, True), ("READ", False, True), ("UNLOCK", True, False)):
                call = self._object_call("object", writing, acquire).replace("&object->", "&(object)->")
                lines += [f"#define {self.macro}_{macro}(object) {call.rstrip(';')}"]
            lines += [""]
        return lines

    def variables(self) -> list[str]:
        """The module's own variables, for its source file."""
        p = self.prefix
        lines = [f"static struct {p} *{p}_objects[{self.objects}];"]
        if "slots" in self.guards:
            lines += [f"struct {p}_slot {{", "long key;", "long value;", "unsigned uses;", "};",
                      f"static struct {p}_slot {p}_slots[{self.slots}];",
                      f"static pthread_mutex_t {p}_slot_locks[{self.stripes}];"]
        if "settings" in self.guards:
            lines += [f"static struct {p}_settings {{", *(f"{kind} {name};" for kind, name in self.settings),
                      "char origin[16];", f"}} {p}_settings;",
                      f"static pthread_rwlock_t {p}_settings_lock = PTHREAD_RWLOCK_INITIALIZER;"]
        if "ring" in self.guards:
            lines += [f"static struct {{", "long amount;", "int source;", f"}} {p}_ring[{self.ring_size}];",
                      f"static unsigned {p}_ring_head;", f"static unsigned {p}_ring_tail;",
                      f"static pthread_mutex_t {p}_ring_lock = PTHREAD_MUTEX_INITIALIZER;"]
        if "tree" in self.guards:
            lines += [f"struct {p}_node {{", "long key;", "long hits;", f"struct {p}_node *smaller;",
                      f"struct {p}_node *larger;", "};", f"static struct {p}_node *{p}_root;",
                      f"static unsigned {p}_nodes;",
                      f"static pthread_mutex_t {p}_tree_lock = PTHREAD_MUTEX_INITIALIZER;"]
        if "totals" in self.guards:
            lines += [f"static struct {p}_totals {{", *(f"{kind} {name};" for kind, name in self.totals),
                      "long by_mode[8];", f"}} {p}_totals;",
                      f"static pthread_mutex_t {p}_totals_lock = PTHREAD_MUTEX_INITIALIZER;"]
            if self.global_style == "macro":
                lines += [f"#define {self.macro}_BEGIN() pthread_mutex_lock(&{p}_totals_lock)",
                          f"#define {self.macro}_END() pthread_mutex_unlock(&{p}_totals_lock)"]
        return [*lines, ""]

    def lock_type(self) -> str:
        """The type of the object's lock."""
        return {"mutex": "pthread_mutex_t", "rwlock": "pthread_rwlock_t", "spin": "pthread_spinlock_t"}[self.lock_kind]

    def _object_call(self, expression: str, writing: bool, acquire: bool) -> str:
        where = f"&{expression}->{self.lock_name}"
        if self.lock_kind == "rwlock":
            verb = ("wrlock" if writing else "rdlock") if acquire else "unlock"
            return f"pthread_rwlock_{verb}({where});"
        kind = "spin" if self.lock_kind == "spin" else "mutex"
        return f"pthread_{kind}_{'lock' if acquire else 'unlock'}({where});"

    def lock_object(self, expression: str, writing: bool = True) -> str:
        """The statement that locks an object, in the module's way."""
        if self.lock_style == "macro":
            return f"{self.macro}_{'LOCK' if writing else 'READ'}({expression});"
        if self.lock_style == "wrapper" and writing:
            return f"{self.prefix}_enter({expression});"
        return self._object_call(expression, writing, True)

    def unlock_object(self, expression: str) -> str:
        """The statement that unlocks an object, in the module's way."""
        if self.lock_style == "macro":
            return f"{self.macro}_UNLOCK({expression});"
        if self.lock_style == "wrapper":
            return f"{self.prefix}_leave({expression});"
        return self._object_call(expression, True, False)

    def wrappers(self) -> list[tuple[str, list[str]]]:
        """The functions that lock for others: names and lines."""
        p = self.prefix
        found = []
        if self.lock_style == "wrapper":
            for name, acquire in (("enter", True), ("leave", False)):
                found.append((f"{p}_{name}", [f"static void {p}_{name}(struct {p} *object)", "{",
                                              self._object_call("object", True, acquire), "}"]))
        if "totals" in self.guards and self.global_style == "wrapper":
            for name, verb in (("begin", "lock"), ("end", "unlock")):
                found.append((f"{p}_{name}", [f"static void {p}_{name}(void)", "{",
                                              f"pthread_mutex_{verb}(&{p}_totals_lock);", "}"]))
        return found

    def lock(self, guard: str, at: str, writing: bool) -> list[str]:
        """The statements that take a guard's lock; `at` is the object, or the slot's index."""
        p = self.prefix
        if guard == "object":
            return [self.lock_object(at, writing)]
        if guard == "slots":
            return [f"pthread_mutex_lock(&{p}_slot_locks[{at} % {self.stripes}]);"]
        if guard == "settings":
            return [f"pthread_rwlock_{'wrlock' if writing else 'rdlock'}(&{p}_settings_lock);"]
        if guard == "totals" and self.global_style != "call":
            return [f"{p}_begin();" if self.global_style == "wrapper" else f"{self.macro}_BEGIN();"]
        return [f"pthread_mutex_lock(&{p}_{guard}_lock);"]

    def unlock(self, guard: str, at: str) -> list[str]:
        """The statements that release a guard's lock."""
        p = self.prefix
        if guard == "object":
            return [self.unlock_object(at)]
        if guard == "slots":
            return [f"pthread_mutex_unlock(&{p}_slot_locks[{at} % {self.stripes}]);"]
        if guard == "settings":
            return [f"pthread_rwlock_unlock(&{p}_settings_lock);"]
        if guard == "totals" and self.global_style != "call":
            return [f"{p}_end();" if self.global_style == "wrapper" else f"{self.macro}_END();"]
        return [f"pthread_mutex_unlock(&{p}_{guard}_lock);"]
