//! Bounds on a class from a relaxation: the equations near it are kept and all others dropped.
//!
//! With fewer equations less can be concluded, so a bound proven here holds in the whole component. A cell that its
//! neighbours give away is proven recoverable without solving a large component.

use super::attacker_problem::UNBOUNDED;
use super::dictionary::Dictionary;
use super::intervals::KnownBounds;
use super::presolve::Component;
use super::simplex::PushOutcome;

/// Lower and upper bound on the deviation of a class from these equations alone; `None` where they give none.
pub(super) fn relaxed_bounds(
    component: &Component,
    equations: &[u32],
    class: u32,
    known: &KnownBounds,
) -> (Option<i64>, Option<i64>) {
    let kept = equations.iter().map(|equation| &component.equations[*equation as usize]);
    let mut classes: Vec<u32> = kept.clone().flatten().map(|(class, _)| *class).chain([class]).collect();
    classes.sort_unstable();
    classes.dedup();
    let place = |class: u32| classes.partition_point(|other| *other < class) as u32;
    let terms =
        kept.map(|terms| terms.iter().map(|(class, by)| (place(*class), *by)).collect()).collect::<Vec<Vec<_>>>();
    let bounds = |class: &u32| known.tighten(*class, (component.low[*class as usize], component.high[*class as usize]));
    let (low, high): (Vec<i64>, Vec<i64>) = classes.iter().map(bounds).unzip();
    let Some(mut dictionary) = Dictionary::new(&low, &high, &terms, usize::MAX) else {
        return (None, None);
    };
    let mut end = |up: bool| match dictionary.push(place(class), up, if up { UNBOUNDED } else { -UNBOUNDED }) {
        Some(PushOutcome::Optimal) => Some(dictionary.towards_truth(place(class))),
        _ => None,
    };
    (end(false), end(true))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn fewer_equations_never_prove_more() {
        // a + b = c with c at most 1; a = d with d known
        let component = Component {
            members: (0..4).map(|unknown| vec![(unknown, true)]).collect(),
            low: vec![-5, -1, -1, -5],
            high: vec![5, 1, 1, 5],
            equations: vec![vec![(0, 1), (1, 1), (2, -1)], vec![(0, 1), (3, -1)]],
            unknowns: 4,
        };
        assert_eq!(relaxed_bounds(&component, &[0], 0, &KnownBounds::fixed(&[])), (Some(-2), Some(2)));
        assert_eq!(relaxed_bounds(&component, &[0], 0, &KnownBounds::fixed(&[1])), (Some(-1), Some(1)));
        assert_eq!(relaxed_bounds(&component, &[1], 0, &KnownBounds::fixed(&[])), (Some(-5), Some(5)));
        assert_eq!(relaxed_bounds(&component, &[0, 1], 0, &KnownBounds::fixed(&[3])), (Some(0), Some(0)));
    }
}
