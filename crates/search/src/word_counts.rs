use std::collections::BTreeMap;

/// Occurrences of the words of a question in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordCounts {
    /// Number of occurrences of each word, by its number in the question.
    pub of_words: BTreeMap<u32, f64>,
    /// Number of all words of the text.
    pub length: f64,
}

impl WordCounts {
    /// Adds the counts of `other`, each times `weight`, and its length.
    pub fn add(&mut self, other: &Self, weight: f64) {
        self.length += other.length;
        for (word, count) in &other.of_words {
            *self.of_words.entry(*word).or_default() += count * weight;
        }
    }

    /// Share of the weights of the question whose words occur in the text, 0 to 1.
    #[must_use]
    pub fn coverage(&self, weights: &[f64]) -> f64 {
        let own = self.of_words.keys();
        let own: f64 = own.filter_map(|word| weights.get(*word as usize)).sum();
        own / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE)
    }
}
