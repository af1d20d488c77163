//! What commits did to files between one that was noted and what is checked out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::{Cancel, RepoPath};

use crate::git::{Object, Objects, Tree, full_id};
use crate::lacking::Lacking;
use crate::past::not_in_past;
use crate::secret::secret_contents;
use crate::{CommitStep, Git, GitError, MAX_FILE_BYTES, NotInPast, Refusal, Snapshot, SourceFile};

/// The most commits that are gone through.
const MAX_STEPS: usize = 20_000;

/// The steps from some commit to what is checked out, the oldest first.
pub type Steps = Arc<[Arc<CommitStep>]>;

/// What was asked so far of the way to what is checked out.
#[derive(Default)]
pub(crate) struct Since {
    known: Mutex<Known>,
    objects: Mutex<Reader>,
}

#[derive(Default)]
struct Known {
    answers: BTreeMap<(String, String), Result<Steps, NotInPast>>,
    /// The longest way asked for, with the commit it leads to: shorter ways are parts of it.
    longest: Option<(String, Steps)>,
    /// Those of commits that were asked for one by one.
    single: BTreeMap<String, Result<Arc<CommitStep>, NotInPast>>,
    /// What commits have in common with one that was checked out.
    ancestors: BTreeMap<(String, String), Result<Option<String>, NotInPast>>,
}

/// The running git that contents are asked of.
#[derive(Default)]
struct Reader {
    objects: Option<Objects>,
    /// Whether folders of other users are looked up that this user trusts.
    looks_up_trust: bool,
}

impl Snapshot {
    /// What the commits since `base` (a full id) did to files, up to what is checked out, the oldest first; merges
    /// as their first parent sees them. Where `base` came in by a merge, the first step leads from it to that merge.
    ///
    /// Not recorded, as it cannot change: what is checked out is.
    ///
    /// # Errors
    /// When `base` is not in the history of what is checked out, is too far back, or git cannot say.
    pub fn steps_since(&self, base: &str) -> Result<Steps, NotInPast> {
        let base = full_id(base).ok_or_else(|| not_in_past("the commit's id is not a full one"))?;
        let head = self
            .head_commit(&Cancel::default())
            .ok_or_else(|| not_in_past("no commit is checked out"))?;
        let known = self.since().known.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let key = (base.to_owned(), head);
        if let Some(answer) = known.answers.get(&key) {
            return answer.clone();
        }
        let answer = known.ask(&self.past_git()?, base, &key.1);
        if let Ok(steps) = &answer
            && known.is_longer(&key.1, steps)
        {
            known.longest = Some((key.1.clone(), Arc::clone(steps)));
        }
        known.answers.insert(key, answer.clone());
        answer
    }

    /// The same where there are at most `limit` steps, and each leads from a commit to one that has it for its first parent; `None`
    /// where the way from `base` is another one, or there is none.
    ///
    /// # Errors
    /// When git cannot say.
    pub fn first_parent_steps_since(
        &self,
        base: &str,
        limit: usize,
    ) -> Result<Option<Steps>, NotInPast> {
        let base = full_id(base).ok_or_else(|| not_in_past("the commit's id is not a full one"))?;
        let head = self
            .head_commit(&Cancel::default())
            .ok_or_else(|| not_in_past("no commit is checked out"))?;
        let key = (base.to_owned(), head);
        let is_such = |steps: &[Arc<CommitStep>]| {
            let first = steps.first();
            first.is_some_and(|step| *step.parent == *base && !step.is_entry)
                && steps.len() <= limit
        };
        let known = self.since().known.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(Ok(steps)) = known.answers.get(&key) {
            return Ok(is_such(steps).then(|| Arc::clone(steps)));
        }
        let steps = self.past_git()?.steps(base, &key.1, limit);
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

    /// Takes it that `way`, what [`Self::steps_since`] gave before and more, leads to what is checked out, so that git is asked
    /// for no part of it. One that leads elsewhere, or has a gap, is not taken.
    pub fn know_way(&self, way: Steps) {
        let Some(head) = self.head_commit(&Cancel::default()) else {
            return;
        };
        let known = self.since().known.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let leads_here = way.last().is_some_and(|step| *step.commit == *head);
        if leads_here && known.is_longer(&head, &way) {
            known.longest = Some((head, way));
        }
    }

    /// What the commit with the full id `commit` did to files, compared with its first parent. Not recorded: it cannot change.
    ///
    /// # Errors
    /// When there is no such commit, or git cannot say.
    pub fn step_of(&self, commit: &str) -> Result<Arc<CommitStep>, NotInPast> {
        let id = full_id(commit).ok_or_else(|| not_in_past("the commit's id is not a full one"))?;
        let known = self.since().known.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let ways = known.longest.iter();
        let mut steps = ways.flat_map(|(_, steps)| steps.iter());
        if let Some(step) = steps.find(|step| *step.commit == *id) {
            return Ok(Arc::clone(step));
        }
        if let Some(answer) = known.single.get(id) {
            return answer.clone();
        }
        let answer = self.past_git()?.step_of(id);
        let answer = answer.inspect_err(|_| self.kept::<Lacking>().note_other());
        let answer = answer.map(Arc::new).map_err(not_in_past);
        known.single.insert(id.to_owned(), answer.clone());
        answer
    }

    /// The newest commit that both `commit` (a full id) and what is checked out come from: `commit` itself where that is in the history
    /// of what is checked out, and `None` where they have nothing in common. Not recorded, as it cannot change.
    ///
    /// # Errors
    /// When there is no such commit, or git cannot say.
    pub fn common_ancestor(&self, commit: &str) -> Result<Option<String>, NotInPast> {
        let id = full_id(commit).ok_or_else(|| not_in_past("the commit's id is not a full one"))?;
        let head = self
            .head_commit(&Cancel::default())
            .ok_or_else(|| not_in_past("no commit is checked out"))?;
        let known = self.since().known.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let key = (id.to_owned(), head);
        if let Some(answer) = known.ancestors.get(&key) {
            return answer.clone();
        }
        let answer = self.past_git()?.merge_base(id, &key.1);
        let answer = answer.map_err(not_in_past);
        known.ancestors.insert(key, answer.clone());
        answer
    }

    /// The ids of the commit that is checked out and of the first parents before it, the newest first; at most
    /// `limit`. Empty where git cannot say.
    #[must_use]
    pub fn first_parents(&self, limit: usize) -> Vec<String> {
        let head = self.head_commit(&Cancel::default());
        let parents = head.and_then(|head| {
            let git = self.past_git().ok()?;
            git.first_parents(&head, limit).ok()
        });
        parents.unwrap_or_default()
    }

    /// The contents with the full id `blob`, which some commit has at `path`, under the guard of files.
    ///
    /// # Errors
    /// When there are none, or they may not be read.
    pub fn contents(&self, blob: &str, path: &RepoPath) -> Result<SourceFile, NotInPast> {
        if let Some(rule) = self.repo().secret_rule(path.as_str()) {
            return Err(not_in_past(Refusal::Secret { rule }));
        }
        let object = self.object(|objects| objects.get(blob));
        let note = || self.kept::<Lacking>().note_contents(blob);
        match object.inspect_err(|_| note())? {
            Object::Missing | Object::Tree(_) => {
                note();
                Err(not_in_past(format!("git has no contents {blob}")))
            }
            Object::TooLarge(bytes) => {
                let limit = MAX_FILE_BYTES;
                Err(not_in_past(Refusal::TooLarge { bytes, limit }))
            }
            Object::Blob(bytes) => match secret_contents(path.as_str(), &bytes) {
                Some(rule) => Err(not_in_past(Refusal::Secret { rule: rule.into() })),
                None => Ok(SourceFile::from_bytes(bytes)),
            },
        }
    }
}

impl Snapshot {
    /// The folder with the full id `id`, or that of the commit with it.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn tree(&self, id: &str) -> Result<Tree, NotInPast> {
        match self.object(|objects| objects.get_tree(id))? {
            Object::Tree(bytes) => Tree::parse(&bytes, id.len() / 2),
            _ => None,
        }
        .ok_or_else(|| not_in_past(format!("git has no commit or folder {id}")))
    }

    /// What `ask` has of a running git.
    pub(crate) fn object(
        &self,
        ask: impl Fn(&mut Objects) -> Result<Object, GitError>,
    ) -> Result<Object, NotInPast> {
        let git = self.past_git()?;
        let reader = self.since().objects.lock();
        let mut reader = reader.unwrap_or_else(PoisonError::into_inner);
        reader.get(&git, ask)
    }
}

impl Known {
    fn ask(&self, git: &Git, base: &str, head: &str) -> Result<Steps, NotInPast> {
        if base == head {
            return Ok(Arc::default());
        }
        if let Some((tip, longest)) = &self.longest
            && tip == head
        {
            if let Some(at) = longest.iter().position(|step| *step.parent == *base) {
                return Ok(longest[at..].into());
            }
            let oldest = longest.first().map_or(head, |step| &step.parent);
            let before = git.steps(base, oldest, MAX_STEPS).map_err(not_in_past)?;
            if before.first().is_some_and(|step| *step.parent == *base) {
                let before = before.into_iter().map(Arc::new);
                return Ok(before.chain(longest.iter().map(Arc::clone)).collect());
            }
        }
        let steps = git.steps(base, head, MAX_STEPS).map_err(not_in_past)?;
        if steps.first().is_some_and(|step| *step.parent == *base) {
            return Ok(steps.into_iter().map(Arc::new).collect());
        }
        if steps.len() == MAX_STEPS {
            let said = format!("commit {base} is more than {MAX_STEPS} commits back");
            return Err(not_in_past(said));
        }
        merged(git, base, head, steps)
    }

    /// Whether `steps` lead to `head` along first parents only, from farther back than what is known: a way that begins on a
    /// side branch is no part of one from before that.
    fn is_longer(&self, head: &str, steps: &Steps) -> bool {
        let linear = steps
            .windows(2)
            .all(|pair| pair[0].commit == pair[1].parent)
            && steps.iter().all(|step| !step.is_entry);
        let known = self.longest.as_ref().filter(|(tip, _)| tip == head);
        linear && known.is_none_or(|(_, longest)| longest.len() < steps.len())
    }
}

/// The steps from a commit that came in by a merge, or that what is checked out does not come from.
fn merged(git: &Git, base: &str, head: &str, steps: Vec<CommitStep>) -> Result<Steps, NotInPast> {
    let after = git.between(base, head).map_err(not_in_past)?;
    let merge = steps.iter().position(|step| after.contains(&*step.commit));
    let merge = merge.ok_or_else(|| {
        not_in_past(format!(
            "what is checked out does not come from commit {base}"
        ))
    })?;
    let entry = git.step_between(base, &steps[merge].commit);
    let entry = std::iter::once(entry.map_err(not_in_past)?);
    let steps = entry.chain(steps.into_iter().skip(merge + 1));
    Ok(steps.map(Arc::new).collect())
}

impl Reader {
    /// Asks a running git; one that fails is started anew, once.
    fn get(
        &mut self,
        git: &Git,
        ask: impl Fn(&mut Objects) -> Result<Object, GitError>,
    ) -> Result<Object, NotInPast> {
        if let Some(objects) = &mut self.objects
            && let Ok(object) = ask(objects)
        {
            return Ok(object);
        }
        self.objects = None;
        let mut objects = git.objects(self.looks_up_trust).map_err(not_in_past)?;
        let mut object = ask(&mut objects);
        if object.is_err() && !self.looks_up_trust {
            self.looks_up_trust = true;
            objects = git.objects(true).map_err(not_in_past)?;
            object = ask(&mut objects);
        }
        let object = object
            .inspect_err(|error| git.repo().note_git_failure(error))
            .map_err(not_in_past)?;
        self.objects = Some(objects);
        Ok(object)
    }
}
