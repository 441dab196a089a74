//! From the arguments of a compile command to the few that are safe and that preprocessing needs.
//!
//! The arguments come from the workspace, which may be hostile, so this is a list of what is allowed.
//! Everything else is left out: silently where it cannot matter to the preprocessor, and with a note
//! where a build really depends on it, since the result may then differ from the build's.

use std::collections::BTreeMap;
use std::path::Path;

/// What is left of a compile command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SafeFlags {
    /// Arguments for the preprocessor. Paths in them are absolute.
    pub arguments: Vec<String>,
    /// The arguments that were refused, by kind, with the first one of each as an example.
    pub refused: BTreeMap<Refusal, String>,
    /// The language that `-x` names, if there is one.
    pub language: Option<String>,
    /// The arguments that are no options, which are the source files.
    pub inputs: Vec<String>,
}

/// Why an argument is refused although a build may depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// `-fplugin…`, `-Xclang`, `-load`, `-mllvm`: loads code into the compiler.
    LoadsCode,
    /// `-wrapper`, `-B`, `-specs`, `-fuse-…`: chooses which programs run.
    ChoosesProgram,
    /// `@file`, `--config`: takes further arguments from a file.
    ReadsArguments,
    /// `-Wp,…`, `-Xpreprocessor`: hands arguments on without a look at them.
    PassesThrough,
    /// `-iprefix`, `-no-canonical-prefixes`, `-include-pch`: changes what other flags mean.
    ChangesLookup,
    /// `-dumpdir`, `-save-temps`: writes files.
    WritesFiles,
    /// An allowed flag whose value is missing or does not look like one.
    BadValue,
}

impl Refusal {
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::LoadsCode => "it can load code into the compiler",
            Refusal::ChoosesProgram => "it can choose which program runs",
            Refusal::ReadsArguments => "it takes further arguments from a file",
            Refusal::PassesThrough => "it hands arguments on that are not checked",
            Refusal::ChangesLookup => "it changes where the compiler looks for its files",
            Refusal::WritesFiles => "it writes files",
            Refusal::BadValue => "its value is missing or looks like another flag",
        }
    }
}

/// Filters `arguments` (without the compiler's own name) of a command that runs in `directory`.
pub fn safe_flags(arguments: &[String], directory: &Path) -> SafeFlags {
    let mut filter = Filter {
        directory,
        result: SafeFlags::default(),
    };
    let mut rest = arguments.iter().map(String::as_str);
    let mut only_inputs = false;
    while let Some(argument) = rest.next() {
        if only_inputs && !argument.starts_with('@') {
            filter.result.inputs.push(argument.to_owned());
        } else if argument == "--" {
            only_inputs = true;
        } else {
            filter.argument(argument, &mut rest);
        }
    }
    filter.result
}

/// Flags whose value is a path, joined or apart. Longer names stand before their prefixes.
const PATH_FLAGS: &[&str] = &["-isystem", "-iquote", "-idirafter", "-isysroot", "-I"];

/// Flags whose value is a header, joined or apart.
const HEADER_FLAGS: &[&str] = &["-include", "-imacros"];

/// Flags that are passed on as they are.
const PASSED: &[&str] = &[
    "-ansi",
    "-pthread",
    "-nostdinc",
    "-undef",
    "-trigraphs",
    "-m32",
    "-m64",
    "-O",
    "-Os",
    "-Og",
    "-Oz",
    "-Ofast",
    "-fsigned-char",
    "-fno-signed-char",
    "-funsigned-char",
    "-fno-unsigned-char",
    "-fshort-enums",
    "-fno-short-enums",
    "-fshort-wchar",
    "-fno-short-wchar",
    "-fgnu89-inline",
    "-fno-gnu89-inline",
    "-fopenmp",
    "-fopenacc",
    "-ffreestanding",
    "-fno-freestanding",
    "-fhosted",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fno-pic",
    "-fno-pie",
    "-fno-PIC",
    "-fno-PIE",
    "-fexceptions",
    "-fno-exceptions",
    "-fms-extensions",
    "-fblocks",
    "-ffast-math",
    "-ftrapv",
    "-fstack-protector",
    "-fstack-protector-all",
    "-fstack-protector-strong",
    "-fno-stack-protector",
    "-fgnu-tm",
    "-fdollars-in-identifiers",
    "-fno-dollars-in-identifiers",
];

/// Harmless flags that take the next argument as their value; both are dropped.
const DROPPED_WITH_VALUE: &[&str] = &[
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-A",
    "-G",
    "-arch",
    "-aux-info",
    "-Xlinker",
    "-Xassembler",
    "--param",
    "-framework",
    "-iframework",
    "-F",
    "-index-store-path",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-working-directory",
    "-dumpbase",
    "-dumpbase-ext",
];

/// What is refused with a note: the flag (or its beginning), the kind, and whether it takes the next
/// argument when it stands alone.
const REFUSED: &[(&str, Refusal, bool)] = &[
    ("-fplugin", Refusal::LoadsCode, false),
    ("-fpass-plugin", Refusal::LoadsCode, false),
    ("-Xclang", Refusal::LoadsCode, true),
    ("-load", Refusal::LoadsCode, true),
    ("-mllvm", Refusal::LoadsCode, true),
    ("-wrapper", Refusal::ChoosesProgram, true),
    ("-B", Refusal::ChoosesProgram, true),
    ("-specs", Refusal::ChoosesProgram, true),
    ("--specs", Refusal::ChoosesProgram, true),
    ("-fuse-", Refusal::ChoosesProgram, false),
    ("--prefix", Refusal::ChoosesProgram, true),
    ("-ccc-", Refusal::ChoosesProgram, true),
    ("--gcc-toolchain", Refusal::ChoosesProgram, true),
    ("--gcc-install-dir", Refusal::ChoosesProgram, true),
    ("-resource-dir", Refusal::ChangesLookup, true),
    ("@", Refusal::ReadsArguments, false),
    ("--config", Refusal::ReadsArguments, true),
    ("-Xpreprocessor", Refusal::PassesThrough, true),
    ("-iprefix", Refusal::ChangesLookup, true),
    ("-iwithprefix", Refusal::ChangesLookup, true),
    ("-imultilib", Refusal::ChangesLookup, true),
    ("-include-pch", Refusal::ChangesLookup, true),
    ("-ivfsoverlay", Refusal::ChangesLookup, true),
    ("-no-canonical-prefixes", Refusal::ChangesLookup, false),
    ("-dumpdir", Refusal::WritesFiles, true),
    ("-save-temps", Refusal::WritesFiles, false),
    ("--save-temps", Refusal::WritesFiles, false),
];

struct Filter<'a> {
    directory: &'a Path,
    result: SafeFlags,
}

impl Filter<'_> {
    fn argument<'s>(&mut self, argument: &'s str, rest: &mut impl Iterator<Item = &'s str>) {
        // Most arguments of a large database are warnings; they need no look at the tables.
        if argument.starts_with("-W") && !argument.starts_with("-Wp,") {
            return;
        }
        if let Some(&(flag, refusal, takes_value)) =
            REFUSED.iter().find(|(flag, ..)| argument.starts_with(flag))
        {
            self.refuse(refusal, argument);
            if takes_value && argument == flag {
                rest.next();
            }
        } else if let Some(passed_through) = argument.strip_prefix("-Wp,") {
            self.preprocessor_list(argument, passed_through);
        } else if let Some(flag) = HEADER_FLAGS
            .iter()
            .find(|flag| argument.starts_with(**flag))
        {
            if let Some(header) = self.value(flag, argument, rest) {
                let header = self.header(header);
                self.pass_pair(flag, header);
            }
        } else if let Some(flag) = PATH_FLAGS.iter().find(|flag| argument.starts_with(**flag)) {
            if let Some(path) = self.value(flag, argument, rest) {
                let path = self.path(path);
                if *flag == "-isysroot" && !Path::new(&path).is_dir() {
                    self.refuse(Refusal::BadValue, argument);
                } else {
                    self.pass_pair(flag, path);
                }
            }
        } else if let Some(path) = long_value("--sysroot", argument, rest) {
            let path = self.path(path);
            // Only a directory: a file here would be an attempt at something else.
            if Path::new(&path).is_dir() {
                self.pass(format!("--sysroot={path}"));
            } else {
                self.refuse(Refusal::BadValue, argument);
            }
        } else if let Some(triple) =
            long_value("--target", argument, rest).or_else(|| long_value("-target", argument, rest))
        {
            if is_plain_word(triple) {
                self.pass(format!("--target={triple}"));
            } else {
                self.refuse(Refusal::BadValue, argument);
            }
        } else if argument == "-D" || argument == "-U" {
            match rest.next() {
                Some(macro_text) => self.pass(format!("{argument}{macro_text}")),
                None => self.refuse(Refusal::BadValue, argument),
            }
        } else if argument.starts_with("-D") || argument.starts_with("-U") || is_passed(argument) {
            self.pass(argument.to_owned());
        } else if argument == "-x" {
            self.result.language = rest.next().map(str::to_owned);
        } else if let Some(language) = argument.strip_prefix("-x") {
            self.result.language = Some(language.to_owned());
        } else if DROPPED_WITH_VALUE.contains(&argument) {
            rest.next();
        } else if !argument.starts_with('-') || argument == "-" {
            self.result.inputs.push(argument.to_owned());
        }
    }

    /// `-Wp,-D_FORTIFY_SOURCE=2` and `-Wp,-MMD,file.d` are what builds really use; both are harmless.
    fn preprocessor_list(&mut self, argument: &str, list: &str) {
        let mut parts = list.split(',');
        while let Some(part) = parts.next() {
            match part {
                "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" => {
                    parts.next();
                }
                "-MP" | "-MG" => {}
                "-D" | "-U" => self.refuse(Refusal::PassesThrough, argument),
                _ if part.starts_with("-D") || part.starts_with("-U") => self.pass(part.to_owned()),
                _ => self.refuse(Refusal::PassesThrough, argument),
            }
        }
    }

    /// The value of `flag`, joined or apart. One that looks like a flag or a response file is refused.
    fn value<'s>(
        &mut self,
        flag: &str,
        argument: &'s str,
        rest: &mut impl Iterator<Item = &'s str>,
    ) -> Option<&'s str> {
        let value = match &argument[flag.len()..] {
            "" => rest.next().unwrap_or(""),
            joined => joined,
        };
        if value.is_empty() || value.starts_with('-') || value.starts_with('@') {
            self.refuse(Refusal::BadValue, argument);
            return None;
        }
        Some(value)
    }

    fn path(&self, path: &str) -> String {
        // `-I=dir` and `-I$SYSROOT/dir` are relative to the sysroot, not to the directory.
        if path.starts_with('=') || path.starts_with("$SYSROOT") {
            return path.to_owned();
        }
        self.directory.join(path).to_string_lossy().into_owned()
    }

    /// A header is first looked for in the working directory, then along the include path, where
    /// its name must stay as it is.
    fn header(&self, header: &str) -> String {
        let in_directory = self.directory.join(header);
        if in_directory.is_file() {
            in_directory.to_string_lossy().into_owned()
        } else {
            header.to_owned()
        }
    }

    fn pass(&mut self, argument: String) {
        self.result.arguments.push(argument);
    }

    fn pass_pair(&mut self, flag: &str, value: String) {
        self.result.arguments.push(flag.to_owned());
        self.result.arguments.push(value);
    }

    fn refuse(&mut self, refusal: Refusal, argument: &str) {
        self.result
            .refused
            .entry(refusal)
            .or_insert_with(|| argument.to_owned());
    }
}

/// The value of `--flag=value` or `--flag value`.
fn long_value<'s>(
    flag: &str,
    argument: &'s str,
    rest: &mut impl Iterator<Item = &'s str>,
) -> Option<&'s str> {
    match argument.strip_prefix(flag)? {
        "" => Some(rest.next().unwrap_or("")),
        joined => joined.strip_prefix('='),
    }
}

fn is_passed(argument: &str) -> bool {
    if PASSED.contains(&argument) {
        return true;
    }
    if let Some(level) = argument.strip_prefix("-O") {
        return !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit());
    }
    if let Some(standard) = argument.strip_prefix("-std=") {
        return is_plain_word(standard);
    }
    if let Some(sanitizers) = argument.strip_prefix("-fsanitize=") {
        return sanitizers.split(',').all(is_plain_word);
    }
    // A machine flag cannot name a file as long as it has no slash.
    argument.strip_prefix("-m").is_some_and(|machine| {
        is_plain_word(machine) && machine.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

fn is_plain_word(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._=+:-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(arguments: &str) -> SafeFlags {
        let arguments = shlex::split(arguments).unwrap();
        safe_flags(&arguments, Path::new("/w"))
    }

    #[test]
    fn what_the_preprocessor_needs_is_passed_in_one_spelling() {
        for (given, expected) in [
            ("-Iinc -I inc -I/abs", "-I /w/inc -I /w/inc -I /abs"),
            (
                "-isystem sys -isystemsys",
                "-isystem /w/sys -isystem /w/sys",
            ),
            ("-iquote q -idirafter a", "-iquote /w/q -idirafter /w/a"),
            ("-I=usr/include", "-I =usr/include"),
            ("-DA -D B=1 -UC -U D", "-DA -DB=1 -UC -UD"),
            ("-D -DASH", "-D-DASH"),
            (
                "-include pre.h -imacrosmac.h",
                "-include pre.h -imacros mac.h",
            ),
            (
                "-std=gnu11 -ansi -m32 -march=armv8-a+crc",
                "-std=gnu11 -ansi -m32 -march=armv8-a+crc",
            ),
            ("-O -O2 -Os -Ofast", "-O -O2 -Os -Ofast"),
            (
                "-target arm-linux --target=x86_64-linux",
                "--target=arm-linux --target=x86_64-linux",
            ),
            (
                "-Wp,-MMD,a.d -Wp,-D_FORTIFY_SOURCE=2",
                "-D_FORTIFY_SOURCE=2",
            ),
            (
                "-fsanitize=thread,undefined -fopenmp -pthread",
                "-fsanitize=thread,undefined -fopenmp -pthread",
            ),
        ] {
            let flags = filter(given);
            assert_eq!(flags.arguments.join(" "), expected, "{given}");
            assert!(flags.refused.is_empty(), "{given}: {:?}", flags.refused);
        }
    }

    #[test]
    fn what_does_not_matter_is_dropped_without_a_trace() {
        let flags = filter(
            "-c -o a.o -g3 -ggdb -Wall -Wextra -Werror=x -MD -MMD -MP -MF a.d -MT a.o -fno-strict-aliasing \
             --param max-inline=3 -pipe -pedantic -Wl,-z,now -Wa,--noexecstack -L lib -lfoo a.c",
        );
        assert_eq!(flags.arguments, Vec::<String>::new());
        assert!(flags.refused.is_empty(), "{:?}", flags.refused);
        assert_eq!(flags.inputs, ["a.c"]);
    }

    #[test]
    fn dangerous_flags_are_refused_by_kind_and_never_passed() {
        for (given, refusal) in [
            ("-fplugin=./evil.so", Refusal::LoadsCode),
            ("-fplugin-arg-x-y=z", Refusal::LoadsCode),
            ("-Xclang -load", Refusal::LoadsCode),
            ("-load ./evil.so", Refusal::LoadsCode),
            ("-mllvm -load=./evil.so", Refusal::LoadsCode),
            ("-wrapper ./evil", Refusal::ChoosesProgram),
            ("-B .", Refusal::ChoosesProgram),
            ("-B./bin", Refusal::ChoosesProgram),
            ("-specs=./evil.specs", Refusal::ChoosesProgram),
            ("--specs=./evil.specs", Refusal::ChoosesProgram),
            ("-fuse-ld=./evil", Refusal::ChoosesProgram),
            ("@args.txt", Refusal::ReadsArguments),
            ("--config evil.cfg", Refusal::ReadsArguments),
            ("-Wp,-fplugin=./evil.so", Refusal::PassesThrough),
            ("-Xpreprocessor -fplugin=x", Refusal::PassesThrough),
            ("-iprefix ./x", Refusal::ChangesLookup),
            ("-no-canonical-prefixes", Refusal::ChangesLookup),
            ("-include-pch evil.pch", Refusal::ChangesLookup),
            ("-dumpdir ./x", Refusal::WritesFiles),
            ("-save-temps=obj", Refusal::WritesFiles),
            ("-I -fplugin=x", Refusal::BadValue),
            ("-include @args", Refusal::BadValue),
            ("-I", Refusal::BadValue),
            ("--sysroot=/no/such/directory", Refusal::BadValue),
            ("--target=-x", Refusal::BadValue),
        ] {
            let flags = filter(given);
            assert_eq!(flags.arguments, Vec::<String>::new(), "{given}");
            assert_eq!(
                flags.refused.keys().collect::<Vec<_>>(),
                [&refusal],
                "{given}"
            );
        }
    }

    #[test]
    fn a_machine_flag_that_could_name_a_file_is_dropped() {
        assert_eq!(
            filter("-mfoo=/etc/x -m../x -m").arguments,
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_language_is_told_apart_from_the_inputs() {
        let flags = filter("-x c++ -- a.c @b");
        assert_eq!(flags.language.as_deref(), Some("c++"));
        assert_eq!(flags.inputs, ["a.c"]);
        assert!(flags.refused.contains_key(&Refusal::ReadsArguments));
    }
}
