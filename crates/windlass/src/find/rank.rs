//! Which texts answer a question: BM25, with what was asked for as a whole counting more than one word of it often.

use std::collections::BTreeMap;

/// How words are counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting {
    /// How soon another occurrence of a word says little more.
    k1: f64,
    /// How much a long text has to make up for.
    b: f64,
}

/// Of files and stretches of them.
pub(super) const OF_FILES: Counting = Counting { k1: 1.2, b: 0.6 };
/// Of passages, which differ more in how long they are.
pub(super) const OF_PASSAGES: Counting = Counting { k1: 2.0, b: 0.7 };

/// How often each word of the question is in a text, and how many words that has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) of_words: BTreeMap<u32, f64>,
    pub(super) length: f64,
}

impl Counts {
    /// With those of `other`, each as `weight` of them.
    pub(super) fn add(&mut self, other: &Self, weight: f64) {
        self.length += other.length;
        for (word, count) in &other.of_words {
            *self.of_words.entry(*word).or_default() += count * weight;
        }
    }
}

/// The scores of `texts`, in their order, against all of them: 0 for one that has no word of the question.
pub(super) fn scores(texts: &[Counts], weights: &[f64], counting: Counting) -> Vec<f64> {
    let total: f64 = texts.iter().map(|text| text.length).sum();
    let average = (total / texts.len().max(1) as f64).max(1.0);
    texts
        .iter()
        .map(|text| score(text, weights, average, counting))
        .collect()
}

fn score(text: &Counts, weights: &[f64], average: f64, Counting { k1, b }: Counting) -> f64 {
    let room = k1 * (1.0 - b + b * text.length / average);
    let of_word = |(word, count): (&u32, &f64)| {
        let weight = weights.get(*word as usize).copied().unwrap_or_default();
        weight * count * (k1 + 1.0) / (count + room)
    };
    let sum: f64 = text.of_words.iter().map(of_word).sum();
    // Who has half of what was asked for answers less than half of it.
    sum * covered(text, weights).sqrt()
}

/// The share of what the words of the question tell that `text` has, 0 to 1.
pub(super) fn covered(text: &Counts, weights: &[f64]) -> f64 {
    let own = text.of_words.keys();
    let own: f64 = own.filter_map(|word| weights.get(*word as usize)).sum();
    own / weights.iter().sum::<f64>().max(f64::MIN_POSITIVE)
}

/// How much each word of the question says, by how many of `total` texts have it.
pub(super) fn weights(having: &[u32], total: usize) -> Vec<f64> {
    let total = total as f64;
    let weight = |count: &u32| {
        let count = f64::from(*count).min(total);
        (1.0 + (total - count + 0.5) / (count + 0.5)).ln()
    };
    having.iter().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &[(u32, f64)], length: f64) -> Counts {
        Counts {
            of_words: words.iter().copied().collect(),
            length,
        }
    }

    #[test]
    fn rare_words_and_whole_questions_count_more() {
        let weights = weights(&[1, 50], 100);
        assert!(weights[0] > weights[1] && weights[1] > 0.0);
        let texts = [
            text(&[(0, 1.0), (1, 1.0)], 10.0),
            text(&[(0, 1.0)], 10.0),
            text(&[(1, 9.0)], 10.0),
            text(&[], 10.0),
            text(&[(0, 1.0)], 90.0),
        ];
        let scores = scores(&texts, &weights, OF_FILES);
        assert!(covered(&texts[0], &weights) > 0.999 && covered(&texts[3], &weights) == 0.0);
        assert!(
            scores[0] > scores[1] && scores[1] > scores[2] && scores[2] > scores[3],
            "{scores:?}"
        );
        assert!(scores[1] > scores[4], "{scores:?}");
        assert_eq!(scores[3], 0.0);
    }
}
