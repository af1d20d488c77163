//! Parses a notebook, even one that is partly damaged.

use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use windlass_store::StoreError;

use crate::anchor::SoundAnchor;
use crate::storage::damage::{Damage, DamageState, Lost};
use crate::storage::notebook_document::{Document, Parsed, id_of, inside};
use crate::storage::salvage::salvage;
use crate::{Anchor, NotebookError, SavedRunbook};

/// Parses `text`, which was read from `path`. If it is not valid JSON, we recover the parts that
/// are.
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
        // Not even UTF-8. If there's a syntax error as well, its position is more useful to the
        // user.
        Err(_) => match serde_json::from_slice::<IgnoredAny>(text) {
            Err(error) => error,
            Ok(_) => serde::de::Error::custom("this is not UTF-8"),
        },
    };
    salvage(text).ok_or_else(|| StoreError::malformed(path, &error).into())
}

/// Parses the anchors and runbooks in `text` in a single pass. This is fast, but returns `None` as
/// soon as any part is invalid.
pub(crate) fn sound(text: &[u8]) -> Option<(Document<'_, SoundAnchor>, Vec<SavedRunbook>)> {
    let text = std::str::from_utf8(text).ok()?;
    let document: Document<'_, SoundAnchor> = serde_json::from_str(text).ok()?;
    let runbooks = document.runbooks.iter().map(|text| inside(text));
    let runbooks = runbooks.collect::<Result<_, _>>().ok()?;
    Some((document, runbooks))
}

/// Parses the anchors in `texts`. The invalid ones are added to `lost`, with their positions in
/// `whole`.
pub(crate) fn anchors(texts: &[&RawValue], whole: &[u8], lost: &mut Vec<Lost>) -> Vec<Anchor> {
    let read = |text: &&RawValue| match inside(text) {
        Ok(SoundAnchor(anchor)) => Ok(anchor),
        Err(why) => Err(lost_entry("anchor", text, whole, &why)),
    };
    split(texts.iter().map(read), lost)
}

/// Parses the runbooks in `texts`. The invalid ones are added to `lost`.
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
    // `text` borrows from `whole`, so the difference of their addresses is its offset.
    let at = text
        .get()
        .as_ptr()
        .addr()
        .saturating_sub(whole.as_ptr().addr());
    let name = id_of(text).map(|id| format!(" `{id}`")).unwrap_or_default();
    Lost::at(whole, at, format!("{what}{name}: {why}"))
}

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
