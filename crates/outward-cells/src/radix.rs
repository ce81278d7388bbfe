//! Sorting by a key of known width: least significant digit first, so equal keys keep their order (Knuth, TAOCP 5.2.5).

/// Bits of a digit: 2,048 counters stay in the first-level cache.
const DIGIT: u32 = 11;
/// Fewer items are sorted by comparison.
const LEAST_ITEMS: usize = 4096;

/// Sorts items by the lowest `bits` bits of their key; no key may be wider.
pub(crate) fn sort_by_bits<T: Copy>(items: &mut Vec<T>, bits: u32, key: impl Fn(&T) -> u64) {
    if items.len() < LEAST_ITEMS {
        items.sort_by_key(|item| key(item));
        return;
    }
    let mut sorted = items.clone();
    for shift in (0..bits).step_by(DIGIT as usize) {
        let digit = |item: &T| (key(item) >> shift) as usize & ((1 << DIGIT) - 1);
        let mut starts = [0usize; 1 << DIGIT];
        items.iter().for_each(|item| starts[digit(item)] += 1);
        let mut next = 0;
        for start in &mut starts {
            next += std::mem::replace(start, next);
        }
        for item in items.iter() {
            let start = &mut starts[digit(item)];
            sorted[*start] = *item;
            *start += 1;
        }
        std::mem::swap(items, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_sort_as_comparison_does_and_keep_equals_in_order() {
        for (count, bits) in [(10, 5), (10_000, 3), (10_000, 11), (10_000, 12), (10_000, 40), (10_000, 64)] {
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            let mut state = 1u64;
            let mut items: Vec<(u64, usize)> = (0..count)
                .map(|at| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((state ^ (state >> 31)) & mask, at)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort();
            sort_by_bits(&mut items, bits, |(key, _)| *key);
            assert_eq!(items, expected);
        }
    }
}
