//! Claims whose location depends on which working tree, branch or commit is checked out.

use windlass_base::{Cancel, Pointer};
use windlass_repo::Snapshot;

use crate::Claim;
use crate::judge::{judge, stands, stood_at};

/// Returns `claim`, or one of its `earlier` locations if the files in `snapshot` are older than the
/// claim, for example because another branch is checked out.
///
/// `earlier` must be sorted from newest to oldest. The first one that is fresh is returned; if none
/// is, `claim` is judged like any other.
#[must_use]
pub fn claim_here(
    snapshot: &Snapshot,
    claim: Claim,
    earlier: impl IntoIterator<Item = Claim>,
) -> Claim {
    let mut earlier = earlier.into_iter().peekable();
    // In the usual case, the claim's current location is fine, and its earlier ones don't matter.
    if earlier.peek().is_none() || stands(snapshot, &claim.pointer) {
        return claim;
    }
    let mut earlier = earlier.filter(|earlier| {
        stands(snapshot, &earlier.pointer) && is_before(snapshot, &claim, &earlier.pointer)
    });
    let is_fresh =
        |earlier: &Claim| judge(snapshot, &earlier.pointer, earlier.capture.as_ref()).is_fresh();
    earlier.find(is_fresh).unwrap_or(claim)
}

/// Returns true if the files are older than the capture of `claim`.
///
/// Either the captured commit is not an ancestor of the checked-out one, or it is checked out but
/// the uncommitted change that moved the text away from `earlier` is missing. Returns false if git
/// cannot tell.
fn is_before(snapshot: &Snapshot, claim: &Claim, earlier: &Pointer) -> bool {
    let commit = claim
        .capture
        .as_ref()
        .and_then(|capture| capture.commit.as_deref());
    let (Some(commit), Some(head)) = (commit, snapshot.head_commit(&Cancel::default())) else {
        return false;
    };
    if commit != head {
        let common = snapshot.history().common_ancestor(commit);
        return common.is_ok_and(|common| common.as_deref() != Some(commit));
    }
    let is_unchanged = || {
        let then = snapshot.history().file(&head, None, &earlier.file);
        let now = snapshot.read(&earlier.file);
        matches!((then, now), (Ok(then), Ok(now)) if then.bytes() == now.bytes())
    };
    !stood_at(snapshot, &head, &claim.pointer)
        && stood_at(snapshot, &head, earlier)
        && is_unchanged()
}
