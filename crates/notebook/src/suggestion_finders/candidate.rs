//! Candidates for suggested anchors, before their texts are captured.

use windlass_base::{LineSpan, RepoPath};
use windlass_outline::{Symbol, SymbolKind};

use super::file_survey::{Survey, Text};
use crate::{Locator, LocatorKind};

#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// Last part of the anchor's name. It's empty until the rule fills it in.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) file: RepoPath,
    pub(super) span: LineSpan,
    pub(super) locator: Locator,
    pub(super) reason: String,
}

/// Maximum number of lines of a definition anchored as a whole. A longer one would become stale too
/// often, so we only anchor its signature.
const MAX_DEFINITION: u32 = 60;

/// Maximum number of lines of an anchor. A longer one says too little about its subject, so we
/// rather don't suggest it.
pub(super) const MAX_LINES: u32 = 120;

impl Survey<'_> {
    /// A candidate for the definition of `name` around `line`. If there's no such symbol, e.g.
    /// because a macro generates it, the candidate is only that line.
    pub(super) fn defined_at(&self, text: &Text, line: u32, name: &str) -> Option<Candidate> {
        let outline = self.outline(text);
        let symbols = outline.iter().flat_map(|outline| &outline.symbols);
        let mut defining = symbols.filter(|symbol| symbol.name == name);
        match defining.find(|symbol| symbol.lines.first() <= line && line <= symbol.lines.last()) {
            Some(symbol) => Candidate::symbol(text, symbol, None),
            None => Candidate::lines(text, line, line),
        }
    }
}

impl Candidate {
    /// A candidate for the definition of `symbol`. If it's a long section of a document, the
    /// candidate ends at line `first_part`.
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

    /// A candidate for lines `first` to `last` of `text`. The text of the first line serves as the
    /// locator.
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

/// A regular expression for the start of `line`. It ignores the indent, which changes easily.
fn regex_of(line: &str) -> String {
    let line: String = line.trim().chars().take(120).collect();
    format!(r"^\s*{}", regex::escape(&line))
}
