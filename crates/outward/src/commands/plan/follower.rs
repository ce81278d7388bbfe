//! Follows the search for a plan: shows how far it is, shares out its time, and ends it when the time is up or on Ctrl-C.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outward_microdata::planning::PlanWatch;
use outward_microdata::search::{SearchState, Watch};
use outward_report::format::{count, number};

use crate::interrupt::has_waited_enough;
use crate::output::tell;

/// After how long something is said, and how often it changes.
const SHOWN_AFTER: Duration = Duration::from_secs(2);
const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// Where the state of the search is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// On a line of the terminal that changes.
    OnTerminal,
    /// By one remark, once the search takes long.
    Once,
    /// Nowhere.
    Nowhere,
}

/// Follows the searches for one plan.
#[derive(Debug)]
pub(super) struct Follower {
    end: Option<Instant>,
    shown: Shown,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    started: Instant,
    what: String,
    /// When the search under way is to end.
    end: Option<Instant>,
    searches: usize,
    bar: Option<ProgressBar>,
    said: bool,
    next: Instant,
}

impl Follower {
    /// A search that begins now and may take so long.
    pub(super) fn new(time: Option<Duration>, shown: Shown) -> Self {
        let now = Instant::now();
        let state = State {
            started: now,
            what: String::new(),
            end: None,
            searches: 0,
            bar: None,
            said: false,
            next: now + SHOWN_AFTER,
        };
        // A time too long to be counted is no limit.
        Self { end: time.and_then(|time| now.checked_add(time)), shown, state: Mutex::new(state) }
    }

    fn is_over(&self, now: Instant) -> bool {
        has_waited_enough() || self.end.is_some_and(|end| now >= end)
    }

    fn show(&self, state: &mut State, search: &SearchState) {
        let best = match search.best {
            Some(best) => format!("loss {}, at least {}", number(best, 4), number(search.bound, 4)),
            None => "no recoding that meets the policy yet".to_owned(),
        };
        let so_far = format!("{best}; {} recodings, {} parts left", count(search.nodes), count(search.open as u64));
        match self.shown {
            Shown::OnTerminal => {
                let started = state.started;
                let bar = state.bar.get_or_insert_with(|| line(started));
                bar.set_message(format!("{}: {so_far}", state.what));
                bar.tick();
            }
            Shown::Once if !state.said => {
                state.said = true;
                tell(&format!("Searching for {} ({so_far}). Ctrl-C ends the search with the best so far.", state.what));
            }
            Shown::Once | Shown::Nowhere => {}
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Ok(state) = self.state.get_mut()
            && let Some(bar) = state.bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Follower {
    fn goes_on(&self, search: &SearchState) -> bool {
        let now = Instant::now();
        let Ok(mut state) = self.state.lock() else { return true };
        if now >= state.next {
            state.next = now + SHOWN_EVERY;
            self.show(&mut state, search);
        }
        !self.is_over(now) && state.end.is_none_or(|end| now < end)
    }
}

impl PlanWatch for Follower {
    /// The first search, for the policy itself, has half of the time. The others share what is left.
    fn begins(&self, what: &str, left: usize) -> bool {
        let now = Instant::now();
        let Ok(mut state) = self.state.lock() else { return true };
        state.what = what.to_owned();
        let parts = if state.searches == 0 { left.min(2) } else { left };
        state.end = self.end.map(|end| now + end.saturating_duration_since(now) / parts.max(1) as u32);
        state.searches += 1;
        state.searches == 1 || !self.is_over(now)
    }
}

fn line(started: Instant) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(started.elapsed());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_itself_has_half_of_the_time_and_the_rest_share_it() {
        let follower = Follower::new(Some(Duration::from_secs(100)), Shown::Nowhere);
        let seconds = || {
            let end = follower.state.lock().ok().and_then(|state| state.end);
            end.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64().round())
        };
        assert!(follower.begins("first", 5));
        assert_eq!(seconds(), Some(50.0));
        assert!(follower.begins("second", 4));
        assert_eq!(seconds(), Some(25.0));
    }

    #[test]
    fn a_search_without_time_ends_at_once_and_no_other_begins() {
        let follower = Follower::new(Some(Duration::ZERO), Shown::Nowhere);
        assert!(follower.begins("first", 2), "the first search always gives an answer");
        assert!(!follower.goes_on(&SearchState { nodes: 1, best: None, bound: 0.0, open: 1 }));
        assert!(!follower.begins("second", 1));
    }
}
