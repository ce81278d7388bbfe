//! What all commands share: the engine, the runtime, and how to speak to the user.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use outward_engine::{Embedded, Engine, NoProgress, Progress, StopFlag};
use outward_release::Check;
use outward_spec::{Error, Result};
use tokio::runtime::Runtime;

use crate::cli::{Global, OutputFormat};
use crate::interrupt::stop_on_interrupt;
use crate::output::tell;
use crate::progress::Bar;

/// After how long the progress of long work is shown.
const PROGRESS_AFTER: Duration = Duration::from_secs(5);

/// One run of the program.
pub(crate) struct Session {
    pub(crate) format: OutputFormat,
    pub(crate) threads: usize,
    pub(crate) stop: StopFlag,
    quiet: bool,
    memory: Option<usize>,
}

impl Session {
    pub(crate) fn new(global: &Global) -> Result<Self> {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self {
            format: global.format,
            threads: global.threads.map_or_else(cores, usize::from),
            stop: stop_on_interrupt()?,
            quiet: global.quiet,
            memory: global.memory.or_else(most_of_free_memory),
        })
    }

    /// The engine records are read with.
    pub(crate) fn engine(&self) -> Box<dyn Engine> {
        let mut engine = Embedded::new(self.threads).stop(self.stop.clone());
        if let Some(memory) = self.memory {
            engine = engine.memory(memory);
        }
        Box::new(engine.progress(self.progress()))
    }

    /// Who hears how far a pass is: a bar on a terminal, nobody otherwise.
    pub(crate) fn progress(&self) -> Arc<dyn Progress> {
        match Bar::on_terminal().filter(|_| !self.quiet) {
            Some(bar) => Arc::new(bar),
            None => Arc::new(NoProgress),
        }
    }

    /// The runtime the engine runs on.
    pub(crate) fn runtime(&self) -> Result<Runtime> {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Error::bug(format!("the runtime does not start: {error}")))
    }

    /// Does work that may be long; after a while the user is told what goes on.
    pub(crate) fn tell_if_long<T>(&self, doing: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let (done, waits) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if waits.recv_timeout(PROGRESS_AFTER) == Err(RecvTimeoutError::Timeout) {
                    self.remark(&format!("{doing}. Ctrl-C stops it; nothing has been written yet."));
                }
            });
            let result = work();
            drop(done);
            result
        })
    }

    /// Says which checks of a bundle could not be told.
    pub(crate) fn remark_unsettled(&self, checks: &[Check]) {
        for check in checks {
            self.remark(&format!("Not verified: {}. {}.", check.name, check.says));
        }
    }

    /// Whether the user wants no remarks.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A remark for the user, on stderr.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            tell(text);
        }
    }
}

/// Three quarters of the memory that is free now, if the system says how much that is. Cells that do not fit are
/// refused with a message; otherwise the system would end the process.
fn most_of_free_memory() -> Option<usize> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = about.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let free = line.split_whitespace().nth(1)?.parse::<usize>().ok()? * 1024;
    // A container may be allowed less than the machine has.
    let allowed = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|max| max.trim().parse().ok());
    Some(free.min(allowed.unwrap_or(usize::MAX)) / 4 * 3)
}
