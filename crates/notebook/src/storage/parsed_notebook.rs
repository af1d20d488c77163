//! Parses a notebook, even if it's partly damaged.

use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use windlass_store::StoreError;

use crate::anchor::SoundAnchor;
use crate::storage::damage::{Damage, DamageState, Lost};
use crate::storage::notebook_document::{Document, id_of, inside};
use crate::storage::salvage::{Salvaged, salvage};
use crate::{Anchor, NotebookError, SavedRunbook};

/// A parsed document whose entries haven't been parsed yet.
pub(crate) struct Parsed<'a> {
    pub(crate) document: Document<'a, &'a RawValue>,
    /// Unreadable parts. Empty if the whole document is valid JSON.
    pub(crate) lost: Vec<Lost>,
}

/// Parses `text`, as read from `path`.
///
/// # Errors
/// Returns an error if `text` has no readable owner.
pub(crate) fn parse<'a>(text: &'a [u8], path: &Path) -> Result<Parsed<'a>, NotebookError> {
    let error = match std::str::from_utf8(text) {
        Ok(text) => match serde_json::from_str(text) {
            Ok(document) => {
                return Ok(Parsed {
                    document,
                    lost: Vec::new(),
                });
            }
            Err(error) => error,
        },
        Err(_) => match serde_json::from_slice::<IgnoredAny>(text) {
            Err(error) => error,
            Ok(_) => serde::de::Error::custom("this is not UTF-8"),
        },
    };
    match salvage(text) {
        Some(Salvaged { document, lost }) => Ok(Parsed { document, lost }),
        None => Err(StoreError::malformed(path, &error).into()),
    }
}

/// Parses the anchors and runbooks in `text` in a single pass, for speed. Returns `None` if any
/// part is invalid.
pub(crate) fn sound(text: &[u8]) -> Option<(Document<'_, SoundAnchor>, Vec<SavedRunbook>)> {
    let text = std::str::from_utf8(text).ok()?;
    let document: Document<'_, SoundAnchor> = serde_json::from_str(text).ok()?;
    let runbooks = document.runbooks.iter().map(|text| inside(text));
    let runbooks = runbooks.collect::<Result<_, _>>().ok()?;
    Some((document, runbooks))
}

/// Parses the anchors in `texts` and adds invalid ones to `lost`.
pub(crate) fn anchors(texts: &[&RawValue], whole: &[u8], lost: &mut Vec<Lost>) -> Vec<Anchor> {
    let read = |text: &&RawValue| match inside(text) {
        Ok(SoundAnchor(anchor)) => Ok(anchor),
        Err(why) => Err(lost_entry("anchor", text, whole, &why)),
    };
    split(texts.iter().map(read), lost)
}

/// Parses the runbooks in `texts` and adds invalid ones to `lost`.
pub(crate) fn runbooks(
    texts: &[&RawValue],
    whole: &[u8],
    lost: &mut Vec<Lost>,
) -> Vec<SavedRunbook> {
    let read =
        |text: &&RawValue| inside(text).map_err(|why| lost_entry("runbook", text, whole, &why));
    split(texts.iter().map(read), lost)
}

fn split<T>(read: impl Iterator<Item = Result<T, Lost>>, lost: &mut Vec<Lost>) -> Vec<T> {
    let mut good = Vec::new();
    for entry in read {
        match entry {
            Ok(entry) => good.push(entry),
            Err(wrong) => lost.push(wrong),
        }
    }
    good
}

fn lost_entry(what: &str, text: &RawValue, whole: &[u8], why: &str) -> Lost {
    let at = text
        .get()
        .as_ptr()
        .addr()
        .saturating_sub(whole.as_ptr().addr());
    let name = id_of(text).map(|id| format!(" `{id}`")).unwrap_or_default();
    Lost::at(whole, at, format!("{what}{name}: {why}"))
}

/// Creates the damage report for the notebook at `path`, or returns `None` if nothing is lost.
pub(crate) fn damage(path: &Path, mut lost: Vec<Lost>, is_broken: bool) -> Option<Damage> {
    lost.sort_by_key(|lost| (lost.line, lost.column));
    let state = if is_broken {
        DamageState::Broken
    } else {
        DamageState::Kept
    };
    (!lost.is_empty()).then(|| Damage {
        path: path.to_owned(),
        lost,
        state,
    })
}
