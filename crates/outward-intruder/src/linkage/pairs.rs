//! The pairs of all blocks, shared among threads.
//!
//! Each thread has a state of its own. What states hold must not depend on which thread saw a pair: counts are added, pairs are sorted.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::blocking::{Blocking, Start};
use super::condition::Memory;

/// About how many pairs a thread takes at a time.
const PORTION: u64 = 1 << 16;

/// A stretch of left records of one rule.
struct Portion<'a> {
    rule: usize,
    starts: &'a [Start],
}

/// Shows every pair to the state of a thread, with the number of the rule that makes it, and returns the states.
pub(crate) fn for_each_pair<S: Send>(
    blocking: &Blocking<'_>,
    threads: usize,
    begin: impl Fn() -> S + Sync,
    see: impl Fn(&mut S, usize, usize, usize) + Sync,
) -> Vec<S> {
    let portions = portions(blocking);
    share_out(
        portions.len(),
        threads,
        || (begin(), blocking.remember()),
        |(state, memory): &mut (S, Memory), at| {
            let portion = &portions[at];
            blocking.visit(portion.rule, portion.starts, memory, |left, right| see(state, left, right, portion.rule));
        },
    )
    .into_iter()
    .map(|(state, _)| state)
    .collect()
}

/// Does so many pieces of work, each on whichever thread is free.
pub(crate) fn share_out<S: Send>(
    pieces: usize,
    threads: usize,
    begin: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Vec<S> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = begin();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return state;
            }
            work(&mut state, piece);
        }
    };
    let threads = threads.clamp(1, pieces.max(1));
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        let joined = others.into_iter().map(|thread| match thread.join() {
            Ok(state) => state,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(joined).collect()
    })
}

fn portions<'a>(blocking: &'a Blocking<'_>) -> Vec<Portion<'a>> {
    let mut portions = Vec::new();
    for (rule, blocks) in blocking.rules.iter().enumerate() {
        let (mut from, mut pairs) = (0, 0);
        for (at, start) in blocks.starts.iter().enumerate() {
            pairs += start.pairs();
            if pairs >= PORTION || at + 1 == blocks.starts.len() {
                portions.push(Portion { rule, starts: &blocks.starts[from..=at] });
                (from, pairs) = (at + 1, 0);
            }
        }
    }
    portions
}
