//! Systems to measure: Windlass itself, plain tools for comparison, and any program that speaks the
//! protocol.
//!
//! We judge a system by the lines it shows and the tokens they cost, and ignore its own statements
//! about relevance. Two systems are compared over the cases answered by both.

mod baselines;
mod ours;
mod plain;
mod program;

use std::path::Path;
use std::time::Duration;

use windlass::Workspace;
use windlass_base::{Cancel, Digest, LineSpan};

pub use baselines::{Bm25, Grep, WholeFile};
pub use ours::Ours;
pub use plain::Plain;
pub use program::{Program, start};

use crate::recipe::Files;

/// A question, with the files it's about.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The folder with the files.
    pub root: &'a Path,
    /// A copy of the files without history and hidden files, for measured programs, or `None` if
    /// programs use `root`.
    pub alone: Option<&'a Path>,
    /// The workspace of the repository the question is about.
    pub workspace: &'a Workspace,
    /// The files as read by plain tools, without ignored ones.
    pub files: &'a Files,
    /// Index of these files for plain tools.
    pub plain: &'a Plain,
    /// True if the question is about the memory instead of the files.
    pub is_of_memory: bool,
    /// The question in natural language.
    pub question: &'a str,
    /// Maximum number of tokens in the answer.
    pub budget: u64,
    /// Set once the answer is no longer needed.
    pub cancel: &'a Cancel,
}

impl<'a> Ask<'a> {
    /// Returns the folder that measured programs search.
    pub(crate) fn given(&self) -> &'a Path {
        self.alone.unwrap_or(self.root)
    }
}

/// A system's answer, best location first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Locations that answer the question. Empty if nothing does.
    pub places: Vec<AnsweredPlace>,
    /// Further files without line numbers, best first, each with its score.
    pub named: Vec<(String, f64)>,
    /// The nearest files if nothing answers the question, nearest first. They're a place to start
    /// looking, not an answer.
    pub nearest: Vec<String>,
    /// Confidence that the first location is right, from 0 to 1, or `None` if the system doesn't
    /// state one.
    pub confidence: Option<f64>,
    /// The printed text, or `None` if the system prints only the lines of the locations.
    pub printed: Option<String>,
    /// Digest of the whole output, or `None` if the output has nothing in addition to these fields.
    pub digest: Option<Digest>,
}

impl Answer {
    /// Returns true if the system claims that nothing matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.named.is_empty()
    }

    /// Returns the files of the locations in order. The files in `named` are inserted by their
    /// scores.
    pub(crate) fn files(&self) -> Vec<(&str, f64)> {
        let shown = self.places.iter();
        let mut files: Vec<(&str, f64)> = shown.map(|one| (&*one.file, one.score)).collect();
        for (file, score) in &self.named {
            let at = files.iter().position(|(_, other)| other < score);
            files.insert(at.unwrap_or(files.len()), (file, *score));
        }
        files
    }

    /// Returns the files a user would open after reading the answer: those in [`Answer::files`],
    /// followed by the nearest files.
    pub(crate) fn leads_to(&self) -> impl Iterator<Item = &str> {
        let files = self.files().into_iter().map(|(file, _)| file);
        files.chain(self.nearest.iter().map(String::as_str))
    }
}

/// A location in an answer, with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredPlace {
    /// The file, relative to the root.
    pub file: String,
    /// The lines shown or referred to by the system.
    pub span: LineSpan,
    /// Score of the location. Larger is better.
    pub score: f64,
}

/// Default timeout for a program's answer, in seconds.
pub const PATIENCE: u64 = 10;

/// A system that answers questions and can be measured.
pub trait System: Send + Sync {
    /// Returns the name.
    fn name(&self) -> &str;

    /// Returns the value of the `--system` option for this system, or `None` for a built-in one.
    fn typed(&self) -> Option<String> {
        None
    }

    /// Returns the timeout for an answer, or `None` if there's no timeout.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Returns true if repeated answers may differ, in which case each question is asked twice.
    fn may_differ(&self) -> bool {
        true
    }

    /// Answers the question in `ask`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the system cannot answer. The case then counts as failed.
    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String>;

    /// Returns true if another instance of the system gives the same `answer`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the other instance cannot answer, as in [`System::answer`].
    fn says_again(&self, ask: &Ask<'_>, answer: &Answer) -> Result<bool, String> {
        Ok(self.answer(ask)? == *answer)
    }
}

/// Names of the built-in systems, Windlass first.
pub const BUILT_IN: [&str; 4] = [crate::OURS, "rg", "bm25", "whole-file"];

/// Returns all built-in systems.
#[must_use]
pub fn built_in() -> Vec<Box<dyn System>> {
    vec![
        Box::new(Ours),
        Box::new(Grep),
        Box::new(Bm25),
        Box::new(WholeFile),
    ]
}
