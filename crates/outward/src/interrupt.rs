//! Ctrl-C and SIGTERM: the work is asked to stop, and abandoned if it does not.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use outward_engine::{StopFlag, remove_unfinished};
use outward_spec::{Error, Result};

/// How often the flag is checked, and how long work may take to end by itself once it was asked to.
const CHECK_EVERY: Duration = Duration::from_millis(50);
const TIME_TO_STOP: Duration = Duration::from_millis(400);

/// The stack of the thread that works: as large as that of a program's first thread usually is.
const STACK: usize = 8 << 20;

/// A flag that Ctrl-C raises.
pub(crate) fn stop_on_interrupt() -> Result<StopFlag> {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(flag.clone());
    }
    let flag = FLAG.get_or_init(StopFlag::default).clone();
    let raised = flag.clone();
    ctrlc::set_handler(move || {
        if SEARCHING.swap(false, Ordering::SeqCst) {
            ENOUGH.store(true, Ordering::SeqCst);
        } else {
            raised.stop();
        }
    })
    .map_err(|error| Error::bug(format!("Ctrl-C cannot be caught: {error}")))?;
    Ok(flag)
}

/// Whether a search is under way that has something to show when the user has waited enough.
static SEARCHING: AtomicBool = AtomicBool::new(false);

/// Whether the user has waited enough for it.
static ENOUGH: AtomicBool = AtomicBool::new(false);

/// Does a search that the first Ctrl-C ends with what it has. The second one stops the command, as it does anywhere else.
pub(crate) fn ended_by_interrupt<T>(search: impl FnOnce() -> T) -> T {
    SEARCHING.store(true, Ordering::SeqCst);
    let found = search();
    SEARCHING.store(false, Ordering::SeqCst);
    found
}

/// Whether the search under way is to end with what it has.
pub(crate) fn has_waited_enough() -> bool {
    ENOUGH.load(Ordering::SeqCst)
}

/// Does work on a separate thread until it ends or the user stops it. Searches and solvers check no flag, so a thread
/// that goes on is abandoned, and its unfinished files are removed. The caller then ends the process.
pub(crate) fn run_until_stopped<T: Send + 'static>(
    stop: &StopFlag,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (send, receive) = std::sync::mpsc::channel();
    // Nobody listens any more once the run was stopped.
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || _ = send.send(work()));
    worker.map_err(|error| Error::bug(format!("no thread can be started: {error}")))?;
    let mut asked: Option<Instant> = None;
    loop {
        match receive.recv_timeout(CHECK_EVERY) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(Error::bug("it panicked")),
            Err(RecvTimeoutError::Timeout) if stop.check().is_ok() => {}
            Err(RecvTimeoutError::Timeout) => {
                if asked.get_or_insert_with(Instant::now).elapsed() >= TIME_TO_STOP {
                    remove_unfinished();
                    return Err(Error::Stopped);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    #[test]
    fn long_work_is_left_when_the_user_stops_the_run() {
        let stop = StopFlag::default();
        let raised = stop.clone();
        let start = Instant::now();
        let done: Result<()> = run_until_stopped(&stop, move || {
            raised.stop();
            std::thread::sleep(Duration::from_secs(60));
            Ok(())
        });
        assert!(matches!(done, Err(Error::Stopped)));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn work_that_ends_gives_what_it_found() {
        assert_eq!(run_until_stopped(&StopFlag::default(), || Ok(1 + 1)).unwrap(), 2);
    }

    #[test]
    fn work_that_panics_is_a_bug_and_no_answer() {
        let done: Result<()> = run_until_stopped(&StopFlag::default(), || panic!("on purpose"));
        assert!(matches!(done, Err(Error::Bug(_))));
    }
}
