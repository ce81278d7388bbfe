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
            bar.set_message(time_left(pass.started.elapsed(), read, pass.total));
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
        Some(_) => "{prefix:>10} [{bar:30}] {percent:>3} %{msg}",
        None => "{prefix:>10} {spinner} {elapsed}",
    };
    let bar =
        ProgressBar::with_draw_target(pass.total, ProgressDrawTarget::stderr()).with_elapsed(pass.started.elapsed());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("█▌ "));
    }
    bar.set_prefix(pass.what.clone());
    bar
}

/// How long the rest takes at the pace so far. The bar appears late, so its own estimate would begin at nothing.
fn time_left(elapsed: Duration, read: u64, total: Option<u64>) -> String {
    let Some(rest) = total.map(|total| total.saturating_sub(read)).filter(|_| read > 0) else { return String::new() };
    let seconds = (elapsed.as_secs_f64() * rest as f64 / read as f64).ceil() as u64;
    match seconds {
        0..=90 => format!(", {seconds} s left"),
        91..=5400 => format!(", {} min left", seconds.div_ceil(60)),
        _ => format!(", {} h left", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_pace_so_far() {
        let after = |seconds, read| time_left(Duration::from_secs(seconds), read, Some(1000));
        assert_eq!(
            [after(2, 100), after(60, 100), after(60, 1), after(9, 1000)],
            [", 18 s left", ", 9 min left", ", 17 h left", ", 0 s left"]
        );
        assert_eq!(after(5, 0), "");
        assert_eq!(time_left(Duration::from_secs(5), 10, None), "");
    }
}
