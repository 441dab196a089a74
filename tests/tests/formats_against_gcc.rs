//! What `printf` prints: the C library decides, byte for byte.

use racelens_analysis::kiss::machine::printed::{Part, Printed, parts};
use racelens_tests::compiler;
use racelens_tests::random::{Random, cases};

/// A random directive, its argument as C, and as it is printed here.
fn case(random: &mut Random) -> (String, String, Printed) {
    let mut format = String::from("%");
    for flag in ["-", "+", " ", "#", "0"] {
        if random.below(4) == 0 {
            format.push_str(flag);
        }
    }
    if random.below(2) == 0 {
        format.push_str(&random.below(20).to_string());
    }
    let has_precision = random.below(2) == 0;
    if has_precision {
        format.push_str(&format!(".{}", random.below(12)));
    }
    match random.below(4) {
        0 => {
            let text = ["", "a", "hello", "a longer text"][random.below(4)];
            // What `#` and `0` mean for strings, C does not say.
            let format = format.replace(['#', '0', '+', ' '], "");
            let printed = Printed::Text(text.as_bytes().to_vec());
            (format!("{format}s"), format!("\"{text}\""), printed)
        }
        1 => {
            let letter = b'a' + random.below(26) as u8;
            let format = format
                .split('.')
                .next()
                .unwrap_or("%")
                .replace(['#', '0', '+', ' '], "");
            let printed = Printed::Integer(i128::from(letter));
            (
                format!("{format}c"),
                format!("'{}'", char::from(letter)),
                printed,
            )
        }
        2 => {
            let lengths = [
                ("hh", "int"),
                ("h", "int"),
                ("", "int"),
                ("l", "long"),
                ("ll", "long long"),
                ("z", "long"),
            ];
            let (length, ty) = lengths[random.below(6)];
            let conversion = ["d", "i", "u", "x", "X", "o"][random.below(6)];
            let number = match random.below(3) {
                0 => random.below(3) as i64 - 1,
                1 => random.below(1 << 20) as i64 - (1 << 19),
                _ => (random.below(1 << 32) << 31 | random.below(1 << 31)) as i64 - i64::MAX / 2,
            };
            let format = match conversion {
                "d" | "i" => format.replace('#', ""),
                _ => format.replace(['+', ' '], ""),
            };
            let argument = format!("({ty})({number}LL)");
            let number = if ty == "int" {
                i64::from(number as i32)
            } else {
                number
            };
            (
                format!("{format}{length}{conversion}"),
                argument,
                Printed::Integer(i128::from(number)),
            )
        }
        _ => {
            let conversion = ["f", "F", "e", "E", "g", "G"][random.below(6)];
            let numbers = [
                0.0,
                1.0,
                -1.5,
                0.5,
                2.5,
                1e-7,
                123_456.789,
                1e20,
                999_999.5,
                0.000_123_456,
                1.0 / 3.0,
                -1e-300,
            ];
            let format = match conversion {
                "g" | "G" => format.replace('#', ""),
                _ => format,
            };
            let number: f64 = numbers[random.below(numbers.len())];
            (
                format!("{format}{conversion}"),
                format!("{number:e}"),
                Printed::Float(number),
            )
        }
    }
}

fn ours(format: &str, argument: &Printed) -> Vec<u8> {
    let parts = parts(format.as_bytes()).unwrap_or_else(|| panic!("{format} is not understood"));
    let mut bytes = Vec::new();
    for part in &parts {
        match part {
            Part::Literal(literal) => bytes.extend(literal),
            Part::Directive(directive) => {
                let printed = directive.print(argument);
                let printed =
                    printed.unwrap_or_else(|| panic!("{format} of {argument:?} is not printed"));
                let (least, most) = directive.bounds();
                assert!(printed.len() >= least, "{format}");
                assert!(most.is_none_or(|most| printed.len() <= most), "{format}");
                bytes.extend(printed);
            }
        }
    }
    bytes
}

/// `RACELENS_FORMATS` asks for more than the usual number.
#[test]
fn formats_are_printed_as_the_c_library_does() {
    let mut random = Random::new(7);
    let count = cases("RACELENS_FORMATS", 3000);
    let all: Vec<(String, String, Printed)> = (0..count).map(|_| case(&mut random)).collect();
    let lines = all
        .iter()
        .map(|(format, argument, _)| format!("    printf(\"<{format}>\\n\", {argument});\n"));
    let program = format!(
        "#include <stdio.h>\nint main(void) {{\n{}    return 0;\n}}\n",
        lines.collect::<String>()
    );
    let folder = tempfile::tempdir().expect("a folder can be made");
    let output = compiler::run(&program, folder.path(), &["-w"]).expect("gcc takes it");
    let printed: Vec<&str> = output.lines().collect();
    assert_eq!(printed.len(), all.len());
    let mut wrong = Vec::new();
    for ((format, argument, value), theirs) in all.iter().zip(printed) {
        let ours = format!("<{}>", String::from_utf8_lossy(&ours(format, value)));
        if ours != theirs {
            wrong.push(format!(
                "{format} of {argument}: {ours}, but C prints {theirs}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
