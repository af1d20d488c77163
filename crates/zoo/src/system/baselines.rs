//! Plain tools, as they are used by people who do not have Windlass. They read all files that are
//! not ignored.

use windlass_base::LineSpan;

use super::{Answer, AnsweredPlace, Ask, System};

/// Words that nobody would search for.
const STOP_WORDS: [&str; 40] = [
    "a", "an", "and", "are", "at", "by", "can", "code", "do", "does", "for", "from", "has", "how",
    "in", "is", "it", "its", "not", "of", "on", "or", "our", "that", "the", "them", "this", "to",
    "too", "until", "was", "we", "what", "when", "where", "which", "who", "why", "with", "you",
];

/// Returns the words in lower case, without stop words.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err())
}

/// Searches like `rg -i -C 2 'one|two|three'`. All lines with a word of the question are shown,
/// with two lines around each. The file with the most such lines comes first.
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
        for (file, found) in ask.plain.lines_with(&wanted) {
            for at in &found {
                let last = (at + AROUND).min(ask.plain.count(file));
                let span = LineSpan::new(at.saturating_sub(AROUND).max(1), last);
                places.extend(span.ok().map(|span| AnsweredPlace {
                    file: file.to_owned(),
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

/// Ranks passages of forty lines by Okapi BM25. The names of files count as text, words are
/// stemmed, stop words are dropped, and identifiers count both as a whole and in parts.
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
        const MOST: usize = 100;
        let found = ask.plain.bm25(ask.question).into_iter().take(MOST);
        let places = found.map(|(file, span, score)| AnsweredPlace {
            file: file.to_owned(),
            span,
            score,
        });
        Ok(Answer {
            places: places.collect(),
            ..Answer::default()
        })
    }
}

/// Reads whole files from the top. The file with the most words of the question comes first.
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
        let found = ask.plain.ranked(ask.question).into_iter().take(MOST);
        let places = found.filter_map(|(file, count)| {
            Some(AnsweredPlace {
                file: file.to_owned(),
                span: LineSpan::new(1, ask.plain.count(file)).ok()?,
                score: count as f64,
            })
        });
        Ok(Answer {
            places: places.collect(),
            ..Answer::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_and_removed() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(
            words("Where is the retry_delay?").collect::<Vec<_>>(),
            ["retry", "delay"]
        );
    }
}
