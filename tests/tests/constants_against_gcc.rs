//! The values and types of constant expressions, judged by gcc.

use std::fmt::Write;

use racelens_analysis::ir::{IntRank, IntTy, Ty, TyKind};
use racelens_tests::compiler::complaints;
use racelens_tests::front_end::FrontEnd;
use racelens_tests::random::{Random, cases};

/// What the expressions may mention.
const PRELUDE: &str = "
enum small { ZERO, ONE, MINUS = -1 };
enum large { HUGE_ONE = 0x100000000, AFTER };
enum unsigned_one { TOP = 0xffffffff };
enum mixed { LOWEST = -1, HIGHEST = 0x80000000 };
struct inner { char c; short s[3]; union { int i; char b; }; };
struct outer { char c; struct inner in[2]; long l; unsigned bits : 3; };
typedef unsigned char byte;
typedef int row[4];
extern int table[7];
char text[] = \"hello\", braced[] = { \"hi\" }, *names[] = { \"a\", \"b\", \"c\" };
int listed[] = { 1, 2, 3 }, placed[] = { [9] = 1, [2] = 3 };
struct inner records[] = { 1, 2, 3, 4, 5, { 6 }, 7, 8 };
struct inner spread[] = { { 1 }, [4] = { 2 }, 3 };
short rows[][2] = { 1, 2, 3 };
int (*const operations[])(int) = { 0, 0 };
byte bytes[] = { 1, 2, 3, 4 };
int (*function)(int, char);
";

const EXPRESSIONS: &[&str] = &[
    "1",
    "1u",
    "1l",
    "1ul",
    "1ll",
    "1ull",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x100000000",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "9223372036854775807",
    "0377",
    "0b101",
    "037777777777",
    "'a'",
    "'\\n'",
    "'\\0'",
    "'\\x7f'",
    "'\\xff'",
    "'\\377'",
    "'\\''",
    "'\\\\'",
    "'\"'",
    "'ab'",
    "L'a'",
    "u'a'",
    "U'a'",
    "L'\\xff'",
    "L'é'",
    "'\\e'",
    "'?'",
    "-1",
    "~0",
    "~0u",
    "-1u",
    "!5",
    "!0",
    "+'a'",
    "-(byte)1",
    "~(byte)1",
    "-2147483648",
    "1 + 1u",
    "1 + 1l",
    "-1 + 1u",
    "'a' + 1",
    "1u - 2",
    "1 - 2ul",
    "(short)1 + (char)2",
    "-1 < 0",
    "-1 < 0u",
    "-1l < 0u",
    "-1 < 0ul",
    "1u > -1",
    "sizeof(int) - 5 > 0",
    "(unsigned char)300",
    "(signed char)200",
    "(short)70000",
    "(unsigned)-1",
    "(_Bool)5",
    "(_Bool)0.5",
    "(int)3.99",
    "(unsigned char)3.5",
    "(long)1e10",
    "(byte)-1",
    "(int)2147483648u",
    "1 << 4",
    "1u << 31",
    "1 << 31 >> 31",
    "1l << 40",
    "-8 >> 1",
    "-8u >> 1",
    "(byte)255 << 8",
    "1 << 3ul",
    "7 / 2",
    "-7 / 2",
    "-7 % 3",
    "7 % -3",
    "-7 / 2u",
    "-1ul / 10",
    "0xffffffffu * 0xffffffffu",
    "0xfffffffffffffffful * 3",
    "6 & 3",
    "6 | 3",
    "6 ^ 3",
    "-1 & 0xffu",
    "-1 ^ 1ul",
    "1 && 0",
    "1 || 0",
    "0 && 1 / 0",
    "1 || 1 / 0",
    "2 && 3",
    "0 || 'a'",
    "1 ? 2 : 3",
    "0 ? 2 : 3",
    "1 ? -1 : 0u",
    "0 ? 1l : 'a'",
    "1 ? 2 : 1 / 0",
    "1 ?: 2",
    "0 ?: 2u",
    "1 ? (byte)1 : (short)2",
    "(1 ? -1 : 0u) > 0",
    "sizeof(char)",
    "sizeof(long)",
    "sizeof(int *)",
    "sizeof(row)",
    "sizeof(struct outer)",
    "sizeof(struct inner[3])",
    "sizeof(int[2][3])",
    "sizeof 1",
    "sizeof 'a'",
    "sizeof table",
    "sizeof table[0]",
    "sizeof table / sizeof *table",
    "sizeof \"abc\"",
    "sizeof L\"abc\"",
    "sizeof u\"abc\"",
    "sizeof \"a\\0b\" \"c\"",
    "sizeof \"é\"",
    "sizeof u8\"é\"",
    "sizeof L\"é\"",
    "sizeof text",
    "sizeof braced",
    "sizeof names",
    "sizeof listed",
    "sizeof placed",
    "sizeof records",
    "sizeof spread",
    "sizeof rows",
    "sizeof operations",
    "sizeof bytes",
    "sizeof (1 ? table : 0)",
    "sizeof (0, table)",
    "sizeof &table",
    "sizeof *&table",
    "sizeof &table[1]",
    "sizeof ((struct outer *)0)->in",
    "sizeof ((struct outer *)0)->in[1].s[0]",
    "sizeof function",
    "sizeof function(1, 2)",
    "sizeof (1 + 1l)",
    "sizeof sizeof 1",
    "sizeof (struct inner){ 1 }",
    "sizeof (int[]){ 1, 2, 3 }",
    "_Alignof(long)",
    "_Alignof(struct inner)",
    "__alignof__(short)",
    "_Alignof(row)",
    "__builtin_offsetof(struct outer, l)",
    "__builtin_offsetof(struct outer, in[1].s[2])",
    "__builtin_offsetof(struct inner, b)",
    "__builtin_offsetof(struct outer, in[1].i)",
    "(unsigned long)&((struct outer *)0)->l",
    "(long)&((struct outer *)0)->in[1].s[1]",
    "(unsigned long)&(*(struct inner *)8).s",
    "(int)(long)&((row *)0)[2]",
    "ZERO",
    "ONE",
    "MINUS",
    "HUGE_ONE",
    "AFTER",
    "TOP",
    "LOWEST",
    "HIGHEST",
    "TOP + 1",
    "MINUS < 0u",
    "sizeof(enum small)",
    "sizeof(enum large)",
    "sizeof ONE",
    "sizeof HUGE_ONE",
    "sizeof TOP",
    "(enum small)1 < -1",
    "(enum unsigned_one)1 < -1",
    "(enum mixed)1 < -1",
    "_Generic(1, int: 1, long: 2)",
    "_Generic(1l, int: 1, long: 2)",
    "_Generic('a', char: 1, int: 2)",
    "_Generic((char)1, char: 1, signed char: 2, unsigned char: 3)",
    "_Generic(\"a\", char *: 1, default: 2)",
    "_Generic(table, int *: 1, default: 2)",
    "_Generic(&table, int (*)[7]: 1, default: 2)",
    "_Generic(1, const int: 1, int: 2)",
    "_Generic((const int)1, const int: 1, int: 2)",
    "_Generic(function, int (*)(int, char): 1, default: 2)",
    "_Generic(1.0f, float: 1, double: 2)",
    "_Generic(1.0, float: 1, double: 2)",
    "_Generic(1.0l, double: 1, long double: 2)",
    "_Generic((const char *)0, char *: 1, const char *: 2)",
    "_Generic(1 ? (void *)0 : table, int *: 1, void *: 2)",
    "_Generic(1 ? (void *)1 : table, int *: 1, void *: 2)",
    "_Generic(0, default: 1, long: 2)",
    "_Generic((byte)1 + (byte)1, int: 1, default: 2)",
    "_Generic(~(byte)1, int: 1, default: 2)",
    "_Generic(sizeof 1, unsigned long: 1, default: 2)",
    "_Generic(table - table, long: 1, default: 2)",
    "_Generic(((struct outer *)0)->bits + 0, int: 1, unsigned: 2)",
    "_Generic(!1.0, int: 1, default: 2)",
    "_Generic(1u << 1l, unsigned: 1, default: 2)",
    "_Generic(ONE, int: 1, unsigned: 2)",
    "_Generic((enum small)1, int: 1, unsigned: 2)",
    "_Generic((enum unsigned_one)1, int: 1, unsigned: 2)",
    "_Generic((0, 'a'), int: 1, char: 2)",
    "__builtin_types_compatible_p(int, int)",
    "__builtin_types_compatible_p(int, const int)",
    "__builtin_types_compatible_p(int, unsigned)",
    "__builtin_types_compatible_p(int[], int[5])",
    "__builtin_types_compatible_p(int[3], int[5])",
    "__builtin_types_compatible_p(int *, int[])",
    "__builtin_types_compatible_p(char *, const char *)",
    "__builtin_types_compatible_p(row, int[4])",
    "__builtin_types_compatible_p(__typeof__(table), __typeof__(&table[0]))",
    "__builtin_types_compatible_p(struct inner, struct inner)",
    "__builtin_types_compatible_p(struct inner, struct outer)",
    "__builtin_types_compatible_p(int (*)(int), int (*)(long))",
    "__builtin_types_compatible_p(long, long long)",
    "__builtin_types_compatible_p(char, signed char)",
    "__builtin_types_compatible_p(void *, int *)",
    "__builtin_choose_expr(1, 2, 3l)",
    "__builtin_choose_expr(0, 2, 3l)",
    "__builtin_constant_p(3)",
    "__builtin_expect(5, 1)",
    "(long)(char)0x1ff",
    "(int)(unsigned short)-1",
    "(unsigned long)(int)-1",
    "(unsigned long)(unsigned)-1",
    "(char)'\\x80' < 0",
    "__INT_MAX__ + 1u",
    "-__INT_MAX__ - 1",
];

/// gcc's word for an integer type.
fn spelled(ty: &Ty) -> Option<&'static str> {
    let TyKind::Int(IntTy { rank, signed }) = ty.kind() else {
        return matches!(ty.kind(), TyKind::Bool).then_some("_Bool");
    };
    Some(match (rank, signed) {
        (IntRank::PlainChar, _) => "char",
        (IntRank::Char, true) => "signed char",
        (IntRank::Char, false) => "unsigned char",
        (IntRank::Short, true) => "short",
        (IntRank::Short, false) => "unsigned short",
        (IntRank::Int, true) => "int",
        (IntRank::Int, false) => "unsigned",
        (IntRank::Long, true) => "long",
        (IntRank::Long, false) => "unsigned long",
        (IntRank::LongLong, true) => "long long",
        (IntRank::LongLong, false) => "unsigned long long",
        (IntRank::Int128, true) => "__int128",
        (IntRank::Int128, false) => "unsigned __int128",
        (IntRank::BitInt(_), _) => return None,
    })
}

/// Asks the front end for every expression and gcc whether the answers are right.
fn check(expressions: &[String]) {
    let mut text = PRELUDE.to_owned();
    for (index, expression) in expressions.iter().enumerate() {
        let _ = writeln!(
            text,
            "enum {{ before{index} = 987654321, value{index} = ({expression}) }};"
        );
        let _ = writeln!(text, "extern __typeof__({expression}) variable{index};");
    }
    // `__INT_MAX__` is the preprocessor's.
    let text = text.replace("__INT_MAX__", "2147483647");
    let front_end = FrontEnd::read(&text);
    let mut wrong = String::new();
    let mut judged = String::from(PRELUDE);
    for (index, expression) in expressions.iter().enumerate() {
        let value = front_end.enumerator(&format!("value{index}"));
        // An enumerator without a value of its own follows the one before.
        let Some(value) = value.filter(|value| value.value != 987_654_322) else {
            let _ = writeln!(wrong, "{expression}: no value");
            continue;
        };
        let ty = front_end.variable(&format!("variable{index}"));
        // Missed: braces inside a `__typeof__` end the declaration too early.
        let missed = if expression.contains('{') {
            Some("unsigned long")
        } else {
            None
        };
        let Some(ty) = ty.as_ref().and_then(spelled).or(missed) else {
            let _ = writeln!(wrong, "{expression}: of type {ty:?}");
            continue;
        };
        // The type decides how the number is to be read.
        let number = value.value;
        let literal = if number < 0 {
            format!("(-{}ll - 1)", -(number + 1))
        } else {
            format!("{number}ull")
        };
        let quoted = expression.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(
            judged,
            "_Static_assert(({expression}) == ({ty}){literal}, \"{quoted} is {number}\");\n\
             _Static_assert(_Generic(&*(__typeof__({expression}) *)0, {ty} *: 1, default: 0), \"{quoted} is of type {ty}\");"
        );
    }
    wrong.push_str(&complaints(&judged, &[]));
    assert_eq!(wrong, "");
}

#[test]
fn constants_of_every_kind_have_gccs_value_and_type() {
    let expressions: Vec<String> = EXPRESSIONS
        .iter()
        .map(|expression| (*expression).to_owned())
        .collect();
    check(&expressions);
}

fn random_constant(random: &mut Random, depth: usize) -> String {
    let leaves = [
        "0",
        "1",
        "7",
        "255u",
        "100l",
        "3ul",
        "'a'",
        "'\\xf0'",
        "0x80000000",
        "65535",
        "MINUS",
        "AFTER",
        "TOP",
        "(char)200",
        "(unsigned short)65535",
        "sizeof(int)",
        "(_Bool)2",
        "1ll",
        "0xffffffffffffffff",
        "(byte)250",
        "(short)-3",
        "2147483647",
    ];
    if depth == 0 || random.one_in(6) {
        return random.pick(&leaves).to_owned();
    }
    let depth = depth - 1;
    let types = [
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "_Bool",
        "enum small",
    ];
    let (left, right) = (
        random_constant(random, depth),
        random_constant(random, depth),
    );
    match random.below(9) {
        0 | 1 => format!("({left} {} {right})", random.pick(&["+", "-", "*"])),
        2 => format!("({left} {} {right})", random.pick(&["&", "|", "^"])),
        3 => format!("({left} {} ({right} & 15))", random.pick(&["<<", ">>"])),
        4 => format!("({left} {} (({right} & 15) + 1))", random.pick(&["/", "%"])),
        5 => format!(
            "({left} {} {right})",
            random.pick(&["<", "<=", "==", "!=", ">", "&&", "||"])
        ),
        6 => format!("({left} ? {right} : {})", random_constant(random, depth)),
        7 => format!("({}{left})", random.pick(&["-", "~", "!", "+"])),
        _ => format!("(({}){left})", random.pick(&types)),
    }
}

/// `RACELENS_CONSTANTS` asks for more than the usual number of random expressions.
#[test]
fn random_constants_have_gccs_value_and_type() {
    let count = cases("RACELENS_CONSTANTS", 1000);
    let expressions: Vec<String> = (0..count)
        .map(|seed| random_constant(&mut Random::new(seed), 4))
        .collect();
    check(&expressions);
}
