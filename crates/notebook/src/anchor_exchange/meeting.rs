//! What becomes of an entry that stands in the notebook, in the repository, or in both.

use super::Mark;

/// What handing over does with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Export {
    /// The repository does not have it yet.
    Add,
    /// The repository has an older state of it.
    Update,
    /// It was handed over or taken over once, and is no longer in the notebook.
    Remove,
    /// Both have the same.
    Same,
    /// The repository has one that this notebook never had.
    Theirs,
    /// It was changed in the repository, and not here.
    Newer,
    /// It was taken out of the repository since.
    TakenOut,
    /// Both changed it, or it came to be in both.
    Conflict,
}

/// What taking over does with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Import {
    /// The notebook does not have it yet.
    Add,
    /// It is here as it was handed over or taken over, and the repository has another state.
    Update,
    /// Both have the same.
    Same,
    /// The repository has a state that was here before.
    Older,
    /// It was taken out of the repository since.
    TakenOut,
    /// Only the notebook has it.
    Own,
    /// Both changed it, or it came to be in both.
    Conflict,
}

/// What handing over does with an entry of which the notebook has `own`, the repository `theirs`, and both had `seen`
/// before. With `replace` the notebook's counts.
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

/// What taking over does with such an entry. With `replace` the repository's counts.
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
    fn what_only_one_side_changed_is_told_from_what_both_did() {
        use Export::{Add, Conflict, Newer, Remove, Same, TakenOut, Theirs, Update};
        for (own, theirs, seen, replace, want) in [
            ("a", "", "", false, Add),
            ("a", "a", "", false, Same),
            ("b", "a", "a", false, Update),
            ("c", "a", "a b", false, Update),
            ("a", "b", "a", false, Newer),
            ("b", "c", "a", false, Conflict),
            ("b", "c", "", false, Conflict),
            // Gone back to an earlier state while the repository went on.
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
    fn what_is_taken_over_never_takes_the_place_of_ones_own_unasked() {
        use Import::{Add, Conflict, Older, Own, Same, TakenOut, Update};
        for (own, theirs, seen, replace, want) in [
            ("", "a", "", false, Add),
            // Taken out here: it comes back, since nothing is lost by it.
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
