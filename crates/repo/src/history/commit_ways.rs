//! Caches ways between commits. A way consists of the changes of all commits from some base to the
//! checked-out commit.
//!
//! If B comes between A and C, the way from A to C ends with the way from B to C. Notebooks contain
//! anchors from many commits, so we are asked for many ways that end at the same commit. It is
//! enough to ask git for the longest one, and cut the others from it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use windlass_base::lock;

use super::not_in_past::{NotInPast, not_in_past};
use crate::git::{CommitStep, Git};

/// Maximum number of commits in a way. If a base is further back, we give up on it.
const MAX_STEPS: usize = 20_000;

/// A way to the checked-out commit: the changes of each commit, oldest first.
pub type Steps = Arc<[Arc<CommitStep>]>;

/// Cached ways and steps. All IDs in here are full IDs.
#[derive(Default)]
pub(super) struct CommitWays(Mutex<Known>);

#[derive(Default)]
struct Known {
    answers: BTreeMap<(String, String), Result<Steps, NotInPast>>,
    /// The longest way so far, and its last commit.
    longest: Option<(String, Steps)>,
    single: BTreeMap<String, Result<Arc<CommitStep>, NotInPast>>,
    /// By commit and checked-out commit.
    ancestors: BTreeMap<(String, String), Result<Option<String>, NotInPast>>,
}

impl CommitWays {
    pub(super) fn since(&self, git: &Git, base: &str, head: String) -> Result<Steps, NotInPast> {
        let mut known = lock(&self.0);
        let key = (base.to_owned(), head);
        if let Some(answer) = known.answers.get(&key) {
            return answer.clone();
        }
        let answer = known.ask(git, base, &key.1);
        if let Ok(steps) = &answer
            && known.is_longer(&key.1, steps)
        {
            known.longest = Some((key.1.clone(), Arc::clone(steps)));
        }
        known.answers.insert(key, answer.clone());
        answer
    }

    pub(super) fn first_parents_since(
        &self,
        git: &Git,
        base: &str,
        head: String,
        limit: usize,
    ) -> Result<Option<Steps>, NotInPast> {
        let key = (base.to_owned(), head);
        let is_such = |steps: &[Arc<CommitStep>]| {
            let first = steps.first();
            first.is_some_and(|step| *step.parent == *base && !step.is_entry)
                && steps.len() <= limit
        };
        let mut known = lock(&self.0);
        if let Some(Ok(steps)) = known.answers.get(&key) {
            return Ok(is_such(steps).then(|| Arc::clone(steps)));
        }
        let steps = git.commits().steps(base, &key.1, limit);
        let steps: Steps = steps
            .map_err(not_in_past)?
            .into_iter()
            .map(Arc::new)
            .collect();
        if !is_such(&steps) {
            return Ok(None);
        }
        known.answers.insert(key, Ok(Arc::clone(&steps)));
        Ok(Some(steps))
    }

    pub(super) fn know(&self, head: String, way: Steps) {
        let mut known = lock(&self.0);
        let leads_here = way.last().is_some_and(|step| *step.commit == *head);
        if leads_here && known.is_longer(&head, &way) {
            known.longest = Some((head, way));
        }
    }

    pub(super) fn step_of(&self, git: &Git, id: &str) -> Result<Arc<CommitStep>, NotInPast> {
        let mut known = lock(&self.0);
        let ways = known.longest.iter();
        let mut steps = ways.flat_map(|(_, steps)| steps.iter());
        if let Some(step) = steps.find(|step| *step.commit == *id) {
            return Ok(Arc::clone(step));
        }
        if let Some(answer) = known.single.get(id) {
            return answer.clone();
        }
        let answer = git.commits().step_of(id);
        let answer = answer.map(Arc::new).map_err(not_in_past);
        known.single.insert(id.to_owned(), answer.clone());
        answer
    }

    pub(super) fn common_ancestor(
        &self,
        git: &Git,
        id: &str,
        head: String,
    ) -> Result<Option<String>, NotInPast> {
        let mut known = lock(&self.0);
        let key = (id.to_owned(), head);
        if let Some(answer) = known.ancestors.get(&key) {
            return answer.clone();
        }
        let answer = git.revisions().merge_base(id, &key.1);
        let answer = answer.map_err(not_in_past);
        known.ancestors.insert(key, answer.clone());
        answer
    }
}

impl Known {
    fn ask(&self, git: &Git, base: &str, head: &str) -> Result<Steps, NotInPast> {
        if base == head {
            return Ok(Arc::default());
        }
        if let Some((tip, longest)) = &self.longest
            // The longest way helps if it contains the base, or if it can be extended back to the
            // base.
            && tip == head
        {
            if let Some(at) = longest.iter().position(|step| *step.parent == *base) {
                return Ok(longest[at..].into());
            }
            let oldest = longest.first().map_or(head, |step| &step.parent);
            let before = git
                .commits()
                .steps(base, oldest, MAX_STEPS)
                .map_err(not_in_past)?;
            if before.first().is_some_and(|step| *step.parent == *base) {
                let before = before.into_iter().map(Arc::new);
                return Ok(before.chain(longest.iter().map(Arc::clone)).collect());
            }
        }
        let steps = git
            .commits()
            .steps(base, head, MAX_STEPS)
            .map_err(not_in_past)?;
        if steps.first().is_some_and(|step| *step.parent == *base) {
            return Ok(steps.into_iter().map(Arc::new).collect());
        }
        if steps.len() == MAX_STEPS {
            let message = format!("commit {base} is more than {MAX_STEPS} commits back");
            return Err(not_in_past(message));
        }
        merged(git, base, head, steps)
    }

    /// True if `steps` lead to `head` along first parents only, and there are more of them than in
    /// the longest way so far. A way that comes from a side branch does not help, since we cannot cut
    /// others from it.
    fn is_longer(&self, head: &str, steps: &Steps) -> bool {
        let linear = steps
            .windows(2)
            .all(|pair| pair[0].commit == pair[1].parent)
            && steps.iter().all(|step| !step.is_entry);
        let known = self.longest.as_ref().filter(|(tip, _)| tip == head);
        linear && known.is_none_or(|(_, longest)| longest.len() < steps.len())
    }
}

/// Returns the way from a `base` that is not on the line of first parents.
///
/// The `steps` are the commits on that line that are not ancestors of `base`. Its branch was merged
/// at the oldest of them that descends from `base`, so the way begins with the difference between
/// `base` and this merge. If there is no such commit, the checkout does not descend from `base`.
fn merged(git: &Git, base: &str, head: &str, steps: Vec<CommitStep>) -> Result<Steps, NotInPast> {
    let after = git.commits().between(base, head).map_err(not_in_past)?;
    let merge = steps.iter().position(|step| after.contains(&*step.commit));
    let merge = merge
        .ok_or_else(|| not_in_past(format!("the checkout does not descend from commit {base}")))?;
    let entry = git.commits().step_between(base, &steps[merge].commit);
    let entry = std::iter::once(entry.map_err(not_in_past)?);
    let steps = entry.chain(steps.into_iter().skip(merge + 1));
    Ok(steps.map(Arc::new).collect())
}
