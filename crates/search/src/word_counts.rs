use std::collections::BTreeMap;

/// Counts of a question's words in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordCounts {
    /// Number of occurrences of each word, keyed by its number in the question. Weighted counts
    /// need not be whole.
    pub of_words: BTreeMap<u32, f64>,
    /// Total number of words in the text.
    pub length: f64,
}

impl WordCounts {
    /// Adds the counts of `other`, multiplied by `weight`. The length of `other` is added without
    /// the weight.
    pub fn add(&mut self, other: &Self, weight: f64) {
        self.length += other.length;
        for (word, count) in &other.of_words {
            *self.of_words.entry(*word).or_default() += count * weight;
        }
    }

    /// Returns the share of the question's total weight covered by the words in the text, from 0 to
    /// 1.
    #[must_use]
    pub fn coverage(&self, weights: &[f64]) -> f64 {
        let own = self.of_words.keys();
        let own: f64 = own.filter_map(|word| weights.get(*word as usize)).sum();
        own / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE)
    }
}
