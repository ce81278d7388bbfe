//! Bands of a number that are all equally wide and start at multiples of the width: `20-24`, `25-29`.

use outward_error::Result;

use super::bands::{between, or_over, parse, under};
use super::wrong;

/// The width of each level, finest first, each a multiple of the one before; the ends are the same at every level.
#[derive(Debug, Clone)]
pub(super) struct Widths {
    widths: Vec<i64>,
    bottom: Option<i64>,
    top: Option<i64>,
}

impl Widths {
    pub(super) fn new(widths: &[u64], bottom: Option<i64>, top: Option<i64>) -> Result<Self> {
        if widths.is_empty() {
            return Err(wrong("`widths` is empty", "write the widths from finer to coarser: `widths = [5, 10, 20]`"));
        }
        if widths.contains(&0) {
            return Err(wrong("a band cannot have width 0", "write a width of 1 or more"));
        }
        if let Some(pair) = widths.windows(2).find(|pair| pair[1] <= pair[0] || !pair[1].is_multiple_of(pair[0])) {
            let what = format!("bands of width {} do not fit into bands of width {}", pair[0], pair[1]);
            return Err(wrong(what, "make each width a multiple of the one before: `widths = [5, 10, 20]`"));
        }
        if let (Some(bottom), Some(top)) = (bottom, top)
            && bottom >= top
        {
            return Err(wrong("`bottom` is not below `top`", "make `bottom` smaller than `top`"));
        }
        let widths = widths.iter().map(|width| i64::try_from(*width)).collect::<Result<_, _>>();
        let widths = widths.map_err(|_| wrong("a width is too large", "write a smaller width"))?;
        Ok(Self { widths, bottom, top })
    }

    pub(super) fn levels(&self) -> usize {
        self.widths.len()
    }

    pub(super) fn label(&self, value: &str, level: usize) -> Option<String> {
        let width = *self.widths.get(level.checked_sub(1)?)?;
        let value = whole(value)?;
        if let Some(bottom) = self.bottom.filter(|bottom| value < *bottom) {
            return Some(under(bottom));
        }
        if let Some(top) = self.top.filter(|top| value >= *top) {
            return Some(or_over(top));
        }
        let start = value.div_euclid(width).checked_mul(width)?;
        let end = start.checked_add(width - 1)?;
        let first = self.bottom.map_or(start, |bottom| bottom.max(start));
        let last = self.top.map_or(end, |top| end.min(top - 1));
        Some(between(first, last))
    }

    /// A band is read by its first number. Only the first number of a label gives the same text again.
    pub(super) fn has_label(&self, label: &str, level: usize) -> bool {
        if self.bottom.is_some_and(|bottom| label == under(bottom)) || self.top.is_some_and(|top| label == or_over(top))
        {
            return true;
        }
        let sign = usize::from(label.starts_with('-'));
        let digits = label[sign..].bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && self.label(&label[..sign + digits], level).as_deref() == Some(label)
    }
}

/// The whole number at or below a value: a band of whole width holds a value exactly when it holds that number.
fn whole(value: &str) -> Option<i64> {
    if let Ok(value) = value.parse() {
        return Some(value);
    }
    let floor = parse(value)?.floor();
    // Beyond this a 64-bit float has no whole number of its own.
    (floor.abs() < 9.0e15).then_some(floor as i64)
}
