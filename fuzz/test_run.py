"""The driver of the fuzzer, with programs that stand for the fuzzer; run with `python3 -m unittest` in this directory."""

import tempfile
import time
import unittest
from pathlib import Path

import run

# Ends as the fuzzer does when it is asked to, with its figures.
BUSY = """#!/usr/bin/python3
import signal, sys
def end(*_):
    print("stat::number_of_executed_units: 4096", flush=True)
    sys.exit(0)
signal.signal(signal.SIGUSR1, end)
print("#1024\\tNEW    cov: 17 ft: 31 corp: 3/9b", flush=True)
while True:
    pass
"""
# Finds something at once, and keeps a slow input, which is nothing.
BROKEN = """#!/usr/bin/python3
import sys
prefix = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("-artifact_prefix="))
open(prefix + "crash-1", "w").write("boom")
open(prefix + "slow-unit-1", "w").write("zzz")
print("#7\\tREDUCE cov: 5 ft: 5 corp: 1/1b", flush=True)
sys.exit(77)
"""
MUTE = "#!/bin/sh\nexit 3\n"
SHORT = '#!/bin/sh\nif [ -e ../again ]; then exec python3 -c "$(cat ../busy)"; fi\n: > ../again\nexit 0\n'


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fuzz(self, program: str, cpu_seconds: float = 0.3, wall_seconds: float = 1000) -> run.Outcome:
        places = run.Places(self.folder, self.folder / "corpus", self.folder / "artifacts", self.folder / "logs")
        binary = self.folder / "front_end"
        binary.write_text(program)
        binary.chmod(0o755)
        return run.fuzz("front_end", cpu_seconds, places, time.monotonic() + wall_seconds, poll=0.02)

    def test_a_target_runs_until_its_processor_time_is_used(self):
        outcome = self.fuzz(BUSY)
        self.assertGreaterEqual(outcome.cpu_seconds, 0.3)
        self.assertEqual((outcome.executions, outcome.coverage, outcome.findings), (4096, 17, []))

    def test_a_finding_ends_the_target(self):
        outcome = self.fuzz(BROKEN, cpu_seconds=1000)
        self.assertEqual((outcome.executions, outcome.coverage, outcome.findings), (7, 5, ["crash-1"]))

    def test_there_is_an_end_also_if_the_processor_time_is_not_used(self):
        outcome = self.fuzz(BUSY, cpu_seconds=1000, wall_seconds=0.3)
        self.assertLess(outcome.cpu_seconds, 100)
        self.assertEqual(outcome.findings, [])

    def test_what_was_found_before_is_no_finding_of_this_run(self):
        artifacts = self.folder / "artifacts" / "front_end"
        artifacts.mkdir(parents=True)
        (artifacts / "crash-0").touch()
        self.assertEqual(self.fuzz(BUSY).findings, [])

    def test_a_fuzzer_that_fails_without_a_word_is_no_success(self):
        self.assertIn("status 3", self.fuzz(MUTE, cpu_seconds=1000).findings[0])

    def test_a_fuzzer_that_ends_early_is_started_again(self):
        (self.folder / "busy").write_text(BUSY)
        self.assertEqual(self.fuzz(SHORT).executions, 4096)


class Tables(unittest.TestCase):
    def test_a_row_has_the_figures_and_the_findings(self):
        outcomes = [run.Outcome("kiss", 1803.0, 12345, 6789), run.Outcome("edits", 60.0, 1, 2, ["crash-1", "oom-2"])]
        self.assertEqual(list(run.table(outcomes))[2:], ["| `kiss` | 30.1 | 12,345 | 6,789 | none |",
                                                         "| `edits` | 1.0 | 1 | 2 | crash-1, oom-2 |"])

    def test_targets_seeds_and_dictionaries_are_there(self):
        sources = {path.stem for path in (run.FOLDER / "fuzz_targets").glob("*.rs")}
        self.assertEqual(set(run.KINDS), sources)
        for kind in run.KINDS.values():
            self.assertTrue((run.FOLDER / "seeds" / kind).is_dir())
            self.assertTrue((run.FOLDER / "dictionaries" / f"{kind}.dict").is_file())


if __name__ == "__main__":
    unittest.main()
