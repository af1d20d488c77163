//! What changed since a commit or a pack.

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

/// The most files that are named.
const MAX_FILES: usize = 300;
/// The most files whose difference is carried along.
const MAX_DIFFS: usize = 60;
/// The most lines of one difference.
pub(crate) const MAX_LINES: usize = 120;

/// The files that changed, and where: first and last line of each stretch.
pub(super) type Changed = BTreeMap<RepoPath, Vec<(u32, u32)>>;

/// Takes in what changed.
pub(super) struct ChangesTaken<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) draft: &'b mut Draft,
}

impl ChangesTaken<'_, '_> {
    /// Takes in what differs from the commit that was named, or that of the pack that was; from what is checked out, if none was.
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
                    format!("the pack lacks what changed: {error}"),
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
            // Before the first commit everything is new, which tells nothing.
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
                "{} differ, of which the first {MAX_FILES} by name are told: `--since` with a later commit leaves out more",
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

    /// What was named: a pack, with what it saw, or a revision.
    fn since(&mut self) -> Result<(Since, Option<Then>), Error> {
        let Some(name) = &self.ground.request.since else {
            return Ok((Since::default(), None));
        };
        let (start, snapshot) = (&self.ground.request.start, &self.ground.snapshot);
        let find = || match self.ground.shelf.find_whole(name, start, snapshot) {
            // What was shown of it says since when as well.
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

    /// Takes one file in; where it differs.
    fn take_change(&mut self, told: &Told, base: Option<&str>, with_text: bool) -> Vec<(u32, u32)> {
        let Told { change, note } = told;
        let path = &change.path;
        let found = if with_text {
            self.differs(change, base)
        } else {
            None
        };
        let (mut difference, hash) = found.unwrap_or_default();
        // Where it differs from the commit is where to look, and not what changed.
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
        // Much of what changed is more telling than little; what is generated is more than anybody reads.
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

    /// What differs in a file, and the hash of what it is now.
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

/// The pack, if there is one; one that was changed is no revision either.
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
