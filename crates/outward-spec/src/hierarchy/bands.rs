//! Bands of a number by their lower edges: `under 16`, `16-24`, `25-44`, `45 or over`.

use outward_error::Result;

use super::{Edges, Number, wrong};

/// The lower edges of each level, finest first; each level's edges are among those of the level before.
#[derive(Debug, Clone)]
pub(super) struct Bands {
    levels: Vec<Vec<f64>>,
    whole: bool,
}

impl Bands {
    pub(super) fn new(edges: &Edges, bottom: Option<Number>, top: Option<Number>) -> Result<Self> {
        let mut levels = match edges {
            Edges::One(level) => vec![level.clone()],
            Edges::Several(levels) => levels.clone(),
        };
        if levels.is_empty() || levels.iter().any(Vec::is_empty) {
            return Err(wrong("`bands` is empty", "write the lower edges: `bands = [16, 25, 45, 65]`"));
        }
        for level in &mut levels {
            check_ascending(level)?;
            add_ends(level, bottom, top)?;
        }
        for (i, pair) in levels.windows(2).enumerate() {
            if let Some(edge) = pair[1].iter().find(|edge| !pair[0].contains(edge)) {
                let what = format!("edge {} of level {} cuts a band of level {} in two", edge.0, i + 2, i + 1);
                return Err(wrong(what, "use only edges of the finer level in the coarser one"));
            }
        }
        let whole = levels.iter().flatten().all(|edge| edge.is_whole());
        let levels = levels.into_iter().map(|level| level.into_iter().map(|edge| edge.0 + 0.0).collect()).collect();
        Ok(Self { levels, whole })
    }

    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn label(&self, value: &str, level: usize) -> Option<String> {
        let value = parse(value)?;
        let edges = self.levels.get(level.checked_sub(1)?)?;
        self.band(edges, edges.partition_point(|edge| *edge <= value))
    }

    pub(super) fn has_label(&self, label: &str, level: usize) -> bool {
        let edges = level.checked_sub(1).and_then(|at| self.levels.get(at));
        edges.is_some_and(|edges| (0..=edges.len()).any(|above| self.band(edges, above).as_deref() == Some(label)))
    }

    /// The band below the edge at `above`.
    fn band(&self, edges: &[f64], above: usize) -> Option<String> {
        Some(match (above.checked_sub(1).map(|lower| edges[lower]), edges.get(above)) {
            (None, upper) => under(*upper?),
            (Some(lower), None) => or_over(lower),
            (Some(lower), Some(upper)) if self.whole => between(lower, upper - 1.0),
            (Some(lower), Some(upper)) => format!("{lower} to under {upper}"),
        })
    }
}

fn check_ascending(level: &[Number]) -> Result<()> {
    if level.iter().any(|edge| !edge.is_exact()) {
        return Err(wrong("an edge of `bands` is too large", "use edges below 9 thousand million million"));
    }
    match level.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => {
            let what = format!("the edges of `bands` do not ascend: {} comes before {}", pair[0].0, pair[1].0);
            Err(wrong(what, "write the lower edges from small to large, each once"))
        }
        None => Ok(()),
    }
}

/// Make `bottom` and `top` edges of the level; no other edge may lie outside them.
fn add_ends(level: &mut Vec<Number>, bottom: Option<Number>, top: Option<Number>) -> Result<()> {
    if let (Some(bottom), Some(top)) = (bottom, top)
        && bottom >= top
    {
        return Err(wrong("`bottom` is not below `top`", "make `bottom` smaller than `top`"));
    }
    for end in [bottom, top].into_iter().flatten() {
        if !end.is_exact() {
            return Err(wrong("`bottom` or `top` is too large", "use a value below 9 thousand million million"));
        }
    }
    if let Some(bottom) = bottom {
        if let Some(edge) = level.iter().find(|edge| **edge < bottom) {
            return Err(wrong(format!("edge {} is below `bottom`", edge.0), "remove the edge, or lower `bottom`"));
        }
        if level.first() != Some(&bottom) {
            level.insert(0, bottom);
        }
    }
    if let Some(top) = top {
        if let Some(edge) = level.iter().find(|edge| **edge > top) {
            return Err(wrong(format!("edge {} is above `top`", edge.0), "remove the edge, or raise `top`"));
        }
        if level.last() != Some(&top) {
            level.push(top);
        }
    }
    Ok(())
}

/// A finite number. Whole numbers beyond 2^53 round here, but never across an edge, as edges are smaller.
pub(super) fn parse(value: &str) -> Option<f64> {
    value.parse().ok().filter(|value: &f64| value.is_finite())
}

pub(super) fn under(edge: impl std::fmt::Display) -> String {
    format!("under {edge}")
}

pub(super) fn or_over(edge: impl std::fmt::Display) -> String {
    format!("{edge} or over")
}

/// A band of whole numbers by its first and last: `16-24`, a single one as itself, `-5 to -1` below zero.
pub(super) fn between<N: PartialOrd + Default + std::fmt::Display>(first: N, last: N) -> String {
    if first == last {
        first.to_string()
    } else if first < N::default() {
        format!("{first} to {last}")
    } else {
        format!("{first}-{last}")
    }
}
