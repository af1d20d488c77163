//! Plain tools, as somebody without Windlass would use them. They take every file that no ignore file leaves out.

use std::collections::BTreeMap;

use windlass_base::LineSpan;

use super::{Answer, AnsweredPlace, Ask, System};

/// Words that nobody would search for.
const STOP_WORDS: [&str; 40] = [
    "a", "an", "and", "are", "at", "by", "can", "code", "do", "does", "for", "from", "has", "how",
    "in", "is", "it", "its", "not", "of", "on", "or", "our", "that", "the", "them", "this", "to",
    "too", "until", "was", "we", "what", "when", "where", "which", "who", "why", "with", "you",
];

/// The words of a text in lower case, without those that say nothing.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err())
}

/// `rg -i -C 2 'one|two|three'`: every line with a word of the question, two lines around each, the files with most of
/// them first.
#[derive(Debug, Clone, Copy)]
pub struct Grep;

impl System for Grep {
    fn name(&self) -> &str {
        "rg"
    }

    fn may_differ(&self) -> bool {
        false
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        const AROUND: u32 = 2;
        let wanted: Vec<String> = words(ask.question).collect();
        let mut places = Vec::new();
        for (file, lines) in ask.files {
            let has = |line: &&String| {
                let line = line.to_lowercase();
                wanted.iter().any(|word| line.contains(word.as_str()))
            };
            let found: Vec<u32> = (1..)
                .zip(lines)
                .filter(|(_, line)| has(line))
                .map(|(at, _)| at)
                .collect();
            for at in &found {
                let last = (at + AROUND).min(lines.len() as u32);
                let span = LineSpan::new(at.saturating_sub(AROUND).max(1), last);
                places.extend(span.ok().map(|span| AnsweredPlace {
                    file: file.clone(),
                    span,
                    score: found.len() as f64,
                }));
            }
        }
        places.sort_by(|one, other| other.score.total_cmp(&one.score));
        Ok(Answer {
            places,
            ..Answer::default()
        })
    }
}

/// Okapi BM25 (k1 1.2, b 0.75) over stretches of forty lines, by words as they are written.
#[derive(Debug, Clone, Copy)]
pub struct Bm25;

impl System for Bm25 {
    fn name(&self) -> &str {
        "bm25"
    }

    fn may_differ(&self) -> bool {
        false
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        const STRETCH: usize = 40;
        const MOST: usize = 100;
        let wanted: Vec<String> = words(ask.question).collect();
        let mut stretches: Vec<(AnsweredPlace, Vec<f64>, f64)> = Vec::new();
        let mut having = vec![0.0; wanted.len()];
        for (file, lines) in ask.files {
            for (at, stretch) in lines.chunks(STRETCH).enumerate() {
                let (mut counts, mut length) = (vec![0.0; wanted.len()], 0.0);
                for word in stretch.iter().flat_map(|line| words(line)) {
                    length += 1.0;
                    for (count, _) in counts
                        .iter_mut()
                        .zip(&wanted)
                        .filter(|(_, wanted)| **wanted == word)
                    {
                        *count += 1.0;
                    }
                }
                for (having, count) in having.iter_mut().zip(&counts) {
                    *having += f64::from(u8::from(*count > 0.0));
                }
                let first = (at * STRETCH) as u32 + 1;
                if let Ok(span) = LineSpan::new(first, first + stretch.len() as u32 - 1) {
                    let place = AnsweredPlace {
                        file: file.clone(),
                        span,
                        score: 0.0,
                    };
                    stretches.push((place, counts, length));
                }
            }
        }
        let total = stretches.len() as f64;
        let average = stretches.iter().map(|(_, _, length)| length).sum::<f64>() / total.max(1.0);
        for (place, counts, length) in &mut stretches {
            for (count, having) in counts.iter().zip(&having) {
                let rare = (1.0 + (total - having + 0.5) / (having + 0.5)).ln();
                place.score +=
                    rare * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * *length / average.max(1.0)));
            }
        }
        let mut places: Vec<AnsweredPlace> =
            stretches.into_iter().map(|(place, ..)| place).collect();
        places.retain(|place| place.score > 0.0);
        places.sort_by(|one, other| other.score.total_cmp(&one.score));
        places.truncate(MOST);
        Ok(Answer {
            places,
            ..Answer::default()
        })
    }
}

/// Opens the files that have most words of the question, one after the other, and reads each from its beginning.
#[derive(Debug, Clone, Copy)]
pub struct WholeFile;

impl System for WholeFile {
    fn name(&self) -> &str {
        "whole-file"
    }

    fn may_differ(&self) -> bool {
        false
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        const MOST: usize = 20;
        let wanted: BTreeMap<String, ()> = words(ask.question).map(|word| (word, ())).collect();
        let mut places = Vec::new();
        for (file, lines) in ask.files {
            let mut found = BTreeMap::new();
            for word in lines.iter().flat_map(|line| words(line)).chain(words(file)) {
                if let Some((word, ())) = wanted.get_key_value(&word) {
                    found.insert(word, ());
                }
            }
            let span = LineSpan::new(1, lines.len() as u32).ok();
            let score = found.len() as f64;
            places.extend(span.filter(|_| score > 0.0).map(|span| AnsweredPlace {
                file: file.clone(),
                span,
                score,
            }));
        }
        places.sort_by(|one, other| other.score.total_cmp(&one.score));
        places.truncate(MOST);
        Ok(Answer {
            places,
            ..Answer::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_sorted_and_left_out() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(
            words("Where is the retry_delay?").collect::<Vec<_>>(),
            ["retry", "delay"]
        );
    }
}
