//! What a few equations around a class leave to it.
//!
//! Whoever forgets all other equations can say less, not more: an end that the few prove is a bound on the end. It
//! takes no look at the rest of a large component to prove that a cell is given away by its neighbours.

use super::attack::FREE;
use super::bag::Limits;
use super::dictionary::Dictionary;
use super::reduce::Component;
use super::simplex::End;

/// Bounds below and above on how far a class can deviate, where the equations named give any.
pub(super) fn bounds(
    component: &Component,
    equations: &[u32],
    class: u32,
    limits: &Limits,
) -> (Option<i64>, Option<i64>) {
    let few = equations.iter().map(|equation| &component.equations[*equation as usize]);
    let mut classes: Vec<u32> = few.clone().flatten().map(|(class, _)| *class).chain([class]).collect();
    classes.sort_unstable();
    classes.dedup();
    let place = |class: u32| classes.partition_point(|other| *other < class) as u32;
    let terms =
        few.map(|terms| terms.iter().map(|(class, by)| (place(*class), *by)).collect()).collect::<Vec<Vec<_>>>();
    let bounds = |class: &u32| limits.of(*class, (component.low[*class as usize], component.high[*class as usize]));
    let (low, high): (Vec<i64>, Vec<i64>) = classes.iter().map(bounds).unzip();
    let Some(mut dictionary) = Dictionary::new(&low, &high, &terms, usize::MAX) else {
        return (None, None);
    };
    let mut end = |up: bool| match dictionary.push(place(class), up, if up { FREE } else { -FREE }) {
        Some(End::Optimal) => Some(dictionary.towards_truth(place(class))),
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
        assert_eq!(bounds(&component, &[0], 0, &Limits::fixed(&[])), (Some(-2), Some(2)));
        assert_eq!(bounds(&component, &[0], 0, &Limits::fixed(&[1])), (Some(-1), Some(1)));
        assert_eq!(bounds(&component, &[1], 0, &Limits::fixed(&[])), (Some(-5), Some(5)));
        assert_eq!(bounds(&component, &[0, 1], 0, &Limits::fixed(&[3])), (Some(0), Some(0)));
    }
}
