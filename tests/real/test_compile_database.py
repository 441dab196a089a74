"""What is asked of the compiler for a unit; run with `python3 -m unittest` in this directory."""

import tempfile
import unittest
from pathlib import Path

from compile_database import Unit, one_per_source, read_database, split_by_syntax, write_database

COMMAND = "cc -std=c99 -O2 -g3 -Wall -D X -Iinclude -fwrapv -MD -MF a.d -o a.o -c a.c"
UNIT = Unit(Path("/program"), tuple(COMMAND.split()), "a.c")


class Commands(unittest.TestCase):
    def test_a_syntax_check_writes_nothing(self):
        self.assertEqual(" ".join(UNIT.syntax_check()),
                         "cc -std=c99 -O2 -g3 -Wall -D X -Iinclude -fwrapv a.c -fsyntax-only -w")

    def test_preprocessing_keeps_macros_and_drops_debug_information(self):
        self.assertEqual(" ".join(UNIT.preprocess(Path("a.i"))),
                         "cc -std=c99 -O2 -Wall -D X -Iinclude -fwrapv a.c -E -w -o a.i")

    def test_checking_a_preprocessed_file_keeps_only_the_dialect(self):
        self.assertEqual(" ".join(UNIT.syntax_check_preprocessed(Path("a.i"))),
                         "cc -std=c99 -fwrapv -fpreprocessed -fsyntax-only -w a.i")


class Databases(unittest.TestCase):
    def test_a_source_compiled_twice_counts_once(self):
        again = Unit(Path("/program/lib"), ("cc", "-fPIC", "-c", "../a.c"), "../a.c")
        self.assertEqual(one_per_source([UNIT, again]), [UNIT])

    def test_what_is_written_is_read_back(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "compile_commands.json"
            write_database(path, [UNIT])
            self.assertEqual(read_database(path), [UNIT])

    def test_a_unit_that_gcc_refuses_is_left_out_with_its_reason(self):
        with tempfile.TemporaryDirectory() as directory:
            units = []
            for name, text in (("good.c", "int x;"), ("bad.c", "int x")):
                (Path(directory) / name).write_text(text)
                units.append(Unit(Path(directory), ("gcc", "-c", name), name))
            accepted, rejected = split_by_syntax(units, jobs=1)
        self.assertEqual([unit.file for unit in accepted], ["good.c"])
        self.assertEqual([rejection.unit.file for rejection in rejected], ["bad.c"])
        self.assertIn("error:", rejected[0].reason)


if __name__ == "__main__":
    unittest.main()
