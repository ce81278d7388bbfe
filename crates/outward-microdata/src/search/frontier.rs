//! Several searches on one table, and which of their results are worth showing.

use std::cmp::Ordering;

use outward_spec::Result;

use super::{Search, SearchAnswer, SearchTable, search};

/// A release on the plane of risk and loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskAndLoss {
    /// The risk; all points measure the same kind.
    pub risk: f64,
    /// The loss.
    pub loss: f64,
}

/// Answers several searches of one table. Each starts from the answers before it, which may be good or even best for it too.
pub fn frontier(table: &SearchTable, searches: Vec<Search<'_>>) -> Result<Vec<SearchAnswer>> {
    let mut answers: Vec<SearchAnswer> = Vec::with_capacity(searches.len());
    for mut question in searches {
        question.start.extend(answers.iter().filter_map(|answer| Some(answer.best.as_ref()?.levels.clone())));
        answers.push(search(table, &question)?);
    }
    Ok(answers)
}

/// Positions of the points that no other point beats in risk without losing more, by rising risk. Of equal points the first
/// stays.
pub fn pareto(points: &[RiskAndLoss]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).filter(|at| is_number(points[*at])).collect();
    order.sort_by(|a, b| by_risk(points[*a], points[*b]).then(a.cmp(b)));
    let mut least = f64::INFINITY;
    order.retain(|at| {
        let better = points[*at].loss < least;
        least = least.min(points[*at].loss);
        better
    });
    order
}

fn is_number(point: RiskAndLoss) -> bool {
    !point.risk.is_nan() && !point.loss.is_nan()
}

fn by_risk(a: RiskAndLoss, b: RiskAndLoss) -> Ordering {
    a.risk.total_cmp(&b.risk).then(a.loss.total_cmp(&b.loss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_with_more_risk_and_more_loss_is_not_on_the_frontier() {
        let points = [(0.2, 0.5), (0.1, 0.7), (0.2, 0.4), (0.3, 0.4), (0.5, 0.1), (0.1, 0.7), (f64::NAN, 0.0)];
        let points: Vec<RiskAndLoss> = points.into_iter().map(|(risk, loss)| RiskAndLoss { risk, loss }).collect();
        assert_eq!(pareto(&points), [1, 2, 4]);
    }
}
