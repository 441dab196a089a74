"""What the benchmarks say about what they measured; run with `python3 -m unittest` in this directory."""

import argparse
import contextlib
import datetime
import io
import json
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import chart
import client
import cold
import edits
import growth
import linked
import machine
import run
import warm
from neighbours import Cost, MeasureError


def cost(seconds: float, megabytes: int = 80) -> Cost:
    return Cost(seconds, 2 * seconds, megabytes * 1_000_000)


def edited(median: float, p99: float, **kinds: float) -> dict:
    def times(middle: float, last: float) -> dict:
        return {"count": 20, "median_ms": middle, "p90_ms": last, "p99_ms": last, "most_ms": last}

    return {"source_lines": 100_000, "functions": 2000, "edits": times(median, p99), "from_scratch_ms": 5000.0,
            "from_scratch_over_median": 5000.0 / median, "by_kind": {kind: times(value, value) for kind, value in kinds.items()}}


def row(name: str, **stages: float) -> cold.Row:
    return cold.Row(name, 141, 4853, cost(3.0), cost(2.0), stages)


class Tables(unittest.TestCase):
    def test_a_program_stands_beside_gcc(self):
        lines = list(cold.markdown([row("redis", summaries=3.0, pairing=0.9, orders=0.1)]))
        self.assertEqual(lines[2], "| redis | 141 | 4853 | 3.00 | 2.00 | 1.50 | 6.00 | 4.00 | 80 |")

    def test_stages_that_take_long_somewhere_are_compared(self):
        lines = list(cold.markdown([row("a", summaries=3.0, pairing=0.9, orders=0.1), row("b", summaries=0.0, pairing=1.0)]))
        self.assertEqual(lines[-4:], ["| program | summaries | pairing |", "|---|--:|--:|", "| a | 75 | 22 |", "| b | 0 | 100 |"])

    def test_a_library_is_also_checked_as_one(self):
        self.assertEqual(list(cold.variants(["redis", "libuv-sys2"])),
                         [("redis", "redis", ()), ("libuv-sys2", "libuv-sys2", ()),
                          ("libuv-sys2", "libuv-sys2, exported", ("--entries", "exported"))])

    def test_a_program_that_is_not_there_is_said(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(MeasureError, "--only redis"):
            cold.measure("redis", Path(folder) / "redis", (), cold.Plan(Path("racelens"), 1, 1, 1.0))

    def test_programs_become_one_project(self):
        with tempfile.TemporaryDirectory() as folder:
            programs = [Path(folder) / "real" / name for name in ("one", "two")]
            for program in programs:
                program.mkdir(parents=True)
                (program / "a.c").write_text("int main(void) { return 0; }\n")
                unit = {"directory": str(program), "file": "a.c", "arguments": ["gcc", f"-I{program}/include", "-c", "a.c"]}
                (program / "compile_commands.json").write_text(json.dumps([unit]))
            into = linked.link(programs, Path(folder) / "linked")
            units = json.loads((into / "compile_commands.json").read_text())
            self.assertEqual([unit["directory"] for unit in units], [str(into / "one"), str(into / "two")])
            self.assertEqual(units[1]["arguments"][1], f"-I{into}/two/include")
            self.assertTrue((into / "two" / "a.c").exists())
            self.assertFalse((into / "two" / "compile_commands.json").exists())

    def test_a_missing_program_is_not_linked(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(MeasureError, "--only redis"):
            linked.link([Path(folder) / "redis"], Path(folder) / "linked")

    def test_the_second_start_stands_beside_the_first(self):
        rows = [warm.Row("redis", cost(30.0), cost(0.5), 32.0, 0.4, 12_000_000),
                warm.Row("libuv-sys2", cost(2.0), cost(0.05), None, None, 1_500_000)]
        lines = list(warm.markdown(rows))
        self.assertEqual(lines[2:], [
            "| redis | 30.00 | 0.500 | 60 | 60.00 | 1.000 | 32.00 | 0.400 | 80 | 12.0 |",
            "| libuv-sys2 | 2.00 | 0.050 | 40 | 4.00 | 0.100 | – | – | – | 1.5 |"])
        report = {"races": [], "stats": {"units": 1, "seconds": 3.0}}
        self.assertEqual(warm.without_time(report), {"races": [], "stats": {"units": 1, "seconds": None}})

    def test_an_edit_stands_beside_a_run_from_scratch(self):
        rows = [("redis", edited(5.0, 20.0, lock=7.0)), ("sqlite", edited(2.0, 3.0, number=1.0))]
        lines = list(edits.markdown(rows))
        self.assertIn("| redis | 100,000 | 2,000 | 20 | 5.0 | 20.0 | 20.0 | 20.0 | 5,000 | 1,000 |", lines)
        self.assertEqual(lines[-4:], ["| program | lock | number |", "|---|--:|--:|", "| redis | 7.0, 7.0 | – |",
                                      "| sqlite | – | 1.0, 1.0 |"])

    def test_growth_is_over_the_size_before(self):
        rows = [growth.Row(10_000, 200, cost(0.5), cost(0.4), edited(4.0, 10.0)),
                growth.Row(100_000, 2000, cost(4.0), cost(4.0), edited(6.0, 40.0))]
        lines = list(growth.markdown(rows))
        self.assertIn("| 4.0 | – | 10.0 | – |", lines[2])
        self.assertIn("| 6.0 | 1.50 | 40.0 | 4.00 | 90,000,000 | 1,440× |", lines[3])

    def test_every_row_has_as_many_cells_as_the_heading(self):
        tables = (list(cold.markdown([row("a", pairing=1.0)]))[:3],
                  growth.markdown([growth.Row(100, 2, cost(1.0), cost(1.0), edited(1.0, 1.0))]))
        for table in tables:
            self.assertEqual(len({line.count("|") for line in table}), 1)

    def test_the_machine_is_named_with_the_date(self):
        text = machine.description(datetime.datetime(2026, 11, 17))
        self.assertTrue(text.startswith("Measured on 2026-11-17: "), text)
        self.assertIsNone(machine.version_of("a-tool-that-nobody-has"))


class Pictures(unittest.TestCase):
    def elements(self, picture: str, name: str) -> list[xml.Element]:
        return list(xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}" + name))

    def texts(self, picture: str) -> list[str]:
        return [element.text for element in self.elements(picture, "text")]

    def test_bars_are_as_long_as_their_values(self):
        picture = chart.bars("<Title>", ("ours", "theirs"), [("a & b", (1.0, 4.0)), ("c", (None, 2.0))], "s")
        # The background and the legend come first.
        lengths = [float(bar.get("width")) for bar in self.elements(picture, "rect")[3:]]
        self.assertEqual([round(length / lengths[0], 1) for length in lengths], [1.0, 4.0, 2.0])
        for text in ("<Title>", "a & b", "ours", "theirs", "1 s", "4 s", "2 s"):
            self.assertIn(text, self.texts(picture))

    def test_axes_go_by_powers_of_ten(self):
        picture = chart.lines("Growth", "lines", "ms", {"cold": [(1000, 3.0), (100_000, 300.0)]})
        first, second = ((float(c.get("cx")), float(c.get("cy"))) for c in self.elements(picture, "circle"))
        self.assertLess(first[0], second[0])
        self.assertGreater(first[1], second[1])
        for text in ("1,000", "10,000", "100,000", "1", "10", "100"):
            self.assertIn(text, self.texts(picture))
        self.assertEqual(chart.powers([10.0, 1000.0]), (1, 3))
        self.assertEqual(chart.powers([10.0]), (1, 2))

    def test_nothing_measured_is_a_picture_without_lines(self):
        for picture in (chart.lines("Nothing", "x", "y", {}), chart.lines("Nothing", "x", "y", {"a": [(0.0, 1.0)]}),
                        chart.bars("Nothing", (), [], "s")):
            self.assertEqual(self.elements(picture, "polyline"), [])

    def test_servers_stand_side_by_side(self):
        figures = [{"file": "/p/a.c", "server": "racelens", "median": 0.05}, {"file": "/p/a.c", "server": "clangd", "median": 0.2},
                   {"file": "/p/b.c", "server": "racelens", "median": 0.01}]
        texts = self.texts(client.picture(figures))
        for text in ("a.c", "b.c", "racelens", "clangd", "50 ms", "200 ms", "10 ms"):
            self.assertIn(text, texts)


class Run(unittest.TestCase):
    def bench(self, into: Path) -> run.Bench:
        return run.Bench(argparse.Namespace(into=into), run.QUICK, machine="Measured somewhere.")

    def test_what_is_measured_is_written_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            into = Path(folder) / "results"
            bench = self.bench(into)
            bench.add("cold", "From scratch", "In words.", ["| a |", "|---|"], [1, 2], "<svg/>")
            text = (into / "bench.md").read_text()
            for part in ("Measured somewhere.", "## From scratch", "In words.", "| a |", "![From scratch](cold.svg)"):
                self.assertIn(part, text)
            self.assertEqual((into / "cold.svg").read_text(), "<svg/>")
            self.assertIn('"cold"', (into / "figures.json").read_text())

    def test_what_cannot_be_measured_is_said_and_the_rest_goes_on(self):
        def fails():
            raise MeasureError("no compiler")

        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            bench = self.bench(Path(folder))
            self.assertIsNone(bench.attempt("redis", fails))
            self.assertEqual(bench.attempt("sqlite", lambda: 3), 3)
            self.assertIn("- redis: no compiler", bench.text())

    def test_the_command_line_says_how_much_is_measured(self):
        given = argparse.Namespace(quick=False, repeat=1, edits=None)
        self.assertEqual((run.sizes(given).repeat, run.sizes(given).edits), (1, run.FULL.edits))
        given = argparse.Namespace(quick=True, repeat=None, edits=3)
        self.assertEqual((run.sizes(given).repeat, run.sizes(given).edits), (run.QUICK.repeat, 3))

    def test_the_quick_run_has_every_part_of_the_full_one(self):
        for name, value in vars(run.QUICK).items():
            self.assertTrue(value, name)
            self.assertEqual(type(value), type(getattr(run.FULL, name)), name)


if __name__ == "__main__":
    unittest.main()
