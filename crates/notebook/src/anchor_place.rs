//! Parses and captures an anchor's locations.

use std::path::Path;

use windlass_base::{Cancel, Ident, LineSpan, RepoPath};
use windlass_evidence::{CaptureError, Captured, capture, symbol_named};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::{AnchorKind, Locator, LocatorKind, NotebookError};

/// A location for an anchor to point to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    /// Lines of a file.
    Lines(RepoPath, LineSpan),
    /// The definition of a symbol in a file. We resolve it to lines when saving the anchor, and
    /// keep the symbol as the anchor's locator.
    Symbol(RepoPath, String),
}

/// Request to save an anchor.
#[derive(Debug, Clone)]
pub struct AnchorRequest {
    /// The anchor's name.
    pub id: Ident,
    /// Kind. `None` keeps the existing anchor's kind, and means `other` for a new anchor.
    pub kind: Option<AnchorKind>,
    /// Title. `None` keeps the existing anchor's title, and means its name for a new anchor.
    pub label: Option<String>,
    /// Locations for the anchor to point to.
    pub places: Vec<AnchorPlace>,
    /// Search keywords, replacing any existing ones. Empty keeps those.
    pub tags: Vec<String>,
    /// Globs that limit later searches. Empty keeps the existing ones.
    pub zone: Vec<String>,
}

/// Parses a location such as `src/main.rs:10-24` or `src/main.rs#Type::method`. Relative files are
/// resolved from `start`, then from the root. File names may contain the separators. Lines
/// therefore start at the last `:`, and symbols at the last `#` that follows an existing file.
///
/// # Errors
/// Returns an error if `text` isn't a location.
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

/// Captures `place`. For a symbol, also returns the symbol as a locator.
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

/// Captures a symbol's definition, and returns the symbol as a locator.
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
