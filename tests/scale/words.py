"""The words that names in generated programs are made of."""

from __future__ import annotations

from random import Random

FIRST = ("amber", "brisk", "cedar", "delta", "ember", "frost", "grain", "hazel", "inner", "joint", "known", "lunar",
         "merit", "noble", "ocean", "prime", "quiet", "rapid", "solid", "tidal", "urban", "vivid", "woven", "young",
         "zonal", "broad", "crisp", "dense", "early", "fluid", "green", "humid", "ionic", "jolly", "level", "minor")
SECOND = ("cache", "ledger", "router", "session", "index", "planner", "journal", "broker", "filter", "parser",
          "mapper", "archive", "tracker", "gateway", "monitor", "catalog", "market", "storage", "channel", "engine",
          "resolver", "sampler", "auditor", "balancer", "collector", "registry", "pipeline", "editor", "shaper",
          "profile")
VERBS = ("add", "adjust", "apply", "assign", "balance", "check", "collect", "combine", "compare", "count", "derive",
         "drain", "estimate", "expand", "extend", "fill", "fold", "gather", "import", "limit", "mark", "measure",
         "merge", "move", "note", "order", "pack", "pick_best", "plan", "probe", "raise", "rank", "rate", "record",
         "reduce", "refresh", "repair", "rotate", "scale", "scan", "settle", "shift", "sort", "split", "store",
         "sum", "touch", "trim", "tune", "update", "verify", "weigh")
NOUNS = ("account", "batch", "block", "bound", "bucket", "chunk", "credit", "cursor", "demand", "event", "field",
         "frame", "grade", "group", "item", "key", "label", "line", "load", "margin", "mode", "offer", "packet",
         "page", "part", "price", "quota", "range", "record", "rule", "sample", "score", "shape", "share", "step",
         "stock", "table", "term", "token", "trace", "unit", "value", "vote", "weight", "window")
FIELDS = ("total", "balance", "pending", "failures", "retries", "revision", "peak", "budget", "credit", "backlog",
          "served", "refused", "cost", "spent", "drift", "demand", "supply", "progress", "attempts", "penalty")
FLAGS = ("dirty", "closed", "urgent", "visible", "frozen", "linked", "stale", "primary")
ARRAYS = ("samples", "history", "levels", "buckets", "marks", "quotas")
RANGES = ("window", "limits", "span", "interval")
RESULTS = ("result", "total", "outcome", "score", "answer", "sum")


def module_name(number: int) -> str:
    """A name for each number; the first thousand read like names that people give."""
    # The two lengths have a common factor, so the second word also moves on once per round.
    first = FIRST[number % len(FIRST)]
    second = SECOND[(number // len(FIRST) + number) % len(SECOND)]
    again = number // (len(FIRST) * len(SECOND))
    return f"{first}_{second}{again or ''}"


class Names:
    """Gives out names that were not given out before."""

    def __init__(self, taken: tuple[str, ...] = ()) -> None:
        self._taken = set(taken)

    def fresh(self, wish: str) -> str:
        """The wish itself, or the wish with the first number that makes it new."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name

    def verb(self, prefix: str, rng: Random) -> str:
        """A name for something that is done: `prefix_merge_items`."""
        return self.fresh(f"{prefix}_{rng.choice(VERBS)}_{rng.choice(NOUNS)}")
