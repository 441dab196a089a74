"""Statements that work on a function's own values: what most lines of a program do."""

from __future__ import annotations

from typing import Callable

from scope import Scope

Block = Callable[[Scope], list[str]]


def clamp(s: Scope) -> list[str]:
    low, high = s.number(-90, -10), s.number(100, 900)
    return [f"if ({s.value} < {low}) {{", f"{s.result} -= {low} - {s.value};", f"{s.value} = {low};",
            f"}} else if ({s.value} > {high}) {{", f"{s.result} += {s.value} - {high};", f"{s.value} = {high};", "}"]


def mix(s: Scope) -> list[str]:
    seed = s.declare("unsigned long", "seed", f"{s.number(3, 9999)}UL")
    shift, keep = s.number(3, 9), s.number(5, 11)
    return [f"seed ^= (unsigned long){s.value} << {shift};".replace("seed", seed),
            f"{seed} = {seed} * {s.number(3, 99) * 2 + 1}UL + (unsigned long){s.result};",
            f"{seed} ^= {seed} >> {keep};", f"{s.result} += (long)({seed} & {2 ** s.number(4, 9) - 1});"]


def window(s: Scope) -> list[str]:
    size = s.number(4, 12)
    recent = s.declare("long", "recent", suffix=f"[{size}]")
    index = s.declare("int", "index")
    return [f"for ({index} = 0; {index} < {size}; {index}++)",
            f"    {recent}[{index}] = {s.value} * {index} + {s.number(1, 50)};",
            f"for ({index} = 1; {index} < {size}; {index}++) {{", f"if ({recent}[{index}] < {recent}[{index} - 1])",
            "    continue;", f"{s.result} += {recent}[{index}] - {recent}[{index} - 1];", "}"]


def bits(s: Scope) -> list[str]:
    rest = s.declare("unsigned long", "rest")
    return [f"{rest} = (unsigned long){s.value} & {hex(2 ** s.number(8, 16) - 1)}UL;", f"while ({rest} != 0) {{",
            f"{s.result} += (long)({rest} & 1);", f"{rest} >>= 1;", "}"]


def choice(s: Scope) -> list[str]:
    lines = [f"switch ({s.value} & 3) {{", "case 0:", f"{s.result} += {s.number(1, 40)};", "break;", "case 1:",
             f"{s.result} -= {s.value} / {s.number(2, 9)};"]
    lines += ["/* fall through */"] if s.rng.random() < 0.3 else ["break;"]
    return [*lines, "case 2:", f"{s.result} ^= {s.number(1, 63)};", "break;", "default:",
            f"{s.value} += {s.number(1, 5)};", "break;", "}"]


def text(s: Scope) -> list[str]:
    buffer = s.declare("char", "text", suffix="[48]")
    end = s.declare("const char *", "end")
    return [f'snprintf({buffer}, sizeof {buffer}, "%ld/%ld", {s.value}, {s.result});', f"{end} = strchr({buffer}, '/');",
            f"if ({end} != NULL)", f"    {s.result} += {end} - {buffer};", f"if (strlen({buffer}) > {s.number(4, 12)})",
            f"    {s.result} -= {s.number(1, 9)};"]


def scan(s: Scope) -> list[str]:
    digits = s.declare("char", "digits", suffix="[24]")
    at = s.declare("const char *", "at")
    return [f'snprintf({digits}, sizeof {digits}, "%lx", {s.value});', f"for ({at} = {digits}; *{at} != '\\0'; {at}++) {{",
            f"switch (*{at}) {{", "case '0':", f"{s.result} += {s.number(1, 5)};", "break;", "case 'a':", "case 'e':",
            f"{s.result} += {s.number(5, 15)};", "break;", "default:", f"if (*{at} > '5')", f"    {s.result}--;",
            "break;", "}", "}"]


def sort(s: Scope) -> list[str]:
    size = s.number(4, 8)
    values = s.declare("long", "order", suffix=f"[{size}]")
    outer, inner = s.declare("int", "outer"), s.declare("int", "inner")
    return [f"for ({outer} = 0; {outer} < {size}; {outer}++)",
            f"    {values}[{outer}] = ({s.value} * ({outer} + {s.number(2, 9)})) % {s.number(11, 97)};",
            f"for ({outer} = 1; {outer} < {size}; {outer}++) {{", f"long moving = {values}[{outer}];", "",
            f"for ({inner} = {outer} - 1; {inner} >= 0 && {values}[{inner}] > moving; {inner}--)",
            f"    {values}[{inner} + 1] = {values}[{inner}];", f"{values}[{inner} + 1] = moving;", "}",
            f"{s.result} += {values}[{size // 2}] - {values}[0];"]


def digits(s: Scope) -> list[str]:
    rest = s.declare("long", "rest")
    return [f"{rest} = {s.value} < 0 ? -{s.value} : {s.value};", "do {", f"{s.result} += {rest} % 10;",
            f"{rest} /= 10;", f"}} while ({rest} > 0);"]


def matrix(s: Scope) -> list[str]:
    rows, columns = s.number(2, 4), s.number(2, 5)
    grid = s.declare("int", "grid", suffix=f"[{rows}][{columns}]")
    row, column = s.declare("int", "row"), s.declare("int", "column")
    return [f"memset({grid}, 0, sizeof {grid});", f"for ({row} = 0; {row} < {rows}; {row}++) {{",
            f"for ({column} = 0; {column} < {columns}; {column}++) {{", f"if (({row} + {column}) % 2 == 0)",
            f"    {grid}[{row}][{column}] = (int)({s.value} & {s.number(3, 31)});",
            "else", f"    {grid}[{row}][{column}] = {row} * {s.number(2, 9)};", "}",
            f"{s.result} += {grid}[{row}][{columns - 1}];", "}"]


def copies(s: Scope) -> list[str]:
    size = s.number(8, 24)
    source, target = s.declare("unsigned char", "source", suffix=f"[{size}]"), \
        s.declare("unsigned char", "target", suffix=f"[{size}]")
    return [f"memset({source}, (int)({s.value} & 0x7f), sizeof {source});",
            f"{source}[{s.number(0, size - 1)}] = {s.number(0, 255)};",
            f"memcpy({target}, {source}, sizeof {target});", f"if (memcmp({target}, {source}, {s.number(2, size)}) != 0)",
            "    return -1;", f"{s.result} += {target}[{s.number(0, size - 1)}];"]


def steps(s: Scope) -> list[str]:
    left = s.declare("int", "left", str(s.number(3, 9)))
    return [f"while ({left}-- > 0) {{", f"if ({s.value} % {s.number(3, 7)} == {left})", "    break;",
            f"{s.result} += {left} & 1 ? {s.value} & {s.number(7, 31)} : -{left};", "}"]


def weights(s: Scope) -> list[str]:
    share = s.declare("double", "share", f"{s.number(1, 9)}.5")
    return [f"{share} *= (double)({s.value} & {s.number(15, 63)});", f"if ({share} > {s.number(50, 200)}.0)",
            f"    {share} /= {s.number(2, 5)}.0;", f"{s.result} += (long){share};"]


#: None of these touches anything that another thread could see.
#: `copies` returns, so it stays out of where a lock is held.
UNGUARDED: tuple[Block, ...] = (clamp, mix, window, bits, choice, text, scan, sort, digits, matrix, copies, steps,
                                weights)
GUARDED: tuple[Block, ...] = (clamp, mix, window, bits, choice, steps, weights, digits)
