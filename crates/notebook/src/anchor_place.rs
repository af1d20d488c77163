//! Parses an anchor's locations, and captures the lines there.

use std::path::Path;

use windlass_base::{Cancel, Ident, LineSpan, RepoPath};
use windlass_evidence::{CaptureError, Captured, capture, symbol_named};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::{AnchorKind, Locator, LocatorKind, NotebookError};

/// A location given for an anchor's evidence, not yet looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    /// Lines of a file.
    Lines(RepoPath, LineSpan),
    /// The definition of a symbol in a file. Saving the anchor resolves the symbol to lines and
    /// stores it as the locator.
    Symbol(RepoPath, String),
}

/// Request to save an anchor, existing or new.
#[derive(Debug, Clone)]
pub struct AnchorRequest {
    /// The anchor's name.
    pub id: Ident,
    /// Kind. With `None`, an existing anchor keeps its kind, and a new one gets `other`.
    pub kind: Option<AnchorKind>,
    /// Title. With `None`, an existing anchor keeps its title, and a new one is titled like its
    /// name.
    pub label: Option<String>,
    /// The locations of its evidence.
    pub places: Vec<AnchorPlace>,
    /// Search keywords. Unless empty, they replace the existing ones.
    pub tags: Vec<String>,
    /// Globs to limit later searches. Unless empty, they replace the existing ones.
    pub zone: Vec<String>,
}

/// Parses a location such as `src/main.rs:10-24` or `src/main.rs#Type::method`. Relative files are
/// looked up in `start`, then in the root.
///
/// A file name may contain the separators. We therefore split off the lines at the last `:`, and a
/// symbol at the last `#` that comes after an existing file.
///
/// # Errors
/// Returns an error if `text` is not a location.
pub(crate) fn place_named(site: &Site, text: &str, start: &Path) -> Result<AnchorPlace, Error> {
    let lines = text
        .rsplit_once(':')
        .map(|(file, lines)| (file, lines.parse()));
    if let Some((file, Ok(span))) = lines {
        return Ok(AnchorPlace::Lines(
            site.files().path_from(file, start)?,
            span,
        ));
    }
    let snapshot = site.snapshot();
    let is_file = |at: &usize| {
        let path = site.files().path_from(&text[..*at], start);
        path.is_ok_and(|path| snapshot.read(&path).is_ok())
    };
    // If no file exists, split at the first `#`. The caller then gets an error about the missing
    // file, which is better than one about the syntax.
    let mut signs = text.rmatch_indices('#').map(|(at, _)| at);
    if let Some(at) = signs.find(is_file).or_else(|| text.find('#')) {
        let path = site.files().path_from(&text[..at], start)?;
        return Ok(AnchorPlace::Symbol(path, text[at + 1..].to_owned()));
    }
    Err(NotebookError::NamesNoPlace(match lines {
        Some((_, Err(error))) => error,
        _ => format!("`{text}` is not a place: write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`"),
    })
    .into())
}

/// Captures the lines at `place`. A symbol also yields a locator.
pub(crate) fn capture_place(
    snapshot: &Snapshot,
    place: &AnchorPlace,
) -> Result<(Captured, Option<Locator>), Error> {
    match place {
        AnchorPlace::Lines(file, span) => Ok((capture(snapshot, file, *span)?, None)),
        AnchorPlace::Symbol(file, name) => {
            let (captured, symbol) = capture_symbol(snapshot, file, name)?;
            Ok((captured, Some(symbol)))
        }
    }
}

/// Finds a symbol's definition and captures it. The locator has the symbol's full path, even if
/// `name` is only the last part of it.
fn capture_symbol(
    snapshot: &Snapshot,
    file: &RepoPath,
    name: &str,
) -> Result<(Captured, Locator), Error> {
    let source = snapshot
        .read(file)
        .map_err(|refusal| CaptureError::Refused {
            file: file.clone(),
            refusal,
        })?;
    let symbol = symbol_named(&source, file, name, &Cancel::default())?;
    let locator = Locator {
        kind: LocatorKind::Symbol,
        value: symbol.path,
    };
    Ok((capture(snapshot, file, symbol.span)?, locator))
}
