//! Symbols that contain captured texts. A symbol can suggest a location or cast doubt on one, but
//! it never proves one.

pub(crate) mod lookup;

use crate::params::MAX_CACHED_OUTLINES;
use std::sync::Arc;

use windlass_base::{Cancel, LineSpan, RepoPath};
use windlass_outline::{Language, Lines, Outline, Symbol};
use windlass_repo::{Bounded, Made, Snapshot, SourceFile};

/// Maximum length of a symbol name that we record, in bytes. A text in a symbol with a longer name
/// is captured without a symbol.
const MAX_NAME: usize = 200;

/// Outlines by the address of their file in memory. The cache holds on to the file, so that the
/// address stays taken.
type Outlines = Bounded<usize, (Arc<SourceFile>, Option<Arc<Outline>>), MAX_CACHED_OUTLINES>;

/// Returns the outline of `source`, the contents of `file`.
///
/// Files without symbols have none, and neither do documents, because a heading is not a name.
/// Secret values are replaced first.
pub(crate) fn outline_of(
    snapshot: &Snapshot,
    file: &RepoPath,
    source: &Arc<SourceFile>,
) -> Option<Arc<Outline>> {
    let language = Language::of_path(file.as_str()).filter(|own| *own != Language::Markdown)?;
    let key = Arc::as_ptr(source) as usize;
    let (_, made) = snapshot.kept::<Outlines>().get_or_make(&key, || {
        let made = lookup::outline_of(source, language, &Cancel::default()).ok();
        Made::Sized((Arc::clone(source), made.map(Arc::new)), 1)
    });
    made
}

/// Returns the qualified name of the innermost symbol that contains all of `span`, apart from blank
/// lines at its ends.
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

/// Trims blank lines from the ends of `span`. They belong to no symbol.
pub(crate) fn without_blank_ends(source: &SourceFile, span: LineSpan) -> Option<LineSpan> {
    let says_something = |number: &u32| {
        let line = source.line(*number);
        line.is_some_and(|line| !line.trim_ascii().is_empty())
    };
    let first = (span.start()..=span.end()).find(says_something)?;
    let last = (first..=span.end()).rev().find(says_something)?;
    LineSpan::new(first, last).ok()
}

/// Returns the lines of the symbol with this qualified name. `None` if several symbols have the
/// name.
pub(crate) fn lines_of(outline: &Outline, name: &str) -> Option<LineSpan> {
    let named = |symbol: &&Symbol| symbol.path == name;
    let mut found = outline.symbols.iter().filter(named);
    let (first, second) = (found.next()?, found.next());
    let lines = LineSpan::new(first.lines.first(), first.lines.last()).ok();
    lines.filter(|_| second.is_none())
}
