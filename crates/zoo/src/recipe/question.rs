//! Questions, with the locations of their answers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_base::LineSpan;

use super::Files;
use crate::file_names::is_folder;
use crate::metric::{Lines, says};

/// A question, with the locations of its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The name of the case, unique in its sample.
    pub id: String,
    /// The kind of question. Results are grouped by it.
    pub kind: Kind,
    /// True if the question is about the memory instead of the files.
    pub is_of_memory: bool,
    /// The question in words.
    pub text: String,
    /// Locations that answer the question. Empty if there is no answer.
    pub gold: Vec<Gold>,
    /// Files that may or may not answer the question. Naming them is neither right nor wrong.
    pub neutral: Vec<String>,
}

/// Kinds of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It shares words with the text that answers it.
    Plain,
    /// It contains no word from a name in the code.
    Paraphrase,
    /// It describes the behaviour from a user's point of view.
    Behaviour,
    /// It's answered only by two files together.
    Both,
    /// It has no answer, and the system must say so.
    Nothing,
    /// It shares words with the memory record that answers it.
    Remembered,
    /// It contains no word from the title or the keywords of the record that answers it.
    RememberedParaphrase,
    /// No memory record answers it, and the system must say so.
    Forgotten,
    /// It is a commit message.
    Mined,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Paraphrase,
        Self::Behaviour,
        Self::Both,
        Self::Nothing,
        Self::Remembered,
        Self::RememberedParaphrase,
        Self::Forgotten,
        Self::Mined,
    ];

    /// Returns the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Paraphrase => "paraphrase",
            Self::Behaviour => "behaviour",
            Self::Both => "both",
            Self::Nothing => "nothing",
            Self::Remembered => "remembered",
            Self::RememberedParaphrase => "remembered_paraphrase",
            Self::Forgotten => "forgotten",
            Self::Mined => "mined",
        }
    }
}

/// A location that answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gold {
    /// The file, relative to the root of the sample.
    pub file: String,
    /// First line of the answer, counted from 1.
    pub start_line: u32,
    /// Last line of the answer.
    pub end_line: u32,
}

impl Gold {
    /// Returns the lines.
    #[must_use]
    pub fn span(&self) -> Option<LineSpan> {
        LineSpan::new(self.start_line, self.end_line).ok()
    }
}

impl Question {
    /// Returns the lines that answer the question and contain a letter or digit.
    ///
    /// # Errors
    ///
    /// Returns an error message if the question has no searchable word. Also returns one if a location does not
    /// exist in `files` or has no line with a letter or digit.
    pub fn wanted(&self, files: &Files) -> Result<Lines, String> {
        let mut asks = false;
        windlass_search::each_term_but(&self.text, windlass_search::is_grammar, |_| asks = true);
        if !asks {
            return Err("the question has no word to search for".to_owned());
        }
        let mut wanted = Lines::new();
        for gold in &self.gold {
            let text = files
                .get(&gold.file)
                .ok_or_else(|| why_no_file(files, &gold.file))?;
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

/// Explains why `name` is not in `files`.
fn why_no_file(files: &Files, name: &str) -> String {
    match is_folder(files, name) {
        true => format!("`{name}` is a folder: name the files in it that answer"),
        false => format!(
            "the answer file `{name}` does not exist, or is ignored, hidden, no text, or longer than 5,000 lines"
        ),
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
        assert!(wanted(gold("f", 1)).unwrap_err().contains("is a folder"));
        assert!(
            wanted(gold("b", 1))
                .unwrap_err()
                .contains("`b` does not exist")
        );
        assert!(wanted(gold("a", 3)).unwrap_err().contains("2 lines"));
        let blank = vec![Gold {
            start_line: 2,
            ..gold("a", 2).remove(0)
        }];
        assert!(wanted(blank).unwrap_err().contains("nothing to find"));
        // A line without letters or digits is not wanted.
        let lines = wanted(gold("a", 2)).unwrap().remove("a").unwrap();
        assert_eq!(lines, BTreeSet::from([1]));
    }
}
