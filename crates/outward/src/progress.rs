//! A progress bar with the time left, on stderr, for passes that take more than a second.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outward_engine::Progress;

/// Shorter passes show nothing.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// A bar on the terminal.
#[derive(Debug, Default)]
pub(crate) struct Bar {
    pass: Mutex<Option<Pass>>,
}

#[derive(Debug)]
struct Pass {
    started: Instant,
    what: String,
    total: Option<u64>,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar where stderr is a terminal; none otherwise.
    pub(crate) fn on_terminal() -> Option<Self> {
        std::io::stderr().is_terminal().then(Self::default)
    }
}

impl Progress for Bar {
    fn started(&self, what: &str, total: Option<u64>) {
        if let Ok(mut pass) = self.pass.lock() {
            *pass = Some(Pass { started: Instant::now(), what: what.to_owned(), total, bar: None });
        }
    }

    fn advanced(&self, read: u64) {
        let Ok(mut guard) = self.pass.lock() else { return };
        let Some(pass) = guard.as_mut() else { return };
        if pass.bar.is_none() && pass.started.elapsed() >= SHOWN_AFTER {
            pass.bar = Some(bar(pass));
        }
        if let Some(bar) = &pass.bar {
            bar.set_position(read);
        }
    }

    fn finished(&self) {
        if let Ok(mut guard) = self.pass.lock()
            && let Some(Pass { bar: Some(bar), .. }) = guard.take()
        {
            bar.finish_and_clear();
        }
    }
}

fn bar(pass: &Pass) -> ProgressBar {
    let template = match pass.total {
        Some(_) => "{msg:>10} [{bar:30}] {percent:>3} %, {eta} left",
        None => "{msg:>10} {spinner} {elapsed}",
    };
    let bar =
        ProgressBar::with_draw_target(pass.total, ProgressDrawTarget::stderr()).with_elapsed(pass.started.elapsed());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("█▌ "));
    }
    bar.set_message(pass.what.clone());
    bar
}
