//! A flag that ends a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use outward_spec::{Error, Result};

/// Raised once, for instance by Ctrl-C, and seen by everyone who holds a clone.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks everyone to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// [`Error::Stopped`] once someone asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Stopped) } else { Ok(()) }
    }
}
