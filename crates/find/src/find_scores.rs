//! BM25 scores, multiplied by a factor that favors texts with more of the question's words.

use windlass_search::{Bm25, Rarity, WordCounts};

/// BM25 parameters for files and their stretches.
pub(crate) const OF_FILES: Bm25 = Bm25 { k1: 1.2, b: 0.6 };
/// BM25 parameters for passages. They differ in length more than stretches do, hence the larger
/// `b`.
pub(crate) const OF_PASSAGES: Bm25 = Bm25 { k1: 2.0, b: 0.7 };

/// Scores each text. A text without any word of the question gets 0.
pub(crate) fn scores(texts: &[WordCounts], weights: &[f64], counting: Bm25) -> Vec<f64> {
    let scores = counting.scores(texts, weights).into_iter().zip(texts);
    // If we multiplied by the coverage itself, texts with only some of the words would drop out.
    // With the square root, a text with half of the question still gets about 70% of the score.
    let scores = scores.map(
        |(score, text)| match windlass_base::is_on("find.coverage") {
            true => score * text.coverage(weights).sqrt(),
            false => score,
        },
    );
    scores.collect()
}

/// Weighs each word by its rarity. `having` is the number of texts with the word, out of `total`.
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
    fn rare_words_count_more() {
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
