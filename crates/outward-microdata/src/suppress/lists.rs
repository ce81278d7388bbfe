//! Many short lists of numbers in one block of memory.

/// Lists of numbers, counted from 0.
#[derive(Debug)]
pub(super) struct Lists {
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    pub(super) fn new() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }

    /// Adds a list after the others.
    pub(super) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    /// How many lists there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// One of the lists.
    #[inline]
    pub(super) fn get(&self, list: usize) -> &[u32] {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        &self.items[start..self.ends[list]]
    }

    /// From pairs of a list and an item of it, items in the order of coming.
    pub(super) fn from_pairs(lists: usize, pairs: &[(u32, u32)]) -> Self {
        let mut ends = vec![0; lists];
        pairs.iter().for_each(|(list, _)| ends[*list as usize] += 1);
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut items = vec![0; pairs.len()];
        for (list, item) in pairs {
            items[ends[*list as usize]] = *item;
            ends[*list as usize] += 1;
        }
        Self { ends, items }
    }

    /// For each item below `items` the lists that hold it, ascending.
    pub(super) fn turned(&self, items: usize) -> Self {
        let pairs: Vec<(u32, u32)> =
            (0..self.len()).flat_map(|list| self.get(list).iter().map(move |item| (*item, list as u32))).collect();
        Self::from_pairs(items, &pairs)
    }
}
