//! The leading characters of a code: `SW1A` of `SW1A 1AA`, then `SW`.

use outward_error::Result;

use super::wrong;

/// How many characters are kept at each level, from more to fewer.
#[derive(Debug, Clone)]
pub(super) struct Prefixes {
    lengths: Vec<usize>,
}

impl Prefixes {
    pub(super) fn new(lengths: &[usize]) -> Result<Self> {
        let help = "write how many characters to keep, from more to fewer: `prefix = [4, 2]`";
        if lengths.is_empty() {
            return Err(wrong("`prefix` is empty", help));
        }
        if lengths.contains(&0) {
            return Err(wrong("`prefix` keeps 0 characters", "leave the 0 out: the last level is always `*`"));
        }
        if let Some(pair) = lengths.windows(2).find(|pair| pair[0] <= pair[1]) {
            let what = format!("`prefix` does not get shorter: {} comes before {}", pair[0], pair[1]);
            return Err(wrong(what, help));
        }
        Ok(Self { lengths: lengths.to_vec() })
    }

    pub(super) fn levels(&self) -> usize {
        self.lengths.len()
    }

    /// A value with fewer characters is kept whole.
    pub(super) fn label<'a>(&self, value: &'a str, level: usize) -> Option<&'a str> {
        let length = *self.lengths.get(level.checked_sub(1)?)?;
        Some(value.char_indices().nth(length).map_or(value, |(end, _)| &value[..end]))
    }
}
