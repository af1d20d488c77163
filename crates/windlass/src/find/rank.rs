//! Which texts answer a question: BM25, with what was asked for as a whole counting more than one word of it often.

use std::collections::BTreeMap;

/// How soon another occurrence of a word says little more.
const K1: f64 = 1.2;
/// How much a long text has to make up for.
const B: f64 = 0.6;

/// How often each word of the question is in a text, and how many words that has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) of_words: BTreeMap<u32, f64>,
    pub(super) length: f64,
}

/// The scores of `texts`, in their order, against all of them: 0 for one that has no word of the question.
pub(super) fn scores(texts: &[Counts], weights: &[f64]) -> Vec<f64> {
    let total: f64 = texts.iter().map(|text| text.length).sum();
    let average = (total / texts.len().max(1) as f64).max(1.0);
    texts
        .iter()
        .map(|text| score(text, weights, average))
        .collect()
}

fn score(text: &Counts, weights: &[f64], average: f64) -> f64 {
    let all: f64 = weights.iter().sum();
    let (mut sum, mut covered) = (0.0, 0.0);
    for (word, count) in &text.of_words {
        let weight = weights.get(*word as usize).copied().unwrap_or_default();
        let room = K1 * (1.0 - B + B * text.length / average);
        sum += weight * count * (K1 + 1.0) / (count + room);
        covered += weight;
    }
    // Who has half of what was asked for answers less than half of it.
    sum * (covered / all.max(f64::MIN_POSITIVE)).sqrt()
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
        let scores = scores(&texts, &weights);
        assert!(
            scores[0] > scores[1] && scores[1] > scores[2] && scores[2] > scores[3],
            "{scores:?}"
        );
        assert!(scores[1] > scores[4], "{scores:?}");
        assert_eq!(scores[3], 0.0);
    }
}
