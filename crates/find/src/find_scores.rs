//! Which texts answer a question: BM25, with what was asked for as a whole counting more than one word of it often.

use windlass_search::{Bm25, Rarity, WordCounts};

/// Of files and stretches of them.
pub(crate) const OF_FILES: Bm25 = Bm25 { k1: 1.2, b: 0.6 };
/// Of passages, which differ more in how long they are.
pub(crate) const OF_PASSAGES: Bm25 = Bm25 { k1: 2.0, b: 0.7 };

/// The scores of `texts`, in their order, against all of them: 0 for one that has no word of the question.
pub(crate) fn scores(texts: &[WordCounts], weights: &[f64], counting: Bm25) -> Vec<f64> {
    let scores = counting.scores(texts, weights).into_iter().zip(texts);
    // Who has half of what was asked for answers less than half of it.
    let scores = scores.map(|(score, text)| score * text.coverage(weights).sqrt());
    scores.collect()
}

/// How much each word of the question says, by how many of `total` texts have it.
pub(crate) fn weights(having: &[u32], total: usize) -> Vec<f64> {
    let weight = |count: &u32| Rarity::Odds.weight(f64::from(*count), total as f64);
    having.iter().map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &[(u32, f64)], length: f64) -> WordCounts {
        WordCounts {
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
        assert!(texts[0].coverage(&weights) > 0.999 && texts[3].coverage(&weights) == 0.0);
        assert!(
            scores[0] > scores[1] && scores[1] > scores[2] && scores[2] > scores[3],
            "{scores:?}"
        );
        assert!(scores[1] > scores[4], "{scores:?}");
        assert_eq!(scores[3], 0.0);
    }
}
