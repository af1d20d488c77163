//! Finds other worktrees and branches without the text of repaired anchors.
//!
//! There's only one notebook for all of them, so a repair here may make an anchor stale elsewhere.

use serde::Serialize;
use windlass_base::{Cancel, Ident, Pointer};
use windlass_evidence::stood_at;
use windlass_repo::{GitError, Snapshot};

// Each branch costs some lookups in git for each anchor. We get the ones that were changed last.
const MAX_BRANCHES: usize = 50;

/// A worktree or branch in which a repaired text is at none of its locations, neither at the new
/// one nor at a former one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnfitPlace {
    /// Path of the worktree relative to the repository's root, or `None` for a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Name of the branch, without `refs/heads/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Anchors to be repaired there as well.
    pub anchors: Vec<Ident>,
}

/// An anchor and the locations of one of its texts. The new location comes first, followed by the
/// former ones.
pub(crate) type Locations = (Ident, Vec<Pointer>);

/// Finds worktrees and branches in which one of `anchors` is at none of its locations.
///
/// If none of the files exist there, the anchor doesn't apply and isn't reported.
pub(crate) fn unfit_places(snapshot: &Snapshot, anchors: &[Locations]) -> Vec<UnfitPlace> {
    if anchors.is_empty() {
        return Vec::new();
    }
    // The result is just a note to the user, so we ignore errors. Without git, there are no other
    // worktrees anyway.
    let tips = tips(snapshot).unwrap_or_default();
    let unfit = tips.into_iter().filter_map(|(commit, place)| {
        let anchors = anchors.iter();
        let unfit = anchors.filter(|(_, locations)| is_unfit(snapshot, &commit, locations));
        let mut ids: Vec<Ident> = unfit.map(|(id, _)| id.clone()).collect();
        ids.dedup();
        let anchors = ids;
        (!anchors.is_empty()).then_some(UnfitPlace { anchors, ..place })
    });
    unfit.collect()
}

fn is_unfit(snapshot: &Snapshot, commit: &str, locations: &[Pointer]) -> bool {
    let has_file = |place: &Pointer| snapshot.history().blob(commit, &place.file).is_some();
    locations.iter().any(has_file)
        && !locations
            .iter()
            .any(|place| stood_at(snapshot, commit, place))
}

/// The commits of other worktrees and branches. If several have the same commit, only the first one
/// is listed.
fn tips(snapshot: &Snapshot) -> Result<Vec<(String, UnfitPlace)>, GitError> {
    let git = snapshot.repo().git()?;
    let head = snapshot.head_commit(&Cancel::default());
    let mut tips: Vec<(String, UnfitPlace)> = Vec::new();
    let mut add = |commit: String, place: UnfitPlace| {
        let known = tips.iter().any(|(known, _)| *known == commit);
        if !known && head.as_ref() != Some(&commit) {
            tips.push((commit, place));
        }
    };
    for tree in git.worktrees()? {
        let is_other = !tree.current && !tree.bare && !tree.prunable;
        if let Some(commit) = tree.head.filter(|_| is_other) {
            let place = UnfitPlace {
                worktree: tree.place.or(tree.name),
                branch: tree.branch,
                anchors: Vec::new(),
            };
            add(commit, place);
        }
    }
    for (branch, commit) in git.revisions().branches(MAX_BRANCHES)? {
        let place = UnfitPlace {
            worktree: None,
            branch: Some(branch),
            anchors: Vec::new(),
        };
        add(commit, place);
    }
    Ok(tips)
}
