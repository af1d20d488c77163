//! Merges a notebook entry with the repository entry of the same name.
//!
//! A mark is a digest that identifies a state of an entry. We remember the marks that both sides
//! once shared, as in a three-way merge. For example, if the repository's mark is known and the
//! notebook's is new, then only the notebook changed. If neither mark is known, both sides changed,
//! and the user must decide.

use super::Mark;

/// Outcomes of an export for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Export {
    /// The repository doesn't have the entry, so add it.
    Add,
    /// The repository has an older state, so replace it.
    Update,
    /// The entry was shared before and has since been removed from the notebook, so remove it from
    /// the repository as well.
    Remove,
    /// Both sides have the same state.
    Same,
    /// The repository has an entry that this notebook never had. Leave it alone.
    Theirs,
    /// Only the repository changed the entry. Leave it alone until it's imported.
    Newer,
    /// The entry was shared before and has since been removed from the repository. Don't add it
    /// again.
    TakenOut,
    /// Both sides changed the entry, or created it independently. The user must decide.
    Conflict,
}

/// Outcomes of an import for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Import {
    /// The notebook doesn't have the entry, so add it.
    Add,
    /// Only the repository changed the entry, so replace the notebook's state.
    Update,
    /// Both sides have the same state.
    Same,
    /// The repository has an older state. Keep the notebook's.
    Older,
    /// The entry was shared before and has since been removed from the repository. Keep the
    /// notebook's state.
    TakenOut,
    /// Only the notebook has the entry.
    Own,
    /// Both sides changed the entry, or created it independently. The user must decide.
    Conflict,
}

/// Returns what an export does with an entry. The entry has the mark `own` in the notebook and
/// `theirs` in the repository, and `seen` contains the marks that both sides once shared. If
/// `replace` is true, the notebook wins.
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

/// Returns what an import does with an entry. The arguments are the same as for [`export_step`],
/// except that the repository wins if `replace` is true.
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
            // The entry was removed from the notebook. Importing it again is safe, since that loses
            // nothing.
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
