//! Changes since a commit or since an earlier pack.
//!
//! A pack records the state of each uncommitted file. A later pack can then skip files that have
//! not changed since, and report those that were reverted. Suppose that `a.rs` and `b.rs` have been
//! edited when the first pack is built, and that `b.rs` is reverted afterwards. The second pack
//! will skip `a.rs` and report `b.rs`. If we just compared with the commit of the first pack, we
//! would report `a.rs` again and miss `b.rs`.
//!
//! If the earlier pack does not have such a record, we mark the changes as unsure.

mod seen_then;

use std::collections::BTreeMap;

use crate::line_difference::{Difference, difference};
use windlass_base::RepoPath;
use windlass_packs::context::{
    ContextPack, DeltaFile, FileStatus, Since, Source, SourceKind, change_item,
};
use windlass_repo::{ChangeStatus, FileChange, GitAnswer, GitError, GitQuery, Head};

use self::seen_then::{Then, Told};
use super::ground::Ground;
use super::nameable::{is_nameable, safe};
use super::pack_draft::Draft;
use crate::compose::picked_lines::whole_text;
use crate::context_error::is_not_whole;
use windlass_site::Error;
use windlass_site::SiteError;

/// Maximum number of files. The pack's `moreFiles` is the number of the others.
const MAX_FILES: usize = 300;
/// Only this many files come with a diff.
const MAX_DIFFS: usize = 60;
/// Longer diffs are cut to this many lines.
pub(crate) const MAX_LINES: usize = 120;

/// Changed files, with the first and the last line of each changed range.
pub(super) type Changed = BTreeMap<RepoPath, Vec<(u32, u32)>>;

pub(super) struct ChangesTaken<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) draft: &'b mut Draft,
}

impl ChangesTaken<'_, '_> {
    /// Adds the changes since the commit or the pack that the request names. By default, that is
    /// the commit that is checked out.
    pub(super) fn take(&mut self) -> Result<Changed, Error> {
        let mut changed = Changed::new();
        let (since, then) = self.since()?;
        let head = match self
            .ground
            .snapshot
            .ask_git(&GitQuery::Head, &self.ground.cancel)
        {
            Ok(head) => head,
            Err(error) if self.ground.request.since.is_some() && since.commit.is_some() => {
                return Err(error.into());
            }
            Err(GitError::NotARepository) => return Ok(changed),
            Err(error) => {
                self.draft.tell(
                    self.ground.site,
                    format!("the pack has no changes: {error}"),
                    Vec::new(),
                );
                return Ok(changed);
            }
        };
        if let GitAnswer::Head(Head { branch, .. }) = &*head {
            self.draft.take_workspace(branch.as_deref().map(safe));
        }
        let revision = since.commit.clone().unwrap_or_else(|| "HEAD".to_owned());
        let query = GitQuery::Changes { since: revision };
        let answer = match self.ground.snapshot.ask_git(&query, &self.ground.cancel) {
            Ok(answer) => answer,
            Err(GitError::NoCommits(_)) => return Ok(changed),
            Err(error) => return Err(error.into()),
        };
        let GitAnswer::Changes(changes) = &*answer else {
            return Ok(changed);
        };
        let base = since
            .commit
            .clone()
            .or_else(|| self.ground.snapshot.head_commit(&self.ground.cancel));
        if base.is_none() {
            // Before the first commit, every file is new. We'd list the whole repository.
            return Ok(changed);
        }
        self.draft.uncommitted = self.not_committed(&since, changes);
        let told = changes.files.iter();
        let told: Vec<FileChange> = told
            .filter(|change| self.ground.is_told(&change.path))
            .cloned()
            .collect();
        let mut told = match (then, &base) {
            (Some(then), Some(base)) => self.since_then(told, then, base),
            _ => told.into_iter().map(Told::from_commit).collect(),
        };
        if told.len() > MAX_FILES {
            self.ground.site.note_trouble(format!(
                "{} differ, and only the first {MAX_FILES} by name are listed: pass a later commit to `--base` to list fewer",
                windlass_base::counted(told.len(), "file")
            ));
            let more = told.len() - MAX_FILES;
            self.draft
                .delta()
                .rest
                .insert("moreFiles".to_owned(), more.into());
            told.truncate(MAX_FILES);
        }
        let (told, unnameable): (Vec<_>, Vec<_>) = told
            .into_iter()
            .partition(|it| is_nameable(&it.change.path));
        self.draft
            .withheld
            .extend(unnameable.iter().map(|it| safe(it.change.path.as_str())));
        for (at, told) in told.iter().enumerate() {
            let stretches = self.take_change(told, base.as_deref(), at < MAX_DIFFS);
            if told.change.status != ChangeStatus::Deleted {
                changed.insert(told.change.path.clone(), stretches);
            }
        }
        if self.ground.request.since.is_some() || !told.is_empty() {
            self.draft.delta().since = Some(Since {
                commit: base,
                ..since
            });
        }
        Ok(changed)
    }

    /// Finds out where to start from. If that is a pack, there is also a [`Then`] with the states
    /// of files at that time.
    fn since(&mut self) -> Result<(Since, Option<Then>), Error> {
        let Some(name) = &self.ground.request.since else {
            return Ok((Since::default(), None));
        };
        let (start, snapshot) = (&self.ground.request.start, &self.ground.snapshot);
        let find = || match self.ground.shelf.find_whole(name, start, snapshot) {
            // A shortened view will do, since it has the commit as well.
            Err(error) if is_not_whole(&error) => self.ground.shelf.find(name, start, snapshot),
            found => found,
        };
        if self.ground.may_name_pack(name)
            && let Some(pack) = altered_is_told(find())?
        {
            let then = Then::of(&pack);
            let provenance = pack.provenance.as_ref();
            let since = Since {
                commit: provenance.and_then(|it| it.commit.clone()),
                pack_id: Some(pack.pack_id),
                unsure: !then.is_whole(),
            };
            if since.unsure {
                self.ground.site.note_trouble(format!(
                    "pack {} does not say what was not committed when it was made: what changed is counted from its commit, and from \
                     the files that it shows",
                    pack.pack_id
                ));
            }
            return Ok((since, Some(then)));
        }
        let git = self.ground.site.repo().git()?;
        let commit = git.revisions().commit_id(name)?;
        let commit = commit.ok_or_else(|| GitError::UnknownRevision(name.clone()))?;
        let since = Since {
            commit: Some(commit),
            ..Since::default()
        };
        Ok((since, None))
    }

    /// Adds a changed file to the delta, and returns the line ranges that have changed.
    fn take_change(&mut self, told: &Told, base: Option<&str>, with_text: bool) -> Vec<(u32, u32)> {
        let Told { change, note } = told;
        let path = &change.path;
        let found = if with_text {
            self.differs(change, base)
        } else {
            None
        };
        let (mut difference, hash) = found.unwrap_or_default();
        // A note means that the diff is against the commit rather than the state in the pack, so
        // don't show it. The line ranges still tell where the file differs.
        let base = base.filter(|_| note.is_none());
        if note.is_some() {
            difference = Difference {
                stretches: difference.stretches,
                ..Difference::default()
            };
        }
        let lines = difference.added + difference.removed;
        let item = change_item(path.as_str());
        let source = Source {
            kind: SourceKind::Diff,
            path: Some(path.to_string()),
            base: base.map(str::to_owned),
            hash,
            ..Source::default()
        };
        // A larger change ranks higher, but if it's beyond 400 lines, it's probably generated code.
        let rank = 100 + lines.min(100) - lines.saturating_sub(400).min(100);
        self.draft.note(item.clone(), source, "it differs", rank);
        if let Some(origin) = self.draft.origins.get_mut(&item) {
            origin.lines_left_out = difference.left_out;
        }
        let is_told = lines > 0;
        self.draft.delta().files.push(DeltaFile {
            path: path.to_string(),
            status: status(change.status),
            from: change
                .from
                .as_ref()
                .filter(|from| is_nameable(from))
                .map(ToString::to_string),
            diff: (!difference.text.is_empty()).then_some(difference.text),
            note: note.clone(),
            added: is_told.then_some(difference.added),
            removed: is_told.then_some(difference.removed),
            ..DeltaFile::default()
        });
        difference.stretches
    }

    /// Compares a file with the commit `base`, and computes the hash of its present contents.
    /// Returns `None` for a binary file, or if there is nothing to compare with.
    fn differs(
        &mut self,
        change: &FileChange,
        base: Option<&str>,
    ) -> Option<(Difference, Option<String>)> {
        let (old, new) = match change.status {
            ChangeStatus::Modified | ChangeStatus::Renamed => {
                let before = change.from.as_ref().unwrap_or(&change.path);
                let old = self
                    .ground
                    .snapshot
                    .history()
                    .file(base?, None, before)
                    .ok()?;
                let new = self.draft.text_of(self.ground, &change.path)?;
                if old.is_binary() {
                    return None;
                }
                (whole_text(&old).0, whole_text(&new))
            }
            _ => return None,
        };
        let (new, hash) = new;
        Some((difference(&old, &new, MAX_LINES)?, Some(hash)))
    }
}

/// Returns `None` if there is no such pack, because the name may be a revision. If a pack has been
/// altered, that is still an error. Otherwise, we would take its name for a revision, and report
/// that this revision does not exist.
fn altered_is_told(found: Result<ContextPack, Error>) -> Result<Option<ContextPack>, Error> {
    match found {
        Err(error)
            if error.is(|error| matches!(error, SiteError::Unreadable { missing: false, .. })) =>
        {
            Err(error)
        }
        found => Ok(found.ok()),
    }
}

fn status(status: ChangeStatus) -> FileStatus {
    match status {
        ChangeStatus::Added | ChangeStatus::Untracked => FileStatus::Added,
        ChangeStatus::Modified | ChangeStatus::TypeChanged => FileStatus::Modified,
        ChangeStatus::Deleted => FileStatus::Deleted,
        ChangeStatus::Renamed => FileStatus::Renamed,
        ChangeStatus::Unmerged => FileStatus::Unmerged,
    }
}
