//! How results reach the user.

use std::io::{IsTerminal, Write};
use std::path::Path;

use outward_engine::Unfinished;
use outward_report::{Report, Style, render_text};
use outward_spec::{Error, Result, Severity};
use serde::Serialize;

/// What a command found, for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to look at.
    Clean,
    /// There are findings.
    Findings,
    /// It cannot be decided.
    CannotTell,
}

impl Outcome {
    /// Findings that are only good to know do not count.
    pub(crate) fn from_severity(severity: Option<Severity>) -> Self {
        if severity > Some(Severity::Info) { Self::Findings } else { Self::Clean }
    }
}

/// Whether colours are wanted on this stream: on a terminal, unless `NO_COLOR` is set.
pub(crate) fn colour_wanted(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// That there is a folder to write a file to.
pub(crate) fn refuse_no_folder(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Error::io("write", path, std::io::ErrorKind::NotFound.into()))
        }
        _ => Ok(()),
    }
}

/// Prints to stdout. A reader that went away, such as `head`, is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("write to", "stdout", error)),
        _ => Ok(()),
    }
}

/// Prints a line to stderr. Where nobody reads it, the run goes on: what is said there is not its result.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value).map_err(Error::bug)?;
    text.push('\n');
    print(&text)
}

/// Prints a report as text, as wide as the terminal up to what reads well.
pub(crate) fn print_report(report: &Report) -> Result<()> {
    let width = terminal_width().clamp(60, 110);
    print(&render_text(report, Style { colour: colour_wanted(&std::io::stdout()), width }))
}

fn terminal_width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(100)
}

/// Refuses to write a file that is one of the `inputs`, or that exists and is not an ordinary file.
pub(crate) fn refuse_inputs(path: &Path, inputs: &[&Path]) -> Result<()> {
    let same = |input: &&Path| match (input.canonicalize(), path.canonicalize()) {
        (Ok(input), Ok(path)) => input == path,
        _ => false,
    };
    let refuse = |what: &str| Error::input(what).file(path).help("name another file to write");
    if inputs.iter().any(same) {
        return Err(refuse("this file is read, so it cannot be written").into());
    }
    if path.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        return Err(refuse("this is not an ordinary file").into());
    }
    Ok(())
}

/// Writes a small file whole or not at all, never in the place of one of the `inputs`.
pub(crate) fn write_file(path: &Path, text: &str, inputs: &[&Path]) -> Result<()> {
    write_bytes(path, text.as_bytes(), inputs)
}

/// Writes a small file that need not be text, by the same rules.
pub(crate) fn write_bytes(path: &Path, content: &[u8], inputs: &[&Path]) -> Result<()> {
    // The permissions that the user's umask leaves.
    write_with_mode(path, content, inputs, 0o666)
}

/// Writes a small file that only its owner can read, by the same rules.
pub(crate) fn write_private_file(path: &Path, text: &str, inputs: &[&Path]) -> Result<()> {
    write_with_mode(path, text.as_bytes(), inputs, 0o600)
}

fn write_with_mode(path: &Path, content: &[u8], inputs: &[&Path], mode: u32) -> Result<()> {
    refuse_inputs(path, inputs)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // The error is reported without the temporary name, which would mean nothing to the user.
    let fail = |error: std::io::Error| Error::io("write", path, error.kind().into());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".outward-");
    // Temporary files are for their owner only, unless it is said otherwise.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = builder.tempfile_in(folder).map_err(fail)?;
    let unfinished = Unfinished::at(file.path());
    file.write_all(content).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    unfinished.finish(|| file.persist(path)).map_err(|error| Error::io("write", path, error.error))?;
    Ok(())
}
