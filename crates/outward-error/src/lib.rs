//! The one error type: what happened, where, and what to do about it.
//!
//! Four kinds are kept apart because they ask different things of the reader. [`Error::Input`] is a mistake they can
//! correct, [`Error::Io`] is the machine refusing, [`Error::Stopped`] is their own wish, [`Error::Bug`] is ours. No error ever carries the value of a cell.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The result of anything that can go wrong in Outward.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something in the user's files or arguments is wrong.
    #[error("{0}")]
    Input(Box<Fault>),
    /// The machine refused to read or write.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was being done, as an infinitive: `read`, `write`, `create`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The user pressed Ctrl-C, or the caller asked to stop.
    #[error("stopped before it was finished; nothing was written")]
    Stopped,
    /// A promise Outward makes to itself was broken.
    #[error("this is a bug in Outward: {0}")]
    Bug(String),
}

impl Error {
    /// A mistake in the input, described in one sentence without a full stop.
    pub fn input(what: impl Into<String>) -> Fault {
        Fault { what: what.into(), place: FaultPlace::default(), help: None }
    }

    /// The machine refused `doing` (an infinitive such as `read`) on `path`.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { doing, path: path.into(), source }
    }

    /// A broken promise of our own.
    pub fn bug(what: impl fmt::Display) -> Self {
        Self::Bug(what.to_string())
    }

    /// The fault, where this is one.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Input(fault) => Some(fault),
            _ => None,
        }
    }

    /// The same error with more said of the fault, where it is one.
    #[must_use]
    pub fn with_fault(self, say: impl FnOnce(Fault) -> Fault) -> Self {
        match self {
            Self::Input(fault) => say(*fault).into(),
            other => other,
        }
    }

    /// What to do, where we know it.
    pub fn help(&self) -> Option<String> {
        use std::io::ErrorKind as K;
        match self {
            Self::Input(fault) => fault.help.clone(),
            Self::Io { doing, source, .. } => Some(
                match source.kind() {
                    K::NotFound if matches!(*doing, "write" | "create") => {
                        "make the folder first, or name one that is there"
                    }
                    K::NotFound => "check the path; in a spec it is relative to the spec file",
                    K::PermissionDenied => "ask for permission to this file, or choose another place",
                    K::StorageFull | K::QuotaExceeded | K::WriteZero => "free some space, or write to another disk",
                    K::IsADirectory => "name a file, not a folder",
                    _ => return None,
                }
                .to_owned(),
            ),
            Self::Stopped => None,
            Self::Bug(_) => Some("please report it, with the command you ran; your data was not changed".to_owned()),
        }
    }
}

/// A mistake the user can mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong, in one sentence without a full stop.
    pub what: String,
    /// Where it is.
    pub place: FaultPlace,
    /// What to do.
    pub help: Option<String>,
}

impl Fault {
    /// In this file.
    #[must_use]
    pub fn file(mut self, file: impl AsRef<Path>) -> Self {
        self.place.file = Some(file.as_ref().to_owned());
        self
    }

    /// In this column (variable) of the data.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.place.variable = Some(name.into());
        self
    }

    /// In this field of a table of the spec. `Spec::placed` finds its place in the file.
    #[must_use]
    pub fn field(mut self, field: &'static str) -> Self {
        self.place.field = Some(field);
        self
    }

    /// In this table of the spec.
    #[must_use]
    pub fn table(mut self, name: &str) -> Self {
        self.what = format!("table `{name}`: {}", self.what);
        self.place.table = Some(name.to_owned());
        self
    }

    /// Because the data do not have this column. `Spec::placed` finds where a spec names it.
    #[must_use]
    pub fn missing_column(mut self, name: &str) -> Self {
        self.place.missing_column = Some(name.to_owned());
        self
    }

    /// In this SQL condition.
    #[must_use]
    pub fn condition(mut self, text: &str) -> Self {
        self.place.condition = Some(text.to_owned());
        self
    }

    /// In this record: the first record below the header is row 1.
    #[must_use]
    pub fn row(mut self, row: u64) -> Self {
        self.place.row = Some(row);
        self
    }

    /// At this line of the file: the first line is line 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.place.line = Some(line);
        self
    }

    /// At this byte of the file, counted from 0.
    #[must_use]
    pub fn byte(mut self, byte: u64) -> Self {
        self.place.byte = Some(byte);
        self
    }

    /// At this stretch of a text file the user wrote (a spec, never data).
    #[must_use]
    pub fn span(mut self, text: &str, span: Range<usize>) -> Self {
        let before = &text[..text.floor_char_boundary(span.start)];
        self.place.line = Some(before.matches('\n').count() as u64 + 1);
        self.place.column = Some(before.chars().rev().take_while(|c| *c != '\n').count() as u64 + 1);
        self.place.excerpt = Some(Excerpt { text: text.to_owned(), span });
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Input(Box::new(fault))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// Where a fault is; every part is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultPlace {
    /// The file.
    pub file: Option<PathBuf>,
    /// Line in the file, from 1.
    pub line: Option<u64>,
    /// Character in the line, from 1.
    pub column: Option<u64>,
    /// Byte in the file, from 0.
    pub byte: Option<u64>,
    /// Record, from 1, not counting the header.
    pub row: Option<u64>,
    /// Variable of the data.
    pub variable: Option<String>,
    /// The table of a spec it is about.
    pub table: Option<String>,
    /// The field of that table.
    pub field: Option<&'static str>,
    /// The column that the data do not have.
    pub missing_column: Option<String>,
    /// The text of the SQL condition it is about.
    pub condition: Option<String>,
    /// The text around it, where the user wrote that text.
    pub excerpt: Option<Excerpt>,
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(file) = &self.file {
            let mut at = file.display().to_string();
            if let Some(line) = self.line {
                at += &format!(":{line}");
                if let Some(column) = self.column {
                    at += &format!(":{column}");
                }
            }
            parts.push(at);
        } else if let Some(line) = self.line {
            parts.push(format!("line {line}"));
        }
        if let Some(variable) = &self.variable {
            parts.push(format!("column `{variable}`"));
        }
        if let Some(row) = self.row {
            parts.push(format!("row {row}"));
        }
        if let Some(byte) = self.byte {
            parts.push(format!("byte {byte}"));
        }
        f.write_str(&parts.join(", "))
    }
}

/// A stretch of a text the user wrote, for showing the mistake in its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The whole text.
    pub text: String,
    /// The bytes at fault.
    pub span: Range<usize>,
}

/// The known name nearest to what was written, if one is near enough to be meant.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&written.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count().max(written.chars().count()) / 4)
        .min_by_key(|(distance, name)| (*distance, *name))
        .map(|(_, name)| name)
}

/// What to say after an unknown name: the known name that may be meant, or the first few of all there are.
pub fn suggest<'a>(written: &str, known: impl Iterator<Item = &'a str> + Clone, plural: &str) -> String {
    const SHOWN: usize = 12;
    if let Some(name) = nearest(written, known.clone()) {
        return format!("did you mean `{name}`?");
    }
    let names: Vec<_> = known.clone().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match known.count() {
        0 => format!("there are no {plural} here"),
        all if all > SHOWN => format!("the {plural} are {} and {} more", names.join(", "), all - SHOWN),
        _ => format!("the {plural} are {}", names.join(", ")),
    }
}
