//! Sizes, alignments and offsets of the front end, judged by gcc.

use std::fmt::Write;

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::ir::{RecordRef, Ty};
use racelens_tests::compiler::{complaints, preprocess};
use racelens_tests::front_end::FrontEnd;
use racelens_tests::random::{Random, cases};

/// Each declares a type `T`.
const TYPES: &[&str] = &[
    "typedef struct { char c; int i; } T;",
    "typedef struct { char c; short s; char d; long l; } T;",
    "typedef struct { long l; char c; } T;",
    "typedef struct { char c[3]; } T;",
    "typedef struct { char c; struct { short a; char b; } in; int d; } T;",
    "typedef struct { char c; struct { short a; char b; }; int d; } T;",
    "typedef struct { char c; union { short a; long b; }; int d; } T;",
    "typedef struct { union { struct { char x, y; }; int z; }; char w; } T;",
    "typedef union { char c; int i; long l; } T;",
    "typedef union { char c[9]; int i; } T;",
    "typedef union { struct { char a; short b; } s; double d; long double e; } T;",
    "typedef struct { int n; char data[]; } T;",
    "typedef struct { char n; long data[]; } T;",
    "typedef struct { int n; char data[0]; } T;",
    "typedef struct { } T;",
    "typedef struct { char c; struct { } e; } T;",
    "typedef struct { int a : 3; int b : 5; } T;",
    "typedef struct { int a : 3; int : 0; int b : 5; char c; } T;",
    "typedef struct { char c; int a : 25; char d; } T;",
    "typedef struct { char c; int a : 24; char d; } T;",
    "typedef struct { char a : 5; char b : 5; char c : 5; } T;",
    "typedef struct { long a : 40; int b : 20; char c; } T;",
    "typedef struct { unsigned a : 31; unsigned b : 2; short c : 9; } T;",
    "typedef struct { _Bool a : 1; _Bool b : 1; char c; } T;",
    "typedef struct { char c; int : 5; char d; } T;",
    "typedef struct { char c; int : 0; char d; } T;",
    "typedef struct { char c; long : 0; char d; } T;",
    "typedef struct { short a : 9; int b : 17; long c : 33; char d; } T;",
    "typedef union { int a : 3; char b; } T;",
    "typedef union { long a : 33; char b; } T;",
    "enum colour { RED, GREEN }; typedef struct { char c; enum colour e; } T;",
    "typedef enum { NEGATIVE = -1, POSITIVE = 1 } T;",
    "typedef enum { BIG = 0x100000000 } T;",
    "typedef enum { LOW = -1, HIGH = 0x80000000 } T;",
    "typedef enum { UNSIGNED = 0xffffffff } T;",
    "typedef enum { ONE = 1 } __attribute__((packed)) T;",
    "typedef enum __attribute__((packed)) { A = -1, B = 200 } T;",
    "typedef struct { enum { X, Y } __attribute__((packed)) e; char c; } T;",
    "typedef struct { char c; int i; } __attribute__((packed)) T;",
    "typedef struct __attribute__((packed)) { char c; long l; short s; } T;",
    "typedef struct __attribute__((__packed__)) { char c; struct { char d; int i; } in; } T;",
    "typedef struct { char c; struct __attribute__((packed)) { char d; int i; } in; } T;",
    "typedef struct { char c; struct { char d; int i; } __attribute__((packed)) in; } T;",
    "typedef struct { char c; } __attribute__((aligned(16))) T;",
    "typedef struct { char c; } __attribute__((aligned)) T;",
    "typedef struct __attribute__((aligned(64))) { int a, b; } T;",
    "typedef struct __attribute__((packed, aligned(4))) { char c; long l; } T;",
    "typedef struct { char c; int i __attribute__((aligned(8))); } T;",
    "typedef struct { char c; int i __attribute__((packed)); short s; } T;",
    "typedef struct { char c; __attribute__((aligned(16))) int i; } T;",
    "typedef struct { char c; _Alignas(16) char d; } T;",
    "typedef struct { char c; _Alignas(long) char d; } T;",
    "typedef struct __attribute__((packed)) { char c; int a : 25; int b : 9; short s; } T;",
    "typedef struct __attribute__((packed)) { char a : 3; long b : 50; char c : 7; char d; } T;",
    "typedef struct __attribute__((packed)) { char c; int i __attribute__((aligned(4))); char d; } T;",
    "typedef union __attribute__((packed)) { char c; long l; } T;",
    "struct __attribute__((aligned(32))) cell { int x; }; typedef struct { char c; struct cell cells[3]; } T;",
    "typedef int T[3][5];",
    "typedef struct { char c; short a[3][2]; } T;",
    "typedef char T[sizeof(long) * 3 + 1];",
    "typedef struct { char c; void (*f)(int); char d; } T;",
    "typedef int (*T[4])(char, long);",
    "typedef struct { char c; long double x; } T;",
    "typedef struct { char c; _Complex double x; float _Complex y; } T;",
    "typedef struct { char c; __int128 x; unsigned __int128 y; } T;",
    "typedef struct { char c; __float128 x; _Float64 y; _Float32 z; } T;",
    "typedef float v4 __attribute__((vector_size(16))); typedef struct { char c; v4 x; } T;",
    "typedef short v8 __attribute__((vector_size(8))); typedef struct { char c; v8 x[2]; } T;",
    "typedef struct { char c; _Bool b; _Bool d[3]; short s; } T;",
    "typedef struct { char c; _Atomic int i; _Atomic char d; _Atomic long l; } T;",
    "typedef struct { char c; _Atomic struct { char x[8]; } s; } T;",
    "typedef struct { char c; _Atomic struct { char x[3]; } s; } T;",
    "typedef struct { char c; _Atomic(struct { short x[2]; }) s; } T;",
    "typedef struct { char c; _Atomic _Complex float f; _Atomic(void *) p; } T;",
    "typedef struct { char c; __builtin_va_list list; } T;",
    "typedef unsigned word __attribute__((mode(DI))); typedef struct { char c; word w; } T;",
    "typedef struct { const char c; volatile short s; char *restrict p; } T;",
    "typedef struct { char c; __typeof__(1L) a; __typeof__(char[7]) b; } T;",
    "typedef struct { struct node *next; struct node { char c; struct node *left; } in; } T;",
    "struct later; struct user { struct later *p; char c; }; struct later { long a; }; typedef struct { char c; struct user u; struct later l; } T;",
    "typedef struct { int a; ; int b; } T;",
    "typedef struct { _Static_assert(1, \"yes\"); char c; short s; } T;",
    "typedef struct { unsigned char a : 1, b : 2, : 3, c : 4; } T;",
    "typedef struct { long long a : 3; char b; } T;",
    "typedef struct { char c; double d; long long l; } T;",
];

/// The system's own records, from headers that a program with threads includes.
const HEADERS: &[&str] = &[
    "pthread.h",
    "stdio.h",
    "stdlib.h",
    "netinet/in.h",
    "sys/stat.h",
    "sys/socket.h",
    "sys/epoll.h",
    "sys/types.h",
    "signal.h",
    "ucontext.h",
    "semaphore.h",
    "time.h",
    "termios.h",
    "dirent.h",
];

/// `offsetof` and `sizeof` of a record as assertions, with all that lies inside it.
fn assertions(
    front_end: &FrontEnd,
    name: &str,
    record: RecordRef,
    prefix: &str,
    text: &mut String,
) {
    let Some(layout) = front_end.layout(record) else {
        return;
    };
    for field in &layout.fields {
        if field.anonymous {
            // Its members are reached by their own names.
            let Some(inner) = field.ty.record() else {
                continue;
            };
            let Some(members) = front_end.layout(inner) else {
                continue;
            };
            for member in members
                .fields
                .iter()
                .filter(|it| !it.anonymous && it.bits.is_none())
            {
                let offset = field.offset + member.offset;
                let path = format!("{prefix}{}", member.name);
                assert_offset(text, name, &path, offset);
            }
            continue;
        }
        if field.bits.is_none() {
            assert_offset(text, name, &format!("{prefix}{}", field.name), field.offset);
        }
    }
}

fn assert_offset(text: &mut String, name: &str, path: &str, offset: u64) {
    let _ = writeln!(
        text,
        "_Static_assert(__builtin_offsetof({name}, {path}) == {offset}, \"{name}.{path} at {offset}\");"
    );
}

fn assert_extent(front_end: &FrontEnd, name: &str, ty: &Ty, text: &mut String) {
    let Some(extent) = front_end.extent(ty) else {
        panic!("`{name}` has no size: {ty}");
    };
    let (size, align) = (extent.size, extent.align);
    let _ = writeln!(
        text,
        "_Static_assert(sizeof({name}) == {size} && _Alignof({name}) == {align}, \"{name}: {size} bytes, aligned to {align}\");"
    );
}

/// What gcc has against the front end's idea of `T`.
fn wrong_assertions(declaration: &str, data_model: DataModel, options: &[&str]) -> String {
    let front_end = FrontEnd::with_data_model(declaration, data_model);
    let ty = front_end
        .typedef("T")
        .unwrap_or_else(|| panic!("no type T in {declaration}"));
    let mut text = format!("{declaration}\n");
    assert_extent(&front_end, "T", &ty, &mut text);
    if let Some(record) = ty.record() {
        assertions(&front_end, "T", record, "", &mut text);
    }
    let complaints = complaints(&text, options);
    if complaints.is_empty() {
        complaints
    } else {
        format!("{declaration}\n{complaints}\n")
    }
}

#[test]
fn every_kind_of_type_has_the_size_and_offsets_that_gcc_gives_it() {
    let wrong: String = TYPES
        .iter()
        .map(|declaration| wrong_assertions(declaration, DataModel::LP64, &[]))
        .collect();
    assert_eq!(wrong, "");
}

#[test]
fn types_for_32_bit_x86_have_the_size_and_offsets_that_gcc_gives_them() {
    // gcc has no 128-bit integer there, and `long` is too short for some of the widths.
    let beyond = [
        "__int128",
        "va_list",
        "_Atomic",
        "_Complex",
        "BIG",
        "LOW",
        "__float128",
        "vector_size",
        "long a :",
        "long b :",
        "long c :",
    ];
    let wrong: String = TYPES
        .iter()
        .filter(|declaration| !beyond.iter().any(|word| declaration.contains(word)))
        .map(|declaration| wrong_assertions(declaration, DataModel::ILP32, &["-m32"]))
        .collect();
    assert_eq!(wrong, "");
}

/// Missed today, and marked `UNSOUND` where layouts are made: gcc aligns the first to 8 bytes, and
/// the second has 5.
#[test]
fn alignments_of_typedefs_and_packing_by_pragma_are_missed() {
    let missed = [
        (
            "typedef struct { char c; } T __attribute__((aligned(8)));",
            (1, 1),
        ),
        (
            "#pragma pack(1)\ntypedef struct { char c; int i; } T;",
            (8, 4),
        ),
    ];
    for (declaration, expected) in missed {
        let front_end = FrontEnd::read(declaration);
        let ty = front_end.typedef("T").expect("the typedef is there");
        let extent = front_end.extent(&ty).expect("it has a size");
        assert_eq!((extent.size, extent.align), expected, "{declaration}");
    }
}

#[test]
fn records_of_the_system_headers_have_their_sizes_and_offsets() {
    let mut includes = String::from("#define _GNU_SOURCE\n");
    for header in HEADERS {
        let _ = writeln!(includes, "#include <{header}>");
    }
    let preprocessed = preprocess(&includes);
    let front_end = FrontEnd::read(&preprocessed);
    let mut text = preprocessed.clone();
    let mut records = 0;
    for table in front_end.analysis().program().units.values() {
        for placed in &table.groups {
            for declared in &placed.group.declared {
                let name = declared.name.as_str();
                let Some(ty) = front_end.typedef(name) else {
                    continue;
                };
                let Some(record) = ty.record().filter(|record| !record.is_opaque()) else {
                    continue;
                };
                records += 1;
                assertions(&front_end, name, record, "", &mut text);
                // Missed: an alignment that stands on the typedef, not on the record.
                if name != "__pthread_unwind_buf_t" {
                    assert_extent(&front_end, name, &ty, &mut text);
                }
            }
        }
    }
    for tag in [
        "struct stat",
        "struct sockaddr_in6",
        "struct epoll_event",
        "struct timespec",
        "struct sigaction",
        "struct termios",
        "struct dirent",
        "struct _IO_FILE",
        "struct __pthread_mutex_s",
    ] {
        let with_variable = format!("{preprocessed}\ntypedef {tag} probe_t;\n");
        let front_end = FrontEnd::read(&with_variable);
        let ty = front_end.typedef("probe_t").expect("the typedef is there");
        let record = ty.record().expect("it is a record");
        records += 1;
        assert_extent(&front_end, tag, &ty, &mut text);
        assertions(&front_end, tag, record, "", &mut text);
    }
    assert!(records > 40, "only {records} records were found");
    assert_eq!(complaints(&text, &[]), "");
}

/// A struct or union with random members.
fn random_record(random: &mut Random, depth: usize) -> String {
    let scalars: &[&str] = &[
        "char",
        "short",
        "int",
        "long",
        "unsigned char",
        "float",
        "double",
        "_Bool",
        "long double",
        "void *",
        "unsigned long long",
        "_Atomic int",
        "enum colour",
    ];
    let integers: &[(&str, usize)] = &[
        ("char", 8),
        ("short", 16),
        ("int", 32),
        ("unsigned", 32),
        ("long", 64),
        ("_Bool", 1),
    ];
    let mut members = String::new();
    for index in 0..1 + random.below(6) {
        let name = format!("m{depth}_{index}_{}", random.below(1_000_000_000));
        match random.below(if depth > 0 { 8 } else { 6 }) {
            0..=2 => {
                let _ = write!(members, "{} {name}; ", random.pick(scalars));
            }
            3 => {
                let _ = write!(
                    members,
                    "{} {name}[{}]; ",
                    random.pick(scalars),
                    1 + random.below(5)
                );
            }
            4 | 5 => {
                let (ty, bits) = integers[random.below(integers.len())];
                let width = 1 + random.below(bits);
                match random.below(6) {
                    0 => drop(write!(members, "{ty} : {width}; ")),
                    1 => drop(write!(members, "{ty} : 0; ")),
                    _ => drop(write!(members, "{ty} {name} : {width}; ")),
                }
            }
            6 => {
                let inner = random_record(random, depth - 1);
                let _ = write!(members, "{inner} {name}; ");
            }
            _ => {
                let inner = random_record(random, depth - 1);
                let _ = write!(members, "{inner}; ");
            }
        }
    }
    let keyword = if random.one_in(4) { "union" } else { "struct" };
    let attribute = match random.below(8) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(8)))",
        2 => " __attribute__((packed, aligned(2)))",
        _ => "",
    };
    if random.one_in(2) {
        format!(
            "{keyword}{attribute} {{ char z{depth}_{}; {members}}}",
            random.below(1_000_000_000)
        )
    } else {
        format!("{keyword} {{ {members}}}{attribute}")
    }
}

/// `RACELENS_LAYOUT_CASES` asks for more than the usual number of random types.
#[test]
fn random_records_have_the_size_and_offsets_that_gcc_gives_them() {
    let count = cases("RACELENS_LAYOUT_CASES", 200);
    let mut text = String::from("enum colour { RED };\n");
    let mut declarations = text.clone();
    for seed in 0..count {
        let record = random_record(&mut Random::new(seed), 2);
        let _ = writeln!(declarations, "typedef {record} T{seed};");
    }
    let front_end = FrontEnd::read(&declarations);
    text.clone_from(&declarations);
    for seed in 0..count {
        let name = format!("T{seed}");
        let ty = front_end.typedef(&name).expect("the typedef is there");
        assert_extent(&front_end, &name, &ty, &mut text);
        if let Some(record) = ty.record() {
            assertions(&front_end, &name, record, "", &mut text);
        }
    }
    let complaints = complaints(&text, &[]);
    if !complaints.is_empty() {
        let first = complaints
            .lines()
            .find(|line| line.contains("\"T"))
            .unwrap_or(&complaints);
        let name = first
            .split('"')
            .nth(1)
            .unwrap_or("")
            .split([':', '.'])
            .next()
            .unwrap_or("");
        let end = format!(" {name};");
        let declaration = declarations.lines().find(|line| line.ends_with(&end));
        panic!("{declaration:?}\n{complaints}");
    }
}
