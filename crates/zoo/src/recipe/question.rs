use std::collections::BTreeSet;

use serde::Deserialize;
use windlass_base::LineSpan;

use super::Files;
use crate::metric::{Lines, says};

/// A question, with the places that answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Name of the case. It is unique in the sample.
    pub id: String,
    /// The kind of question. Results are grouped by this.
    pub kind: Kind,
    /// True if the question is about the memory rather than the files.
    pub is_of_memory: bool,
    /// The question, in natural language.
    pub text: String,
    /// Everything that answers the question. This is empty if nothing does.
    pub gold: Vec<Gold>,
    /// Files that a system may or may not name. It does not make a difference.
    pub neutral: Vec<String>,
}

windlass_base::word_enum! {
    /// Kinds of questions. It is not equally hard to find the answer to all of them.
    Kind, "kind of question" {
        /// It has words of the text that answers it.
        Plain = "plain",
        /// It does not have any word of a name in the code.
        Paraphrase = "paraphrase",
        /// It describes what a user sees.
        Behaviour = "behaviour",
        /// The answer is in two files.
        Both = "both",
        /// There is no answer, and a system must say so.
        Nothing = "nothing",
        /// It has words of the record that answers it.
        Remembered = "remembered",
        /// It does not have any word of the record's title or keywords.
        RememberedParaphrase = "remembered_paraphrase",
        /// There is no record that answers it, and a system must say so.
        Forgotten = "forgotten",
        /// It is a commit message.
        Mined = "mined",
    }
}

/// A location that answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gold {
    /// Path from the root of the sample.
    pub file: String,
    /// The first line (1-based).
    pub start_line: u32,
    /// The last line, which is still part of the answer.
    pub end_line: u32,
}

impl Gold {
    /// Returns the lines, or `None` if they are not a valid range.
    #[must_use]
    pub fn span(&self) -> Option<LineSpan> {
        LineSpan::new(self.start_line, self.end_line).ok()
    }
}

impl Question {
    /// Returns the lines that answer the question, without those that have neither letters nor
    /// digits.
    ///
    /// # Errors
    ///
    /// Returns a message if there is no word to search for, or if a location is not in `files` or
    /// has nothing but lines without letters and digits.
    pub fn wanted(&self, files: &Files) -> Result<Lines, String> {
        let mut asks = false;
        windlass_search::each_term_but(&self.text, windlass_search::is_grammar, |_| asks = true);
        if !asks {
            return Err("the question has no word to search for".to_owned());
        }
        let mut wanted = Lines::new();
        for gold in &self.gold {
            let text = files.get(&gold.file).ok_or_else(|| {
                format!(
                    "the answer file `{}` does not exist, or is ignored, hidden, no text, or longer than 5,000 lines",
                    gold.file
                )
            })?;
            let count = text.len();
            if gold.start_line == 0
                || gold.start_line > gold.end_line
                || gold.end_line as usize > count
            {
                return Err(format!(
                    "`{}` has {count} lines, and no {}-{}",
                    gold.file, gold.start_line, gold.end_line
                ));
            }
            let says_something = |line: &u32| says(&text[*line as usize - 1]);
            let lines = (gold.start_line..=gold.end_line).filter(says_something);
            let lines: BTreeSet<u32> = lines.collect();
            if lines.is_empty() {
                return Err(format!(
                    "lines {}-{} of `{}` have no letter or digit, so there is nothing to find",
                    gold.start_line, gold.end_line, gold.file
                ));
            }
            wanted.entry(gold.file.clone()).or_default().extend(lines);
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_answer_location_is_named() {
        let gold = |file: &str, end_line| {
            vec![Gold {
                file: file.to_owned(),
                start_line: 1,
                end_line,
            }]
        };
        let lines = vec!["one".to_owned(), "}".to_owned()];
        let files = Files::from([("a".to_owned(), lines), ("f/b".to_owned(), Vec::new())]);
        let question = |text: &str, gold| Question {
            id: String::new(),
            kind: Kind::Plain,
            is_of_memory: false,
            text: text.to_owned(),
            gold,
            neutral: Vec::new(),
        };
        let wanted = |gold| question("who ends sessions", gold).wanted(&files);
        for text in ["", " \n", "?!", "what is the"] {
            let told = question(text, gold("a", 1)).wanted(&files).unwrap_err();
            assert!(told.contains("no word"), "{text}: {told}");
        }
        for missing in ["f", "b"] {
            let told = wanted(gold(missing, 1)).unwrap_err();
            assert!(
                told.contains(&format!("`{missing}` does not exist")),
                "{told}"
            );
        }
        assert!(wanted(gold("a", 3)).unwrap_err().contains("2 lines"));
        let blank = vec![Gold {
            start_line: 2,
            ..gold("a", 2).remove(0)
        }];
        assert!(wanted(blank).unwrap_err().contains("nothing to find"));
        // A line without letters or digits isn't wanted.
        let lines = wanted(gold("a", 2)).unwrap().remove("a").unwrap();
        assert_eq!(lines, BTreeSet::from([1]));
    }
}
