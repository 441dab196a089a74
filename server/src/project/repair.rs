//! One unit's way through the compiler: what it is called with, and what is changed after a complaint
//! so that the next run gets further.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::TranslationUnit;
use super::compiler_messages::{self, CompilerMessage};
use super::line_markers::{self, MarkerNames};
use super::missing_headers::Stubs;
use super::note::{Note, Place};
use super::preprocess::marker_names;

/// What the next run of the compiler gets.
pub struct Attempt<'u> {
    pub notes: Vec<Note>,
    unit: &'u TranslationUnit,
    root: &'u Path,
    text: String,
    /// Flags that we add ourselves; the compiler may not know them either.
    own: Vec<String>,
    flags: Vec<String>,
    stubs_directory: PathBuf,
    stubs: Option<Stubs>,
    missing: Vec<String>,
    /// Those that were taken from where no flag says that they are.
    guessed: Vec<String>,
}

/// Tells the directory of the project that has a header, given the header and the file that includes it.
pub type Hint<'h> = &'h dyn Fn(&str, &Path) -> Option<PathBuf>;

/// After this many missing headers there is no point in going on.
const MAX_MISSING: usize = 64;

/// More errors in one unit than this tell the user nothing new.
const MAX_ERRORS: usize = 20;

impl<'u> Attempt<'u> {
    pub fn new(
        unit: &'u TranslationUnit,
        text: &str,
        stubs_directory: PathBuf,
        root: &'u Path,
    ) -> Attempt<'u> {
        Attempt {
            notes: Vec::new(),
            unit,
            root,
            text: text.to_owned(),
            own: own_flags(unit),
            flags: unit.arguments.clone(),
            stubs_directory,
            stubs: None,
            missing: Vec::new(),
            guessed: Vec::new(),
        }
    }

    pub fn arguments(&self) -> Vec<String> {
        // Headers can tell by the macro that attributes which only some compilers know are read here.
        let mut arguments = ["-E", "-w", "-D__RACELENS__=1"].map(str::to_owned).to_vec();
        arguments.extend_from_slice(&self.own);
        if let Some(directory) = self.unit.file.parent() {
            arguments.push("-iquote".to_owned());
            arguments.push(directory.to_string_lossy().into_owned());
        }
        arguments.extend_from_slice(&self.flags);
        if let Some(stubs) = &self.stubs {
            arguments.push("-idirafter".to_owned());
            arguments.push(stubs.search().to_string_lossy().into_owned());
        }
        arguments.extend(["-x", "c", "-"].map(str::to_owned));
        arguments
    }

    pub fn input(&self) -> Arc<[u8]> {
        let marker = format!("# 1 \"{}\"\n", line_markers::escape(&self.unit.spelling));
        [marker.as_bytes(), self.text.as_bytes()].concat().into()
    }

    pub fn names(&self) -> MarkerNames<'_> {
        marker_names(
            self.unit,
            self.stubs.as_ref().map(Stubs::directory),
            self.root,
        )
    }

    /// Whether the output names every file that it depends on: no header was missing, and none was
    /// read for its macros alone, which leaves no line marker.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && !self.flags.iter().any(|flag| flag == "-imacros")
    }

    /// Whether nothing had to be guessed: a guess depends on all that lies in the project.
    pub fn is_certain(&self) -> bool {
        self.guessed.is_empty()
    }

    /// What is not where it was looked for.
    pub fn missing_headers(&self) -> Vec<String> {
        [&*self.missing, &*self.guessed].concat()
    }

    /// Changes what can be changed about `errors`. Returns whether another run makes sense.
    pub fn mend(&mut self, errors: &str, hint: Hint<'_>) -> bool {
        let mut dropped = false;
        for message in compiler_messages::errors(errors) {
            if let Some(flag) = compiler_messages::unknown_flag(message.text) {
                dropped |= self.drop_flag(flag);
            }
        }
        if dropped {
            return true;
        }
        let missing = compiler_messages::errors(errors)
            .filter(|message| message.is_fatal)
            .find_map(|message| Some((compiler_messages::missing_header(message.text)?, message)));
        match missing {
            Some((header, message)) => self.replace_header(header, &message, hint),
            None => false,
        }
    }

    /// Says what the compiler still complains about after the last run.
    pub fn report_errors(&mut self, errors: &str) {
        let found: Vec<Note> = compiler_messages::errors(errors)
            .filter(|message| compiler_messages::missing_header(message.text).is_none())
            .map(|message| {
                Note::warning(format!("the preprocessor reports: {}", message.text))
                    .at(self.place(&message))
            })
            .collect();
        self.notes.extend(found.into_iter().take(MAX_ERRORS));
    }

    /// Leaves out a flag that this compiler does not know: the command was made for another one.
    fn drop_flag(&mut self, unknown: &str) -> bool {
        let is_unknown = |flag: &String| {
            flag == unknown || (unknown.ends_with('=') && flag.starts_with(unknown))
        };
        let before = self.own.len() + self.flags.len();
        self.own.retain(|flag| !is_unknown(flag));
        let own_dropped = before - self.own.len() - self.flags.len();
        self.flags.retain(|flag| !is_unknown(flag));
        let dropped = before - self.own.len() - self.flags.len();
        if dropped > own_dropped {
            self.notes.push(
                Note::information(format!(
                    "the compiler does not know `{unknown}`; it was left out"
                ))
                .at(Place::start_of(&self.unit.file))
                .with_help("use the compiler that the project is built with, with --compiler"),
            );
        }
        dropped > 0
    }

    fn replace_header(
        &mut self,
        header: &str,
        message: &CompilerMessage<'_>,
        hint: Hint<'_>,
    ) -> bool {
        let place = self.place(message);
        let directory = hint(header, &place.path);
        if let Some(directory) = &directory
            && self.guess_directory(header, &place, directory)
        {
            return true;
        }
        let is_new = self.add_stub(header)
            || self.drop_forced_header(header)
            || self.blank_include(header, &place);
        self.missing.push(header.to_owned());
        let goes_on = is_new && self.missing.len() <= MAX_MISSING;
        let consequence = if goes_on {
            "what it declares is unknown here"
        } else {
            "what follows it is not analysed"
        };
        let help = match directory {
            Some(directory) => add_flag(&directory),
            None => format!(
                "build the project first if `{header}` is generated, or add its directory with `-I` \
                 to `flags` under [preprocessor] in racelens.toml"
            ),
        };
        self.notes.push(
            Note::warning(format!("`{header}` was not found; {consequence}"))
                .at(place)
                .with_help(help),
        );
        goes_on
    }

    /// Takes a header from where the project has one, if nobody said where headers are. Where a
    /// command says so, a header of the same name elsewhere may be another one.
    fn guess_directory(&mut self, header: &str, place: &Place, directory: &Path) -> bool {
        let directory_word = directory.to_string_lossy();
        if self.unit.has_command || self.flags.iter().any(|flag| *flag == directory_word) {
            return false;
        }
        self.guessed.push(header.to_owned());
        self.flags.push("-idirafter".to_owned());
        self.flags.push(directory_word.into_owned());
        self.notes.push(
            Note::information(format!(
                "`{header}` is taken from {}, although no flag names that directory",
                directory.display()
            ))
            .at(place.clone())
            .with_help(add_flag(directory)),
        );
        true
    }

    fn add_stub(&mut self, header: &str) -> bool {
        if self.stubs.is_none() {
            self.stubs = Stubs::new(self.stubs_directory.clone()).ok();
        }
        self.stubs.as_ref().is_some_and(|stubs| stubs.add(header))
    }

    /// Removes `-include header`, which no stub can stand in for if it is absolute.
    fn drop_forced_header(&mut self, header: &str) -> bool {
        let found = self.flags.windows(2).position(|pair| {
            matches!(pair[0].as_str(), "-include" | "-imacros") && pair[1] == header
        });
        if let Some(index) = found {
            self.flags.drain(index..index + 2);
        }
        found.is_some()
    }

    /// Empties the line of the main text that includes `header`.
    fn blank_include(&mut self, header: &str, place: &Place) -> bool {
        if place.path != self.unit.file {
            return false;
        }
        let mut start = 0;
        let mut found: Option<(usize, usize)> = None;
        for (index, line) in self.text.split_inclusive('\n').enumerate() {
            let content = line.trim_end_matches(['\n', '\r']);
            if is_include_of(content, header) {
                let range = (start, start + content.len());
                // `#line` can make the number wrong; then the first such line has to do.
                if index + 1 == place.line as usize {
                    found = Some(range);
                    break;
                }
                found = found.or(Some(range));
            }
            start += line.len();
        }
        if let Some((start, end)) = found {
            self.text.replace_range(start..end, "");
        }
        found.is_some()
    }

    fn place(&self, message: &CompilerMessage<'_>) -> Place {
        message
            .place
            .and_then(|(name, line, column)| {
                Some(Place::new(self.names().path_of(name)?, line, column))
            })
            .unwrap_or_else(|| Place::start_of(&self.unit.file))
    }
}

fn add_flag(directory: &Path) -> String {
    format!(
        "add `-I{}` to `flags` under [preprocessor] in racelens.toml, or to the build",
        directory.display()
    )
}

fn is_include_of(line: &str, header: &str) -> bool {
    line.trim_start()
        .strip_prefix('#')
        .is_some_and(|directive| {
            directive.trim_start().starts_with("include") && directive.contains(header)
        })
}

/// Makes `__FILE__` and `__BASE_FILE__` what they are when the file itself is compiled: the
/// compiler sees standard input, and headers beside the file through an absolute path.
fn own_flags(unit: &TranslationUnit) -> Vec<String> {
    let mut flags = vec![format!(
        "-D__BASE_FILE__=\"{}\"",
        line_markers::escape(&unit.spelling)
    )];
    let spelled = Path::new(&unit.spelling);
    if let (true, Some(directory), Some(spelled)) =
        (spelled.is_relative(), unit.file.parent(), spelled.parent())
    {
        let directory = directory.to_string_lossy();
        let spelled = spelled.to_string_lossy();
        let slash = if spelled.is_empty() { "" } else { "/" };
        // The flag has no way to quote its separator.
        if !directory.contains('=') {
            flags.push(format!("-fmacro-prefix-map={directory}/={spelled}{slash}"));
        }
    }
    flags
}
