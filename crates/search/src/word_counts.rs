use std::collections::BTreeMap;

/// Counts of the words of a question in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordCounts {
    /// Number of occurrences of each word, by the word's number in the question. Counts that were
    /// added with a weight may be fractions.
    pub of_words: BTreeMap<u32, f64>,
    /// Number of all words in the text, whether or not they are in the question.
    pub length: f64,
}

impl WordCounts {
    /// Adds another text. The weight applies to its counts but not to its length.
    pub fn add(&mut self, other: &Self, weight: f64) {
        self.length += other.length;
        for (word, count) in &other.of_words {
            *self.of_words.entry(*word).or_default() += count * weight;
        }
    }

    /// Computes how much of the question's total weight is covered by this text, from 0 to 1.
    #[must_use]
    pub fn coverage(&self, weights: &[f64]) -> f64 {
        let own = self.of_words.keys();
        let own: f64 = own.filter_map(|word| weights.get(*word as usize)).sum();
        own / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE)
    }
}
