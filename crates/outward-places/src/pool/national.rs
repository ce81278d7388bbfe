//! The US rule: every code under the threshold goes into one national pool.

use super::{Draft, PoolingInput, Reason};

/// The name of the national pool, for ZIP codes and for postcodes.
pub const NATIONAL_POOL: &str = "000";

pub(super) fn pool(scene: &PoolingInput<'_>) -> Vec<Draft> {
    let codes: Vec<_> = scene.areas.values().flatten().copied().collect();
    let (small, large) = scene.split(&codes, NATIONAL_POOL);
    let mut drafts: Vec<_> = large.into_iter().map(|code| scene.kept(code)).collect();
    if !small.is_empty() {
        let located = scene.people(&small) >= scene.threshold;
        drafts.push(Draft { located, ..Draft::new(NATIONAL_POOL, small, Reason::Pooled) });
    }
    drafts
}
