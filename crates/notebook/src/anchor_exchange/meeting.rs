//! Merges a notebook entry with the repository entry of the same name.
//!
//! A mark is the digest of an entry's state. The marks that both sides had in common after earlier
//! exports and imports play the part of the common ancestor in a three-way merge. If the repository
//! still has one of these marks but the notebook does not, only the notebook has changed. If both
//! have new ones, both sides changed, and the user has to decide.

use super::Mark;

/// The decision of an export about one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Export {
    /// Add the missing entry to the repository.
    Add,
    /// Replace the repository's older state.
    Update,
    /// Remove the entry from the repository, because it was shared before and is no longer in the
    /// notebook.
    Remove,
    /// Do nothing, because both sides have the same state.
    Same,
    /// Leave the repository's entry alone, because it was never in this notebook.
    Theirs,
    /// Leave the entry alone until it is imported, because only the repository has changed it.
    Newer,
    /// Do not add the entry again. It was shared before, so someone must have removed it from the
    /// repository.
    TakenOut,
    /// Let the user decide. Both sides changed the entry, or created it independently.
    Conflict,
}

/// The decision of an import about one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Import {
    /// Add the missing entry to the notebook.
    Add,
    /// Replace the notebook's state. Only the repository changed the entry.
    Update,
    /// Do nothing, because both sides have the same state.
    Same,
    /// Keep the notebook's state, because the repository's is an older one.
    Older,
    /// Keep the notebook's state, even though someone has removed the entry from the repository.
    TakenOut,
    /// Keep the notebook's entry. The repository never contained it.
    Own,
    /// Let the user decide. Both sides changed the entry, or created it independently.
    Conflict,
}

/// Decides what an export does with an entry.
///
/// `own` is the mark of the entry in the notebook, and `theirs` the one in the repository. `seen`
/// has the marks that both sides once had in common, oldest first. If `replace` is set, the
/// notebook's entry wins.
#[must_use]
pub(crate) fn export_step(
    own: Option<&Mark>,
    theirs: Option<&Mark>,
    seen: &[Mark],
    replace: bool,
) -> Export {
    match (own, theirs) {
        (None, None) => Export::Same,
        (None, Some(theirs)) if seen.contains(theirs) => Export::Remove,
        (None, Some(_)) => Export::Theirs,
        (Some(_), None) if seen.is_empty() || replace => Export::Add,
        (Some(_), None) => Export::TakenOut,
        (Some(own), Some(theirs)) if own == theirs => Export::Same,
        (Some(_), Some(theirs)) if replace || seen.contains(theirs) => Export::Update,
        // Unlike above, only the last common mark will do here. If the notebook was rolled back to
        // an older one, that's a change of its own.
        (Some(own), Some(_)) if seen.last() == Some(own) => Export::Newer,
        (Some(_), Some(_)) => Export::Conflict,
    }
}

/// Like [`export_step`], but for an import: if `replace` is set, the repository's entry wins.
#[must_use]
pub(crate) fn import_step(
    own: Option<&Mark>,
    theirs: Option<&Mark>,
    seen: &[Mark],
    replace: bool,
) -> Import {
    match (own, theirs) {
        (None, None) => Import::Same,
        (None, Some(_)) => Import::Add,
        (Some(_), None) if seen.is_empty() => Import::Own,
        (Some(_), None) => Import::TakenOut,
        (Some(own), Some(theirs)) if own == theirs => Import::Same,
        (Some(_), Some(_)) if replace => Import::Update,
        (Some(_), Some(theirs)) if seen.contains(theirs) => Import::Older,
        (Some(own), Some(_)) if seen.contains(own) => Import::Update,
        (Some(_), Some(_)) => Import::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str) -> Option<Mark> {
        (!text.is_empty()).then(|| Mark::of(text))
    }

    fn marks(text: &str) -> Vec<Mark> {
        text.split(' ').filter_map(mark).collect()
    }

    #[test]
    fn export_step_each_state_decided() {
        use Export::{Add, Conflict, Newer, Remove, Same, TakenOut, Theirs, Update};
        for (own, theirs, seen, replace, want) in [
            ("a", "", "", false, Add),
            ("a", "a", "", false, Same),
            ("b", "a", "a", false, Update),
            ("c", "a", "a b", false, Update),
            ("a", "b", "a", false, Newer),
            ("b", "c", "a", false, Conflict),
            ("b", "c", "", false, Conflict),
            // The notebook was rolled back to an earlier state, while the repository moved on.
            ("a", "c", "a b", false, Conflict),
            ("b", "c", "a", true, Update),
            ("a", "b", "a", true, Update),
            ("a", "", "a", false, TakenOut),
            ("a", "", "a", true, Add),
            ("", "a", "a", false, Remove),
            ("", "b", "a", true, Theirs),
            ("", "a", "", false, Theirs),
        ] {
            let step = export_step(
                mark(own).as_ref(),
                mark(theirs).as_ref(),
                &marks(seen),
                replace,
            );
            assert_eq!(step, want, "{own} {theirs} ({seen}) {replace}");
        }
    }

    #[test]
    fn import_step_own_change_kept() {
        use Import::{Add, Conflict, Older, Own, Same, TakenOut, Update};
        for (own, theirs, seen, replace, want) in [
            ("", "a", "", false, Add),
            // The entry was removed from the notebook. Importing it again is safe, because it
            // doesn't overwrite anything.
            ("", "a", "a", false, Add),
            ("a", "a", "", false, Same),
            ("a", "b", "a", false, Update),
            ("a", "c", "a b", false, Update),
            ("b", "a", "a", false, Older),
            ("c", "a", "a b", false, Older),
            ("b", "c", "a", false, Conflict),
            ("b", "c", "", false, Conflict),
            ("b", "c", "", true, Update),
            ("b", "a", "a", true, Update),
            ("a", "", "", false, Own),
            ("a", "", "a", true, TakenOut),
        ] {
            let step = import_step(
                mark(own).as_ref(),
                mark(theirs).as_ref(),
                &marks(seen),
                replace,
            );
            assert_eq!(step, want, "{own} {theirs} ({seen}) {replace}");
        }
    }
}
