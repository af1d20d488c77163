//! Capturing the places that anchors are grounded in.

use std::path::Path;

use windlass_base::{Cancel, Ident, LineSpan, RepoPath};
use windlass_evidence::{CaptureError, Captured, capture, symbol_named};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::{AnchorKind, Locator, LocatorKind, NotebookError};

/// Where an anchor is grounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    /// Lines of a file.
    Lines(RepoPath, LineSpan),
    /// What defines a symbol of a file. It is looked up once, and its name kept as the anchor's locator.
    Symbol(RepoPath, String),
}

/// An anchor to be saved.
#[derive(Debug, Clone)]
pub struct AnchorRequest {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is; what it was before, or `other`, if not said.
    pub kind: Option<AnchorKind>,
    /// What a person calls it; what it was before, or the name, if not said.
    pub label: Option<String>,
    /// Where it is grounded.
    pub places: Vec<AnchorPlace>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where to look for it later.
    pub zone: Vec<String>,
}

/// The place that a text names: `src/main.rs:10-24`, or `src/main.rs#Type::method`. Files are meant from
/// `start`, or from the root; from the root, if that was named. The last `:` counts, and the last `#` before which there is a file.
///
/// # Errors
/// When it names no place.
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
        _ => format!("`{text}` names no lines: write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`"),
    })
    .into())
}

/// Captures `place`; gives with it how to look for it later, where that says so.
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

/// Captures what defines a symbol; gives with it how to look for it later.
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
