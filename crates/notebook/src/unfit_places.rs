//! Finds other worktrees and branches that repaired anchors don't match.

use serde::Serialize;
use windlass_base::{Cancel, Ident, Pointer};
use windlass_evidence::stood_at;
use windlass_repo::{GitError, Snapshot};

/// Maximum number of branches to check.
const MAX_BRANCHES: usize = 50;

/// A worktree or branch in which the text of repaired anchors is neither at the new location nor at
/// a former one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnfitPlace {
    /// The worktree's path relative to the repository's root, or `None` for a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The branch's name, without `refs/heads/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Anchors that need to be repaired there as well.
    pub anchors: Vec<Ident>,
}

/// An anchor with the locations of one of its texts: the new location first, then the former ones.
pub(crate) type Locations = (Ident, Vec<Pointer>);

/// Returns the worktrees and branches in which some of `anchors` have a text at none of its
/// locations. We skip those with none of the files, because the anchor has no meaning there.
pub(crate) fn unfit_places(snapshot: &Snapshot, anchors: &[Locations]) -> Vec<UnfitPlace> {
    if anchors.is_empty() {
        return Vec::new();
    }
    // Only a note to the user depends on this, so ignore errors. Without git, there are no other
    // worktrees.
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

/// Returns the commits of other worktrees and branches, without duplicates.
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
