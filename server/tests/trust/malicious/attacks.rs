//! The attacks, each as the workspace that it consists of.

use super::stage::{SECRET, Stage};
use crate::program::RACY;

pub struct Attack {
    pub name: &'static str,
    pub prepare: fn(&Stage),
    /// Whether the program can still be analysed as if nothing was.
    pub finds_the_race: bool,
}

const fn attack(name: &'static str, prepare: fn(&Stage)) -> Attack {
    Attack {
        name,
        prepare,
        finds_the_race: true,
    }
}

pub const ATTACKS: &[Attack] = &[
    attack("the command names a program beside the source", |stage| {
        stage.program("gcc");
        stage.command("./gcc -c a.c");
    }),
    attack("the command names a program by its whole path", |stage| {
        stage.program("bin/cc");
        stage.command("$W/bin/cc -c a.c");
    }),
    attack("the compiler is a link to a program", |stage| {
        stage.program("innocent");
        stage.link("innocent", "gcc");
        stage.command("$W/gcc -c a.c");
    }),
    attack("the workspace is in PATH", |stage| {
        for program in ["gcc", "cc", "clang", "bin/gcc", "bin/cc", "cc1", "bin/cc1"] {
            stage.program(program);
        }
        stage.set("PATH", ".::$W:$W/bin:bin:$PATH");
    }),
    attack("the compiler is started by something else", |stage| {
        stage.program("gcc");
        stage.program("ccache");
        stage.command("./ccache ./gcc -c a.c");
    }),
    attack("the command is a line for a shell", |stage| {
        stage.program("gcc");
        stage.command("sh -c './gcc' a.c ; touch $TRACE $(touch $TRACE) `touch $TRACE` && ./gcc");
    }),
    attack("a plug-in for the compiler", |stage| {
        stage.library("plugin.so");
        stage.command("gcc -fplugin=$W/plugin.so -fplugin=./plugin.so -c a.c");
    }),
    attack("a plug-in for clang", |stage| {
        stage.library("plugin.so");
        stage.command("clang -Xclang -load -Xclang $W/plugin.so -fpass-plugin=$W/plugin.so -c a.c");
    }),
    attack("a folder with parts of a compiler", |stage| {
        stage.program("bin/cc1");
        stage.command("gcc -B$W/bin -B $W/bin/ --prefix=$W/bin -c a.c");
    }),
    attack("specs that name another program", |stage| {
        stage.program("bin/canary");
        stage.write("evil.specs", "@c:\n$W/bin/canary\n\n");
        stage.command("gcc -specs=$W/evil.specs --specs=evil.specs -c a.c");
    }),
    attack("a program around every part of the compiler", |stage| {
        stage.program("canary");
        stage.command("gcc -wrapper $W/canary,x -c a.c");
    }),
    attack("a file with further flags", |stage| {
        stage.program("canary");
        stage.write("flags", "-wrapper $W/canary\n");
        stage.command("gcc @flags @$W/flags -I @flags -include @flags -c a.c");
    }),
    attack("flags that are handed on", |stage| {
        stage.library("plugin.so");
        stage.command(
            "gcc -Wp,-fplugin=$W/plugin.so -Xpreprocessor -fplugin=$W/plugin.so -Wa,@flags -c a.c",
        );
    }),
    attack("flags that hide in values", |stage| {
        stage.program("bin/cc1");
        stage.command("gcc -I -B$W/bin -D -B$W/bin -include -wrapper -isystem -B$W/bin -c a.c");
    }),
    Attack {
        name: "a root of the system with programs in it",
        prepare: |stage| {
            for program in [
                "usr/bin/gcc",
                "usr/bin/cc1",
                "usr/libexec/gcc/cc1",
                "bin/as",
            ] {
                stage.program(program);
            }
            stage.command("gcc --sysroot=$W -isysroot $W -resource-dir $W -c a.c");
        },
        // The headers of the system are not there.
        finds_the_race: false,
    },
    attack("flags that write files", |stage| {
        stage.command(
            "gcc -o $TRACE -MD -MF $TRACE -MMD -MT x -MJ $TRACE -save-temps=obj -dumpdir $W/d -dumpbase $TRACE \
             -aux-info $TRACE -fdump-tree-all=$TRACE -ftest-coverage -fprofile-arcs -fstack-usage -Wp,-MD,$TRACE \
             -fdiagnostics-format=sarif-file -serialize-diagnostics $TRACE -ftime-report -Wl,-Map,$TRACE -c a.c",
        );
    }),
    attack("variables that choose programs and write files", |stage| {
        stage.program("bin/cc1");
        stage.write("evil/pthread.h", "#error poisoned\n");
        for (variable, value) in [
            ("GCC_EXEC_PREFIX", "$W/bin/"),
            ("COMPILER_PATH", "$W/bin"),
            ("CPATH", "$W/evil"),
            ("C_INCLUDE_PATH", "$W/evil"),
            ("DEPENDENCIES_OUTPUT", "$TRACE"),
            ("SUNPRO_DEPENDENCIES", "$TRACE"),
            ("CC", "$W/bin/cc1"),
            ("CCC_OVERRIDE_OPTIONS", "+-fplugin=$W/x.so"),
        ] {
            stage.set(variable, value);
        }
    }),
    attack("the configuration chooses a compiler", |stage| {
        stage.program("gcc");
        stage.write(
            "racelens.toml",
            "[preprocessor]\ncompiler = \"$W/gcc\"\nallowed-compilers = [\"$W/gcc\"]\n",
        );
    }),
    attack("the configuration has flags", |stage| {
        stage.library("plugin.so");
        stage.program("bin/cc1");
        stage.write(
            "racelens.toml",
            "[preprocessor]\nflags = [\"-fplugin=$W/plugin.so\", \"-B$W/bin\", \"-o\", \"$TRACE\"]\n",
        );
    }),
    attack("the configuration names the secret as a model", |stage| {
        stage.link("$SECRET", "linked.toml");
        stage.write(
            "racelens.toml",
            "[models]\nfiles = [\"$SECRET\", \"linked.toml\"]\n",
        );
    }),
    attack(
        "the configuration names the secret as a database",
        |stage| {
            stage.write(
                "racelens.toml",
                "[project]\ncompile-commands = \"$SECRET\"\n",
            );
        },
    ),
    attack("the database is a link to the secret", |stage| {
        stage.link("$SECRET", "compile_commands.json");
    }),
    attack("the configuration is a link to the secret", |stage| {
        stage.link("$SECRET", "racelens.toml");
    }),
    attack("the secret is a header", |stage| {
        stage.append("a.c", "#include \"$SECRET\"\nint after_the_secret;\n");
    }),
    attack("the secret is a header by a link", |stage| {
        stage.link("$SECRET", "secret.h");
        stage.append("a.c", "#include \"secret.h\"\nint after_the_secret;\n");
    }),
    attack("the secret is a header by a flag", |stage| {
        stage.command("gcc -include $SECRET -imacros $SECRET -c a.c");
    }),
    attack("the secret is the rest of a declaration", |stage| {
        stage.append(
            "a.c",
            "int\n#include \"$SECRET\"\n;\nint after_the_secret;\n",
        );
    }),
    attack("the race is said to stand in the secret", |stage| {
        let source = RACY.replace("    counter++;", "#line 1 \"$SECRET\"\n    counter++;");
        stage.write("a.c", &source);
    }),
    attack("the secret is a source by a link", |stage| {
        stage.link("$SECRET", "secret.c");
    }),
    attack("the secret is a source by a flag", |stage| {
        stage.command_for("$SECRET", "gcc -x c -c $SECRET");
    }),
    attack("the preprocessor is to compare with the secret", |stage| {
        stage.append(
            "a.c",
            "#pragma GCC dependency \"$SECRET\" is newer\n#pragma GCC poison pthread_t\n\
             #if __has_include(\"$SECRET\")\nint has_it;\n#endif\n#include_next <$SECRET>\n#ident \"$SECRET\"\n",
        );
    }),
    Attack {
        name: "a header that never ends",
        prepare: |stage| {
            stage.write("racelens.toml", "[preprocessor]\ntimeout-seconds = 1\n");
            stage.pipe("pipe.h");
            stage.append("a.c", "#include \"pipe.h\"\n");
        },
        finds_the_race: false,
    },
    Attack {
        name: "a device is a header",
        prepare: |stage| {
            stage.write("racelens.toml", "[preprocessor]\ntimeout-seconds = 1\n");
            stage.command("gcc -include /dev/zero -c a.c");
        },
        finds_the_race: false,
    },
    attack("the configuration and the database are pipes", |stage| {
        stage.pipe("racelens.toml");
        stage.pipe("compile_commands.json");
        stage.pipe("pipe.c");
    }),
    attack("the configuration and the database are devices", |stage| {
        stage.link("/dev/zero", "racelens.toml");
        stage.link("/dev/zero", "compile_commands.json");
        stage.link("/dev/zero", "zero.c");
    }),
    attack("models are pipes and devices", |stage| {
        stage.pipe("pipe.toml");
        stage.link("/dev/zero", "zero.toml");
        stage.write(
            "racelens.toml",
            "[models]\nfiles = [\"pipe.toml\", \"zero.toml\", \"/dev/zero\"]\n",
        );
    }),
    attack("a source of a terabyte", |stage| {
        let file = std::fs::File::create(stage.workspace.path("huge.c")).unwrap();
        file.set_len(1 << 40).unwrap();
    }),
    attack("links that lead in a circle", |stage| {
        stage.link("b.c", "c.c");
        stage.link("c.c", "b.c");
        stage.link(".", "again");
        stage.link("..", "up");
    }),
    attack("a header that includes itself", |stage| {
        stage.write("self.h", "#include \"self.h\"\n");
        stage.append("a.c", "#include \"self.h\"\n");
    }),
    Attack {
        name: "a header that includes itself twice",
        prepare: |stage| {
            stage.write("racelens.toml", "[preprocessor]\ntimeout-seconds = 1\n");
            stage.write("self.h", "#include \"self.h\"\n#include __FILE__\n");
            stage.append("a.c", "#include \"self.h\"\n");
        },
        finds_the_race: false,
    },
    Attack {
        name: "macros that grow without end",
        prepare: |stage| {
            stage.write(
                "racelens.toml",
                "[preprocessor]\ntimeout-seconds = 2\nmax-output-megabytes = 1\n",
            );
            let mut text = "#define A0 x x x x x x x x x x\n".to_owned();
            for level in 1..12 {
                let one = format!("A{} ", level - 1);
                text.push_str(&format!("#define A{level} {}\n", one.repeat(10)));
            }
            stage.append("a.c", &format!("{text}A11\n"));
        },
        finds_the_race: false,
    },
    attack("names that command a terminal", |stage| {
        let name = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\nerror: forged.c";
        stage.write(
            name,
            "#error \x1b[2J\x1b]0;owned\x07\n#include \"\x1b[2J.h\"\nint \x1b[2J;\n",
        );
        stage.write(
            "racelens.toml",
            "\"\\u001b[2J\" = \"\\u001b]0;owned\\u0007\"\n[threads]\nentries = [\"\\u001b[2J\"]\n",
        );
    }),
    attack("programs of other tools", |stage| {
        stage.program("canary");
        let line = "$W/canary";
        stage.write(
            ".git/config",
            &format!("[core]\n\tfsmonitor = {line}\n\tpager = {line}\n\thooksPath = $W\n"),
        );
        stage.write(".git/HEAD", "ref: refs/heads/main\n");
        stage.write(
            ".vscode/settings.json",
            &format!(
                "{{\"racelens.compiler\": \"{line}\", \"racelens.server.path\": \"{line}\"}}\n"
            ),
        );
        stage.write(".clangd", &format!("CompileFlags:\n  Compiler: {line}\n"));
        stage.write(".envrc", "touch $TRACE\n");
        stage.write("Makefile", "all:\n\ttouch $TRACE\n");
        stage.write("CMakeLists.txt", "execute_process(COMMAND touch $TRACE)\n");
        stage.write(".nvim.lua", "os.execute('touch $TRACE')\n");
    }),
    attack("the secret's folder is a folder of headers", |stage| {
        stage.command("gcc -I $HOME -iquote $HOME -isystem $HOME -include private_key -c a.c");
        stage.append(
            "a.c",
            "#include \"private_key\"\n#include <private_key>\nint after_the_secret;\n",
        );
    }),
    attack(
        "a link to the secret's folder is a folder of headers",
        |stage| {
            stage.link("$HOME", "include");
            stage.command("gcc -Iinclude -c a.c");
            stage.append(
                "a.c",
                "#include \"include/private_key\"\n#include <private_key>\n\
             #include \"include/../include/private_key\"\nint after_the_secret;\n",
            );
        },
    ),
    attack("the secret is embedded, imported and asked for", |stage| {
        stage.append(
            "a.c",
            "#ifdef __has_embed\n#if __has_embed(\"$SECRET\")\nconst char stolen[] = {\n#embed \"$SECRET\"\n};\n#endif\n\
             #endif\n#import \"$SECRET\"\n#define WHERE \"$SECRET\"\n#include WHERE\nint after_the_secret;\n",
        );
    }),
    Attack {
        name: "the race is said to stand in the secret by markers",
        prepare: |stage| {
            let source = RACY.replace("    counter++;", "# 1 \"$SECRET\" 1 3 4\n    counter++;");
            stage.write("a.c", &source);
        },
        // All that follows is said to be included from there, and is left out with a note.
        finds_the_race: false,
    },
    attack("the secret comes with a macro of several lines", |stage| {
        let command = "gcc '-DA=1\n#include \"$SECRET\"\n' '-UB\n#include \"$SECRET\"' -c a.c";
        stage.command(command);
        stage.append("a.c", "int value = A;\n");
    }),
    attack("the environment is a header", |stage| {
        stage.set("API_TOKEN", SECRET);
        stage.command(
            "gcc -include /proc/self/environ -imacros /proc/self/cmdline -include /dev/stdin -c a.c",
        );
        stage.append(
            "a.c",
            "#include \"/proc/self/environ\"\n#include \"/proc/self/fd/0\"\n#include \"/dev/fd/0\"\n",
        );
    }),
    attack("files with further flags that name each other", |stage| {
        stage.program("canary");
        stage.write("a.rsp", "@b.rsp\n");
        stage.write("b.rsp", "@a.rsp -wrapper $W/canary -B$W -fplugin=$W/x.so\n");
        stage.write("compile_flags.txt", "-wrapper\n$W/canary\n@a.rsp\n");
        stage.command(
            "gcc @a.rsp --@a.rsp -Xpreprocessor @a.rsp --config=a.rsp --config a.rsp -c a.c",
        );
    }),
    attack("the command sets variables", |stage| {
        stage.program("canary");
        stage.program("bin/cc1");
        stage.program("bin/gcc");
        stage.command(
            "env -i PATH=$W/bin GCC_EXEC_PREFIX=$W/bin/ COMPILER_PATH=$W/bin CCACHE_PREFIX=$W/canary gcc -c a.c",
        );
        for (variable, value) in [
            ("CCACHE_PREFIX", "$W/canary"),
            ("CCACHE_PREFIX_CPP", "$W/canary"),
            ("CCACHE_COMPILER", "$W/canary"),
            ("CCACHE_CONFIGPATH", "$W/ccache.conf"),
            ("CLANG_CONFIG_FILE_SYSTEM_DIR", "$W"),
            ("GCC_COMPARE_DEBUG", "-fplugin=$W/x.so"),
            ("COLLECT_GCC", "$W/canary"),
            ("COLLECT_GCC_OPTIONS", "-wrapper $W/canary"),
        ] {
            stage.set(variable, value);
        }
    }),
    attack("sources are called as flags are", |stage| {
        stage.program("canary");
        for name in [
            "@flags.c",
            "-wrapper.c",
            "-fplugin=x.c",
            "-include.c",
            "--specs=x.c",
            "-o.c",
        ] {
            stage.write(name, "-wrapper $W/canary\n");
        }
    }),
    attack("patterns that lead out and that take for ever", |stage| {
        let patterns = format!("\"{}x\"", "**/*/".repeat(40));
        stage.write(
            "racelens.toml",
            &format!(
                "[project]\nsources = [\"**\", \"/**\", \"../**\", \"$HOME/**\", \"$SECRET\"]\n\
                 exclude = [{patterns}, \"[!\", \"[]\"]\n"
            ),
        );
        stage.write(&format!("{}deep.c", "d/".repeat(60)), "int deep;\n");
    }),
    attack("settings nested without end", |stage| {
        let dotted = format!("{}a = 1\n", "a.".repeat(50_000));
        let header = format!("[{}a]\n", "b.".repeat(50_000));
        let array = format!("c = {}1{}\n", "[".repeat(50_000), "]".repeat(50_000));
        let table = format!("d = {}1{}\n", "{x=".repeat(50_000), "}".repeat(50_000));
        stage.write("dotted.toml", &dotted);
        stage.write("header.toml", &header);
        stage.write("array.toml", &array);
        stage.write("table.toml", &table);
        stage.write(
            "racelens.toml",
            &format!(
                "[models]\nfiles = [\"dotted.toml\", \"header.toml\", \"array.toml\", \"table.toml\"]\n{header}"
            ),
        );
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        stage.write("compile_commands.json", &deep);
    }),
    attack(
        "a database with numbers and words beyond everything",
        |stage| {
            stage.write(
            "compile_commands.json",
            "[{\"directory\": 1e999, \"file\": \"a.c\", \"command\": \"cc\"}, \
             {\"directory\": \"$W\", \"file\": \"a.c\", \"arguments\": [\"cc\", 99999999999999999999999999, null]}, \
             {\"directory\": \"$W\", \"file\": \"\\u0000$SECRET\", \"command\": \"cc -x c \\u0000\"}, \
             {\"directory\": \"$W\\u0000/..\", \"file\": \"../../../../../../$SECRET\", \"command\": \"cc\"}, \
             {\"directory\": \"$W\", \"file\": \"a.c\", \"command\": \"cc -c a.c\"}]",
        );
        },
    ),
];
