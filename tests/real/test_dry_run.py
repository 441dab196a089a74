"""What the reader of dry runs understands; run with `python3 -m unittest` in this directory."""

import unittest
from pathlib import Path

from dry_run import units_of_dry_run

ROOT = Path("/root-of-program")


def commands(output: str) -> list[tuple[str, str, str]]:
    """Directory, file and arguments of each unit, as text that is easy to compare."""
    return [(str(unit.directory), unit.file, " ".join(unit.arguments))
            for unit in units_of_dry_run(output, ROOT)]


class DryRun(unittest.TestCase):
    def test_a_plain_call_is_a_unit(self):
        self.assertEqual(commands("cc -O2 -o a.o -c a.c"),
                         [("/root-of-program", "a.c", "cc -O2 -o a.o -c a.c")])

    def test_a_call_after_other_commands_is_found(self):
        self.assertEqual(commands("printf '%b' CC 1>&2;gcc -c a.c && mv a.o b.o"),
                         [("/root-of-program", "a.c", "gcc -c a.c")])

    def test_a_sub_make_changes_the_directory_until_it_leaves(self):
        output = "\n".join(["make[1]: Entering directory '/root-of-program/src'", "cc -c a.c",
                            "make[1]: Leaving directory '/root-of-program/src'", "cc -c b.c"])
        self.assertEqual([directory for directory, _, _ in commands(output)],
                         ["/root-of-program/src", "/root-of-program"])

    def test_cd_holds_for_its_own_line_only(self):
        self.assertEqual([directory for directory, _, _ in commands("(cd lib && cc -c a.c)\ncc -c b.c")],
                         ["/root-of-program/lib", "/root-of-program"])

    def test_continued_lines_are_one_command(self):
        self.assertEqual(commands("cc -DX \\\n -c a.c")[0][2], "cc -DX -c a.c")

    def test_quotes_keep_the_value_of_a_macro_together(self):
        [unit] = units_of_dry_run("cc '-DNAME=\"a b\"' -c a.c", ROOT)
        self.assertEqual(unit.arguments[1], '-DNAME="a b"')

    def test_libtool_is_looked_through(self):
        self.assertEqual(commands("/bin/bash ./libtool --tag=CC --mode=compile gcc -c a.c -o a.lo")[0][2],
                         "gcc -c a.c -o a.lo")

    def test_automake_names_the_source_by_a_test(self):
        self.assertEqual(commands("gcc -c -o a.o `test -f 'a.c' || echo './'`a.c")[0][1], "./a.c")

    def test_dependency_options_and_redirections_are_left_out(self):
        self.assertEqual(commands("cc -MT a.o -MD -MP -MF a.d -c a.c > log")[0][2], "cc -c a.c")

    def test_links_archives_and_messages_are_no_units(self):
        self.assertEqual(commands("cc -o prog a.o\nar rcs lib.a a.o\necho \"don't compile a.c\"\nit's a.c"), [])


if __name__ == "__main__":
    unittest.main()
