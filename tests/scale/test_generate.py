"""What the generator writes; run with `python3 -m unittest` in this directory."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from generate import FEWEST_PER_RACE, SMALLEST, ForeignDirectory, program_files, write_program
from planting import MARK
from thread_sanitizer import build, racing_lines

#: The first line of a definition, for functions that are written with their brace on the next line.
DEFINITION = re.compile(r"^(?:(?:static|inline|struct|unsigned) )*\w+ \**\w+\([^;]*\)$\n\{$", re.MULTILINE)


def definitions(files: dict[str, str]) -> int:
    return sum(len(DEFINITION.findall(text)) for text in files.values())


class Generated(unittest.TestCase):
    def test_the_same_seed_gives_the_same_program_and_another_one_another(self):
        self.assertEqual(program_files(200, 7), program_files(200, 7))
        self.assertNotEqual(program_files(200, 7)[0], program_files(200, 8)[0])

    def test_it_has_as_many_functions_as_asked_for(self):
        for functions in (SMALLEST, 200, 437, 1250):
            self.assertEqual(definitions(program_files(functions, 1)[0]), functions)

    def test_a_function_has_about_fifty_lines(self):
        files, _ = program_files(2000, 1)
        lines = sum(text.count("\n") for text in files.values())
        self.assertAlmostEqual(lines / 2000, 50, delta=4)

    def test_one_function_in_a_hundred_has_a_race(self):
        self.assertEqual(len(program_files(1250, 1)[1]), 12)

    def test_the_racing_lines_use_the_variable_that_is_raced_for(self):
        files, races = program_files(1250, 3, FEWEST_PER_RACE)
        kinds = {race.kind for race in races}
        self.assertGreaterEqual(len(kinds), 11, kinds)
        for race in races:
            lines = files[race.file].split("\n")
            self.assertTrue(race.lines, race)
            for line in race.lines:
                self.assertIn(race.expression, lines[line - 1], race)
        self.assertFalse([path for path, text in files.items() if MARK in text])

    def test_a_directory_with_other_files_is_left_alone(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "thesis.c").touch()
            with self.assertRaises(ForeignDirectory):
                write_program(SMALLEST, Path(directory))


class Built(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name, "program")
        self.output = Path(scratch.name, "a.out")

    def test_it_compiles_without_warnings_and_runs_to_its_end(self):
        write_program(200, self.directory)
        self.assertEqual(build(self.directory, self.output), "")
        done = subprocess.run([self.output], capture_output=True, text=True, timeout=20, check=True)
        self.assertRegex(done.stdout, r"\d+ done, \d+ left, 0 errors, 0 blocks")

    def test_other_seeds_compile_without_warnings(self):
        for seed in (2, 3):
            write_program(300, self.directory, seed, FEWEST_PER_RACE)
            self.assertEqual(build(self.directory, self.output, "-fsyntax-only"), "")

    def test_thread_sanitizer_sees_nothing_but_planted_races(self):
        program = write_program(300, self.directory, seed=2, functions_per_race=20)
        self.assertEqual(build(self.directory, self.output, "-g", "-fsanitize=thread"), "")
        seen = racing_lines(self.output, rounds=400, seconds=60)
        if seen is None:
            note = "instrumented programs cannot run here, so nothing was seen"
            if os.environ.get("RACELENS_WITHOUT_TSAN") != "1":
                self.fail(f"{note}; RACELENS_WITHOUT_TSAN=1 goes without")
            print(note, file=sys.stderr)
            return
        planted = {(race.file, line) for race in program.races for line in race.lines}
        self.assertTrue(seen, "not one of the planted races was seen")
        for race in seen:
            self.assertTrue(planted.intersection(race), f"{race} was not planted")


if __name__ == "__main__":
    unittest.main()
