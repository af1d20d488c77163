//! Measured systems: Windlass itself, plain tools for comparison, and any program that speaks the
//! protocol.
//!
//! A system is judged by the lines it shows and the tokens they cost; what it reports about itself is
//! ignored. Two systems are compared over the cases that both have.

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

/// Question, and the files that it is about.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// Folder of the files.
    pub root: &'a Path,
    /// Copy of the files without history and hidden files, for measured programs; `root` if `None`.
    pub alone: Option<&'a Path>,
    /// The opened repository that the question is about.
    pub workspace: &'a Workspace,
    /// Files that are not ignored, as plain tools read them.
    pub files: &'a Files,
    /// Index of these files for plain tools.
    pub plain: &'a Plain,
    /// True if the memory is asked instead of the files.
    pub is_of_memory: bool,
    /// The question, in natural language.
    pub question: &'a str,
    /// Token budget of the answer.
    pub budget: u64,
    /// Flag that is raised if the answer is no longer needed.
    pub cancel: &'a Cancel,
}

impl<'a> Ask<'a> {
    /// Returns the folder for measured programs.
    pub(crate) fn given(&self) -> &'a Path {
        self.alone.unwrap_or(self.root)
    }
}

/// Answer of a system; the best location comes first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Locations; empty if nothing answers.
    pub places: Vec<AnsweredPlace>,
    /// Further files without lines, best first, each with its score.
    pub named: Vec<(String, f64)>,
    /// Nearest files if nothing answers, nearest first. They are no answer, but a place to look.
    pub nearest: Vec<String>,
    /// Confidence that the first location is right, 0 to 1, if the system states one.
    pub confidence: Option<f64>,
    /// Printed text, if it is more than the lines of the locations.
    pub printed: Option<String>,
    /// Digest of the whole output, if it has more than these fields.
    pub digest: Option<Digest>,
}

impl Answer {
    /// Returns true if the answer is that nothing matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.named.is_empty()
    }

    /// Returns the files of the locations in order, with the named files inserted by score.
    pub(crate) fn files(&self) -> Vec<(&str, f64)> {
        let shown = self.places.iter();
        let mut files: Vec<(&str, f64)> = shown.map(|one| (&*one.file, one.score)).collect();
        for (file, score) in &self.named {
            let at = files.iter().position(|(_, other)| other < score);
            files.insert(at.unwrap_or(files.len()), (file, *score));
        }
        files
    }

    /// Returns the files to which the answer leads: the same, followed by the nearest files.
    pub(crate) fn leads_to(&self) -> impl Iterator<Item = &str> {
        let files = self.files().into_iter().map(|(file, _)| file);
        files.chain(self.nearest.iter().map(String::as_str))
    }
}

/// Location with a score.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredPlace {
    /// File, relative to the root.
    pub file: String,
    /// Lines of the file.
    pub span: LineSpan,
    /// Score; larger is better.
    pub score: f64,
}

/// Default timeout of a program's answer, in seconds.
pub const PATIENCE: u64 = 10;

/// System that answers questions.
pub trait System: Send + Sync {
    /// Returns the name.
    fn name(&self) -> &str;

    /// Returns the value of the `--system` option that measures it; `None` for built-in systems.
    fn typed(&self) -> Option<String> {
        None
    }

    /// Returns the timeout of an answer, if it has one.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Returns true if repeated answers may differ, so that each question is repeated.
    fn may_differ(&self) -> bool {
        true
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// The reason why it cannot, in words; the case counts as failed.
    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String>;

    /// Returns true if a fresh instance gives the same `answer`.
    ///
    /// # Errors
    ///
    /// The same as for [`System::answer`].
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
