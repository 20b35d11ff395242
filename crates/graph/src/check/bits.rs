//! A set of nodes for each node.

/// Square of bits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sets {
    words: usize,
    rows: Vec<Vec<u64>>,
}

impl Sets {
    /// As many empty sets as there are nodes.
    pub(crate) fn new(count: usize) -> Self {
        let words = count.div_ceil(64);
        Sets {
            words,
            rows: vec![vec![0; words]; count],
        }
    }

    pub(crate) fn has(&self, row: usize, member: usize) -> bool {
        let word = self.rows.get(row).and_then(|set| set.get(member / 64));
        word.is_some_and(|word| word & (1 << (member % 64)) != 0)
    }

    pub(crate) fn insert(&mut self, row: usize, member: usize) {
        let word = self.rows.get_mut(row);
        if let Some(word) = word.and_then(|set| set.get_mut(member / 64)) {
            *word |= 1 << (member % 64);
        }
    }

    /// The set of a node, to be worked with.
    pub(crate) fn row(&self, row: usize) -> Vec<u64> {
        let set = self.rows.get(row).cloned();
        set.unwrap_or_else(|| vec![0; self.words])
    }

    pub(crate) fn set_row(&mut self, row: usize, set: Vec<u64>) {
        if let Some(slot) = self.rows.get_mut(row) {
            *slot = set;
        }
    }

    /// Adds the members of another set.
    pub(crate) fn unite(&mut self, row: usize, set: &[u64]) {
        let own = self.rows.get_mut(row).into_iter().flatten();
        for (word, other) in own.zip(set) {
            *word |= other;
        }
    }

    /// Keeps the members that another set has as well.
    pub(crate) fn intersect(&mut self, row: usize, set: &[u64]) {
        let own = self.rows.get_mut(row).into_iter().flatten();
        for (word, other) in own.zip(set) {
            *word &= other;
        }
    }

    /// The members of a set in ascending order.
    pub(crate) fn members(&self, row: usize) -> impl Iterator<Item = usize> {
        let words = self.rows.get(row).into_iter().flatten().enumerate();
        words.flat_map(|(place, word)| {
            (0..64)
                .filter(move |bit| word & (1_u64 << bit) != 0)
                .map(move |bit| place * 64 + bit)
        })
    }
}
