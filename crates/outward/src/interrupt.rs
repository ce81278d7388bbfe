//! Ctrl-C: the first one asks the run to stop and tidy up, the second one does not wait for that.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use outward_engine::StopFlag;
use outward_spec::{Error, Result};

/// A flag that Ctrl-C raises.
pub(crate) fn stop_on_interrupt() -> Result<StopFlag> {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    static ASKED: AtomicBool = AtomicBool::new(false);
    if let Some(flag) = FLAG.get() {
        return Ok(flag.clone());
    }
    let flag = FLAG.get_or_init(StopFlag::default).clone();
    let raised = flag.clone();
    ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        raised.stop();
    })
    .map_err(|error| Error::bug(format!("Ctrl-C cannot be caught: {error}")))?;
    Ok(flag)
}
