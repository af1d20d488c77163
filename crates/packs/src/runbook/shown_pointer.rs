//! Pointers and judgements without secret values in file names.

use std::borrow::Cow;

use windlass_base::{Judgement, Pointer, RepoPath};
use windlass_redact::redact_text;

/// Returns `pointer` with secret values in its file name replaced. The result is owned exactly if the name was changed,
/// and can then not be used to refer to the file.
pub(crate) fn shown(pointer: &Pointer) -> Cow<'_, Pointer> {
    let (name, found) = redact_text(pointer.file.as_str());
    if found.is_empty() {
        return Cow::Borrowed(pointer);
    }
    // The mark may make it longer than a path can be.
    let file = RepoPath::parse(name.as_str()).unwrap_or_else(|_| RepoPath::root());
    Cow::Owned(Pointer {
        file,
        ..pointer.clone()
    })
}

/// Returns `judgement` with redacted file names.
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
