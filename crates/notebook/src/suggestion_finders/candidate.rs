use windlass_base::{LineSpan, RepoPath};
use windlass_outline::{Symbol, SymbolKind};

use super::file_survey::Text;
use crate::{Locator, LocatorKind};

/// A place that may be worth an anchor.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The end of its name.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) file: RepoPath,
    pub(super) span: LineSpan,
    pub(super) locator: Locator,
    pub(super) reason: String,
}

/// Definitions with more lines are anchored by their signature: the whole would be stale all the time.
const MAX_DEFINITION: u32 = 60;

/// Anything with more lines says too little about where to look.
pub(super) const MAX_LINES: u32 = 120;

impl Candidate {
    /// The definition of `symbol`; of a long section the lines up to `first_part`.
    pub(super) fn symbol(text: &Text, symbol: &Symbol, first_part: Option<u32>) -> Option<Self> {
        let (lines, signature) = (symbol.lines, symbol.signature_lines);
        let (first, last) = match symbol.kind {
            _ if lines.count() <= MAX_DEFINITION => (lines.first(), lines.last()),
            SymbolKind::Heading => (lines.first(), first_part?),
            _ => (signature.first(), signature.last()),
        };
        let locator = Locator {
            kind: LocatorKind::Symbol,
            value: symbol.path.clone(),
        };
        Self::new(text, first, text.trimmed(first, last + 1), locator)
    }

    /// Lines `first` to `last` of `text`; found again by the text of the first.
    pub(super) fn lines(text: &Text, first: u32, last: u32) -> Option<Self> {
        let locator = Locator {
            kind: LocatorKind::Grep,
            value: regex_of(text.line(first)),
        };
        Self::new(text, first, last, locator)
    }

    fn new(text: &Text, first: u32, last: u32, locator: Locator) -> Option<Self> {
        let span = LineSpan::new(first, last).ok()?;
        (span.count() <= MAX_LINES).then(|| Self {
            name: String::new(),
            label: String::new(),
            file: text.file.clone(),
            span,
            locator,
            reason: String::new(),
        })
    }
}

/// A regular expression for the beginning of `line`, without the blanks around it.
fn regex_of(line: &str) -> String {
    let line: String = line.trim().chars().take(120).collect();
    format!(r"^\s*{}", regex::escape(&line))
}
