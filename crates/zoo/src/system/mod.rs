//! Measured systems: Windlass itself, plain tools for comparison, and any program that speaks the protocol.
//!
//! The statements of a system about itself are not believed: what it shows are lines of files, at the cost of
//! their tokens. Comparisons use the cases that both systems have.

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

/// A question, and what it is asked of.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The folder.
    pub root: &'a Path,
    /// The same files alone, without history and what is hidden, for programs that are measured; the folder if not said.
    pub alone: Option<&'a Path>,
    /// The folder, opened.
    pub workspace: &'a Workspace,
    /// Its files, as plain tools read them: those that no ignore file leaves out.
    pub files: &'a Files,
    /// What plain tools know of these files.
    pub plain: &'a Plain,
    /// Whether the memory is asked, and not the files.
    pub is_of_memory: bool,
    /// What is asked.
    pub question: &'a str,
    /// How many tokens may be shown.
    pub budget: u64,
    /// Raised when nobody waits for the answer any more.
    pub cancel: &'a Cancel,
}

impl<'a> Ask<'a> {
    /// The folder that programs which are measured are given.
    pub(crate) fn given(&self) -> &'a Path {
        self.alone.unwrap_or(self.root)
    }
}

/// What a system answers: places, the best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The places; none where nothing answers.
    pub places: Vec<AnsweredPlace>,
    /// Files that are named besides, with no line of theirs, the best first, with how well they answer.
    pub named: Vec<(String, f64)>,
    /// Files that are named as what comes nearest where it says that nothing answers, the nearest first: no answer, but somewhere to look.
    pub nearest: Vec<String>,
    /// How sure it is that the first of them is meant, 0 to 1, where the system says so.
    pub confidence: Option<f64>,
    /// What is printed of them, where the system prints something else than their lines.
    pub printed: Option<String>,
    /// The digest of all that is said, where more is said than that.
    pub digest: Option<Digest>,
}

impl Answer {
    /// Whether it says that nothing answers.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.named.is_empty()
    }

    /// The files of its places, in their order, and those that are named where their scores put them.
    pub(crate) fn files(&self) -> Vec<(&str, f64)> {
        let shown = self.places.iter();
        let mut files: Vec<(&str, f64)> = shown.map(|one| (&*one.file, one.score)).collect();
        for (file, score) in &self.named {
            let at = files.iter().position(|(_, other)| other < score);
            files.insert(at.unwrap_or(files.len()), (file, *score));
        }
        files
    }

    /// The files that it leads to: the same, and what it names as nearest where it has none.
    pub(crate) fn leads_to(&self) -> impl Iterator<Item = &str> {
        let files = self.files().into_iter().map(|(file, _)| file);
        files.chain(self.nearest.iter().map(String::as_str))
    }
}

/// A place with how well it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredPlace {
    /// The file, relative to the root.
    pub file: String,
    /// The lines.
    pub span: LineSpan,
    /// How well; more is better.
    pub score: f64,
}

/// How long a program may take for an answer where nothing is said, in seconds.
pub const PATIENCE: u64 = 10;

/// Something that answers questions.
pub trait System: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// What has to be typed behind `--system` to have it measured; nothing for one that always is.
    fn typed(&self) -> Option<String> {
        None
    }

    /// How long it may take for an answer, where it may be waited for in vain.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Whether it may answer the same question otherwise the next time, so that it is asked twice.
    fn may_differ(&self) -> bool {
        true
    }

    /// Answers.
    ///
    /// # Errors
    /// Why it cannot, in words: the case counts as failed.
    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String>;

    /// True if it gives the same `answer` again, with nothing left of what was asked before.
    ///
    /// # Errors
    /// As [`System::answer`].
    fn says_again(&self, ask: &Ask<'_>, answer: &Answer) -> Result<bool, String> {
        Ok(self.answer(ask)? == *answer)
    }
}

/// The names of the systems that are built in, ours first.
pub const BUILT_IN: [&str; 4] = [crate::OURS, "rg", "bm25", "whole-file"];

/// All of them.
#[must_use]
pub fn built_in() -> Vec<Box<dyn System>> {
    vec![
        Box::new(Ours),
        Box::new(Grep),
        Box::new(Bm25),
        Box::new(WholeFile),
    ]
}
