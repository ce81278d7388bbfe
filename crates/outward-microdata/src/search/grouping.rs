//! Rows put into groups that agree on some labels.

/// Rows of one margin or of all keys: the group of each row, and how many groups there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grouping {
    pub(crate) group: Vec<u32>,
    pub(crate) groups: usize,
}

impl Grouping {
    /// All rows in one group.
    pub(crate) fn whole(rows: usize) -> Self {
        Self { group: vec![0; rows], groups: usize::from(rows > 0) }
    }

    /// The groups split by a label of each row, of which there are so many.
    pub(crate) fn split(&self, labels: impl Iterator<Item = u32>, many: usize) -> Self {
        let mut split = Self { group: Vec::with_capacity(self.group.len()), groups: 0 };
        let pairs = self.group.iter().copied().zip(labels);
        if self.groups.saturating_mul(many) <= 4 * self.group.len() + 1024 {
            let mut ids = vec![u32::MAX; self.groups * many];
            for (group, label) in pairs {
                let id = &mut ids[group as usize * many + label as usize];
                if *id == u32::MAX {
                    *id = split.groups as u32;
                    split.groups += 1;
                }
                split.group.push(*id);
            }
        } else {
            let mut ids = hashbrown::HashMap::<(u32, u32), u32>::new();
            for pair in pairs {
                let next = ids.len() as u32;
                split.group.push(*ids.entry(pair).or_insert(next));
            }
            split.groups = ids.len();
        }
        split
    }
}
