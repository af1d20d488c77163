//! Matches the elements of two lists.

use std::collections::{BTreeMap, VecDeque};

/// Two lists, and the matches between their elements.
pub(crate) struct Pairing<T> {
    pub(crate) before: Vec<T>,
    pub(crate) after: Vec<T>,
    /// For each element of `before`, the index of its match in `after`. `backward` has the opposite
    /// direction.
    forward: Vec<Option<usize>>,
    backward: Vec<Option<usize>>,
}

impl<T> Pairing<T> {
    pub(crate) fn of(before: Vec<T>, after: Vec<T>) -> Self {
        Self {
            forward: vec![None; before.len()],
            backward: vec![None; after.len()],
            before,
            after,
        }
    }

    pub(crate) fn open_before(&self) -> Vec<usize> {
        open(&self.forward)
    }

    pub(crate) fn open_after(&self) -> Vec<usize> {
        open(&self.backward)
    }

    pub(crate) fn join(&mut self, before: usize, after: usize) {
        self.forward[before] = Some(after);
        self.backward[after] = Some(before);
    }

    /// Pairs elements with equal keys, in order. Elements that already have a match are skipped, so
    /// call this with the most reliable key first.
    pub(crate) fn pair<K: Ord>(&mut self, key: impl Fn(&T) -> Option<K>) {
        let mut waiting: BTreeMap<K, VecDeque<usize>> = BTreeMap::new();
        for at in self.open_before() {
            if let Some(key) = key(&self.before[at]) {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        for at in self.open_after() {
            let partners = key(&self.after[at]).and_then(|key| waiting.get_mut(&key));
            if let Some(before) = partners.and_then(VecDeque::pop_front) {
                self.join(before, at);
            }
        }
    }

    /// Calls `change` for each pair and for each element without a match. Returns the number of
    /// calls that returned `None`, i.e. found no change, and the other results.
    pub(crate) fn changes<C>(
        &self,
        change: impl Fn(Option<&T>, Option<&T>) -> Option<C>,
    ) -> (usize, Vec<C>) {
        let later = self.after.iter().zip(&self.backward);
        let later = later.map(|(after, partner)| {
            let before = partner.map(|at| &self.before[at]);
            change(before, Some(after))
        });
        let gone = self.open_before().into_iter();
        let gone = gone.map(|at| change(Some(&self.before[at]), None));
        let all: Vec<Option<C>> = later.chain(gone).collect();
        let same = all.iter().filter(|change| change.is_none()).count();
        (same, all.into_iter().flatten().collect())
    }
}

fn open(partners: &[Option<usize>]) -> Vec<usize> {
    let open = partners.iter().enumerate();
    open.filter(|(_, partner)| partner.is_none())
        .map(|(at, _)| at)
        .collect()
}
