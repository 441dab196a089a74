"""Tests of the measurement itself, with a server that takes a known time."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from measure import Plan, Result, measure, percentile
from probes import with_probes
from table import named_command, program_root, table

PROGRAM = """struct point {
    int x;
}
;

int first(void)
{
    return 1;
}

int second(int a) {
    if (a)
        return 2;
    return 3;
}

int values[] = {
    1,
}
;
"""

# Answers every change after 50 ms, first with diagnostics of the version before, as a slow server may.
SLOW_SERVER = """
import json, sys, time
def read():
    length = 0
    while (line := sys.stdin.buffer.readline()) != b"\\r\\n":
        if not line: sys.exit(0)
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))
def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body); sys.stdout.buffer.flush()
def publish(document, version):
    write({"method": "textDocument/publishDiagnostics", "params": {"uri": document["uri"], "version": version, "diagnostics": []}})
while True:
    message = read(); method = message.get("method")
    if method in ("initialize", "shutdown"): write({"id": message["id"], "result": {"capabilities": {}}})
    elif method == "initialized": write({"id": 1, "method": "workspace/configuration", "params": {"items": [{}]}})
    elif method == "exit": sys.exit(0)
    elif method in ("textDocument/didOpen", "textDocument/didChange"):
        document = message["params"]["textDocument"]
        publish(document, document["version"] - 1); time.sleep(0.05); publish(document, document["version"])
"""


def compiles(text: str) -> bool:
    command = ["gcc", "-fsyntax-only", "-xc", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).returncode == 0


class Probes(unittest.TestCase):
    def test_only_functions_are_probed(self):
        probed = with_probes(PROGRAM, 10)
        lines = probed.text.split("\n")
        self.assertEqual(len(probed.lines), 2)
        self.assertEqual([lines[at] for at in probed.lines], ["    (void)100000;"] * 2)
        self.assertEqual([lines[at + 1] for at in probed.lines], ["}", "}"])
        self.assertEqual(probed.text.count("(void)100000"), 2)

    def test_the_probed_program_compiles(self):
        self.assertTrue(compiles(with_probes(PROGRAM.replace("}\n;", "};"), 10).text))

    def test_edits_move_nothing_break_one_statement_and_mend_it(self):
        probed = with_probes(PROGRAM.replace("}\n;", "};"), 10)
        lines = probed.text.split("\n")
        texts = set()
        for edit in range(8):
            change = probed.change(edit)
            start, end = change["range"]["start"], change["range"]["end"]
            self.assertEqual(end["character"] - start["character"], len(change["text"]))
            line = lines[start["line"]]
            lines[start["line"]] = line[: start["character"]] + change["text"] + line[end["character"] :]
            self.assertEqual(compiles("\n".join(lines)), edit % 2 == 1, lines[start["line"]])
            texts.add("\n".join(lines))
        self.assertEqual(len(texts), 8)

    def test_the_text_to_begin_with_is_that_after_the_first_edit(self):
        probed = with_probes(PROGRAM.replace("}\n;", "};"), 10)
        self.assertFalse(compiles(probed.broken_text()))
        self.assertEqual(probed.broken_text().replace("10000(", "100000", 1), probed.text)

    def test_a_file_without_functions_is_refused(self):
        with self.assertRaises(ValueError):
            with_probes("int a;\n", 1)


class Measurement(unittest.TestCase):
    def test_percentiles_by_nearest_rank(self):
        values = [float(value) for value in range(1, 101)]
        self.assertEqual([percentile(values, share) for share in (0.5, 0.99, 1.0)], [50.0, 99.0, 100.0])
        self.assertEqual(percentile([3.0, 1.0, 2.0], 0.5), 2.0)
        self.assertEqual(percentile([7.0], 0.99), 7.0)

    def test_the_time_of_a_server_is_what_it_takes(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            server = root / "server.py"
            server.write_text(SLOW_SERVER)
            file = root / "program.c"
            file.write_text(PROGRAM)
            command = [sys.executable, str(server)]
            probed = with_probes(PROGRAM, 2)
            result = measure("slow", command, file, root, probed, Plan(5, 60, 10), root / "log")
        self.assertEqual(len(result.latencies), 5)
        for latency in result.latencies:
            self.assertGreaterEqual(latency, 0.05)
            self.assertLess(latency, 0.5)

    def test_the_table_has_both_percentiles(self):
        result = Result("racelens", Path("a.c"), 1200, 1.25, [0.1] * 98 + [0.2, 0.4], 80)
        row = table([result]).splitlines()[-1]
        self.assertEqual(row, "| a.c | 1,200 | racelens | 100 ms | 200 ms | 2.0 | 1.2 s | 100 | 80 MiB |")


class Arguments(unittest.TestCase):
    def test_a_server_is_a_name_and_a_command(self):
        self.assertEqual(named_command("clangd=clangd --log=error"), ("clangd", ["clangd", "--log=error"]))

    def test_the_root_has_the_compilation_database(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src").mkdir()
            (root / "compile_commands.json").write_text("[]")
            self.assertEqual(program_root(root / "src" / "a.c"), root)


if __name__ == "__main__":
    unittest.main()
