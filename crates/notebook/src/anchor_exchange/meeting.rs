//! Decides how an entry of the notebook and the entry of the same name in the repository are merged. A mark is a
//! digest that identifies a state of an entry.

use super::Mark;

/// What an export does with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Export {
    /// The repository does not have the entry, so it is added.
    Add,
    /// The repository has an older state, which is replaced.
    Update,
    /// The entry was shared before and was then removed from the notebook, so it is removed from the repository.
    Remove,
    /// Both sides have the same state.
    Same,
    /// The repository has an entry that this notebook never had. It stays.
    Theirs,
    /// Only the repository changed the entry. It stays until it is imported.
    Newer,
    /// The entry was shared before and was then removed from the repository. It is not added again.
    TakenOut,
    /// Both sides changed the entry, or created it independently. The user must decide.
    Conflict,
}

/// What an import does with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Import {
    /// The notebook does not have the entry, so it is added.
    Add,
    /// Only the repository changed the entry, so the notebook's state is replaced.
    Update,
    /// Both sides have the same state.
    Same,
    /// The repository has an older state. The notebook's state stays.
    Older,
    /// The entry was shared before and was then removed from the repository. The notebook's state stays.
    TakenOut,
    /// Only the notebook has the entry.
    Own,
    /// Both sides changed the entry, or created it independently. The user must decide.
    Conflict,
}

/// Decides what an export does with an entry. `own` is its mark in the notebook, and `theirs` is its mark in the
/// repository. `seen` contains the marks that both sides once shared. If `replace` is true, the notebook wins.
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
        (Some(own), Some(_)) if seen.last() == Some(own) => Export::Newer,
        (Some(_), Some(_)) => Export::Conflict,
    }
}

/// Decides what an import does with an entry. The arguments are those of [`export_step`], but if `replace` is true,
/// the repository wins.
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
            // The notebook was reverted to an earlier state while the repository moved on.
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
            // The entry was removed from the notebook. An import restores it, since that loses nothing.
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
