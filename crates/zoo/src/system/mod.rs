//! The systems that we measure: Windlass itself, plain tools for comparison, and any program that
//! speaks our protocol.
//!
//! We judge a system by the lines that it shows, and by how many tokens they cost. It does not
//! matter what the system says about their relevance. When we compare two systems, we only use the
//! cases that both have answered.

mod baselines;
mod ours;
mod plain;
mod program;

use std::path::Path;

use windlass::Workspace;
use windlass_base::{Cancel, Digest, LineSpan};

pub use baselines::{Bm25, Grep, WholeFile};
pub use ours::Ours;
pub use plain::Plain;
pub use program::{Program, start};

use crate::recipe::Files;

/// A question, and the files that it is about.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The folder with the files.
    pub root: &'a Path,
    /// A folder with a copy of the files that may be searched, for programs that we measure. If
    /// it is `None`, they search `root`.
    pub alone: Option<&'a Path>,
    /// The repository that the question is about.
    pub workspace: &'a Workspace,
    /// The files that plain tools read, which are all but the ignored ones.
    pub files: &'a Files,
    /// An index of these files, for plain tools.
    pub plain: &'a Plain,
    /// True if the question is about the memory rather than the files.
    pub is_of_memory: bool,
    /// The question, in natural language.
    pub question: &'a str,
    /// The number of tokens that an answer may have.
    pub budget: u64,
    /// Tells the system when nobody needs the answer anymore.
    pub cancel: &'a Cancel,
}

impl<'a> Ask<'a> {
    /// The folder that a program has to search.
    pub(crate) fn given(&self) -> &'a Path {
        self.alone.unwrap_or(self.root)
    }
}

/// The answer of a system, with the best location first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Locations that answer the question. If there are none, the system claims that nothing does.
    pub places: Vec<AnsweredPlace>,
    /// Further files without line numbers, by score.
    pub named: Vec<(String, f64)>,
    /// If nothing answers the question, the files that come closest. They are not an answer, but a
    /// place to start looking.
    pub nearest: Vec<String>,
    /// The probability that the first location is right, from 0 to 1. `None` if the system does not
    /// say.
    pub confidence: Option<f64>,
    /// The text that was printed. `None` if that is just the lines of the locations.
    pub printed: Option<String>,
    /// A digest of the whole output. `None` if the output consists of these fields.
    pub digest: Option<Digest>,
}

impl Answer {
    /// True if the system claims that there is no answer.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.named.is_empty()
    }

    /// The files of all locations, in order. Those in `named` are inserted by score.
    pub(crate) fn files(&self) -> Vec<(&str, f64)> {
        let shown = self.places.iter();
        let mut files: Vec<(&str, f64)> = shown.map(|one| (&*one.file, one.score)).collect();
        for (file, score) in &self.named {
            let at = files.iter().position(|(_, other)| other < score);
            files.insert(at.unwrap_or(files.len()), (file, *score));
        }
        files
    }

    /// The files that a user would open: first [`files`](Self::files), and then the nearest ones.
    pub(crate) fn leads_to(&self) -> impl Iterator<Item = &str> {
        let files = self.files().into_iter().map(|(file, _)| file);
        files.chain(self.nearest.iter().map(String::as_str))
    }
}

/// A location in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredPlace {
    /// Path from the root.
    pub file: String,
    /// The lines that the system shows or refers to.
    pub span: LineSpan,
    /// The score. Larger is better.
    pub score: f64,
}

/// A program must answer within this many seconds, unless the user sets another limit.
pub const TIMEOUT: u64 = 10;

/// Something that answers questions, so we can measure it. To compare with another tool, implement
/// this or write a [`Program`].
pub trait System: Send + Sync {
    /// The name in results and gates.
    fn name(&self) -> &str;

    /// The `--system` option for this system, or `None` if it is built in.
    fn typed(&self) -> Option<String> {
        None
    }

    /// True if the system may give another answer the next time. If so, we ask each question twice.
    fn may_differ(&self) -> bool {
        true
    }

    /// Answers a question.
    ///
    /// # Errors
    ///
    /// Returns a reason if the system cannot answer. That is a failed case.
    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String>;
}

/// The names of the systems that are built in. Windlass comes first.
pub const BUILT_IN: [&str; 4] = [crate::OURS, "rg", "bm25", "whole-file"];

/// The systems in [`BUILT_IN`], in the same order.
#[must_use]
pub fn built_in() -> Vec<Box<dyn System>> {
    vec![
        Box::new(Ours),
        Box::new(Grep),
        Box::new(Bm25),
        Box::new(WholeFile),
    ]
}
