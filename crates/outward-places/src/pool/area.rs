//! The UK rule: the small codes of an area share the code AREA00. Also what happens to such a pool if it is still
//! small.

use super::{Draft, PoolingInput, Reason};

/// The codes of an area under the threshold become AREA00; one still under it has no location.
pub(super) fn pool(scene: &PoolingInput<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (area, codes) in &scene.areas {
        let name = format!("{area}00");
        let (small, large) = scene.split(codes, &name);
        drafts.extend(large.into_iter().map(|code| scene.kept(code)));
        if !small.is_empty() {
            let located = scene.people(&small) >= scene.threshold;
            drafts.push(Draft { located, ..Draft::new(name, small, Reason::Pooled) });
        }
    }
    drafts
}

/// The same, but an AREA00 still under the threshold joins a code of the area that stays, which keeps its name. If none
/// stays, the area as a whole is under the threshold. It loses its location with all other such areas.
pub(super) fn pool_residual(scene: &PoolingInput<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (area, codes) in &scene.areas {
        let name = format!("{area}00");
        let (small, large) = scene.split(codes, &name);
        let residual = !small.is_empty() && scene.people(&small) < scene.threshold;
        let receiver = if residual { receiver(scene, &small, &large) } else { None };
        drafts.extend(large.into_iter().map(|code| {
            let mut draft = scene.kept(code);
            if receiver == Some(code) {
                draft.members.extend(small.iter().map(|at| (*at, Reason::Residual)));
            }
            draft
        }));
        match (residual, receiver) {
            (true, None) => drafts.push(Draft::nowhere(small)),
            (true, Some(_)) => {}
            (false, _) if small.is_empty() => {}
            (false, _) => drafts.push(Draft::new(name, small, Reason::Pooled)),
        }
    }
    drafts
}

/// The code that loses least by taking in the pool: the nearest, where all codes concerned have coordinates, else the
/// one with the fewest people. Ties go to fewer people, then to the code that comes first.
fn receiver(scene: &PoolingInput<'_>, pool: &[usize], large: &[usize]) -> Option<usize> {
    let distances: Option<Vec<f64>> = scene
        .middle(pool)
        .and_then(|middle| large.iter().map(|at| scene.places[*at].at.map(|at| at.distance(middle))).collect());
    let distances = distances.unwrap_or_else(|| vec![0.0; large.len()]);
    let by = |(at, distance): &(usize, f64)| (*distance, scene.places[*at].population, *at);
    large
        .iter()
        .copied()
        .zip(distances)
        .min_by(|a, b| {
            let (a, b) = (by(a), by(b));
            a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        })
        .map(|(at, _)| at)
}
