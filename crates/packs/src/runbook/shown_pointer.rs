//! Replaces secret values in the file names of pointers and judgements.

use std::borrow::Cow;

use windlass_base::{Judgement, Pointer, RepoPath};
use windlass_redact::redact_text;

/// Redacts the file name of `pointer`. If the result is `Cow::Owned`, there was a secret value in
/// the name, so it is no longer the name of the file.
pub(crate) fn shown(pointer: &Pointer) -> Cow<'_, Pointer> {
    let (name, found) = redact_text(pointer.file.as_str());
    if found.is_empty() {
        return Cow::Borrowed(pointer);
    }
    // A mark may be longer than the value, so the name may be too long for a path now.
    let file = RepoPath::parse(name.as_str()).unwrap_or_else(|_| RepoPath::root());
    Cow::Owned(Pointer {
        file,
        ..pointer.clone()
    })
}

/// Like [`shown`], for all file names in a judgement.
pub(crate) fn shown_judgement(judgement: &Judgement) -> Cow<'_, Judgement> {
    let Some(repair) = &judgement.repair else {
        return Cow::Borrowed(judgement);
    };
    let mut places = repair.evidence.iter().chain(&repair.candidates);
    if places.all(|place| matches!(shown(place), Cow::Borrowed(_))) {
        return Cow::Borrowed(judgement);
    }
    let mut judgement = judgement.clone();
    if let Some(repair) = &mut judgement.repair {
        let places = repair.evidence.iter_mut().chain(&mut repair.candidates);
        places.for_each(|place| *place = shown(place).into_owned());
    }
    Cow::Owned(judgement)
}
