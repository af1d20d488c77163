//! Symbols that contain texts. A symbol can propose or contradict a location, but it never proves one.

pub(crate) mod lookup;

use std::sync::Arc;

use windlass_base::{LineSpan, RepoPath};
use windlass_outline::{Language, Limits, Lines, Outline, Symbol, outline};
use windlass_repo::{Bounded, Made, Snapshot, SourceFile};

/// Maximum number of cached outlines.
const MAX_KEPT: usize = 4096;

/// Maximum length of a symbol name that is recorded, in bytes.
const MAX_NAME: usize = 200;

/// Cached outlines, by the address of the file in memory. One cache per state of the files.
type Outlines = Bounded<usize, (Arc<SourceFile>, Option<Arc<Outline>>), MAX_KEPT>;

/// Returns the outline of `source`, which are the contents of `file`. Secrets are replaced first. Returns `None` for
/// text without symbols, and for documents, because headings are not names.
pub(crate) fn outline_of(
    snapshot: &Snapshot,
    file: &RepoPath,
    source: &Arc<SourceFile>,
) -> Option<Arc<Outline>> {
    let language = Language::of_path(file.as_str()).filter(|own| *own != Language::Markdown)?;
    let key = Arc::as_ptr(source) as usize;
    let (_, made) = snapshot.kept::<Outlines>().get_or_make(&key, || {
        let made = match source.why_no_text() {
            None => outline(language, &source.shown().bytes(), Limits::default()).ok(),
            Some(_) => None,
        };
        Made::Sized((Arc::clone(source), made.map(Arc::new)), 1)
    });
    made
}

/// Returns the name of the innermost symbol that contains all of `span`. Blank lines at its ends are ignored.
pub(crate) fn name_around(
    snapshot: &Snapshot,
    file: &RepoPath,
    source: &Arc<SourceFile>,
    span: LineSpan,
) -> Option<String> {
    let outline = outline_of(snapshot, file, source)?;
    let span = without_blank_ends(source, span)?;
    let symbol = outline.enclosing(Lines::new(span.start(), span.end()))?;
    (symbol.path.len() <= MAX_NAME).then(|| symbol.path.clone())
}

/// Returns `span` without blank lines at its ends, which belong to no symbol. Returns `None` if no line is left.
pub(crate) fn without_blank_ends(source: &SourceFile, span: LineSpan) -> Option<LineSpan> {
    let says_something = |number: &u32| {
        let line = source.line(*number);
        line.is_some_and(|line| !line.trim_ascii().is_empty())
    };
    let first = (span.start()..=span.end()).find(says_something)?;
    let last = (first..=span.end()).rev().find(says_something)?;
    LineSpan::new(first, last).ok()
}

/// Returns the lines of the symbol with this qualified name. Returns `None` unless there is exactly one.
pub(crate) fn lines_of(outline: &Outline, name: &str) -> Option<LineSpan> {
    let named = |symbol: &&Symbol| symbol.path == name;
    let mut found = outline.symbols.iter().filter(named);
    let (first, second) = (found.next()?, found.next());
    let lines = LineSpan::new(first.lines.first(), first.lines.last()).ok();
    lines.filter(|_| second.is_none())
}
