//! What can be said of lines of a file that git passes through a filter, as for Git LFS or git-crypt: commits do not have them as
//! they stand in the working tree.

use std::collections::BTreeSet;

use windlass_base::{Freshness, Judgement, LineSpan, RepoPath};
use windlass_cite::Citation;

use super::Meant;
use super::document::Document;
use super::judging::{Judge, pointer};
use super::resolve::candidates;
use super::witnesses::{Asked, Told};

/// Why what was meant cannot be compared with what stands there.
pub(super) const FILTERED: &str =
    "git passes the file through a filter, so that no commit has its lines as they stand here";

impl Judge<'_> {
    /// Finds out which of the files that `cited` may mean are passed through a filter.
    pub(super) fn ask_filters(&self, document: &Document, cited: &[(usize, &Citation)]) {
        let Some(Ok(git)) = &self.git else { return };
        let mut known = self.filtered.borrow_mut();
        let all = cited
            .iter()
            .flat_map(|(_, citation)| candidates(&document.name, citation));
        let new: BTreeSet<RepoPath> = all
            .map(|(_, file)| file)
            .filter(|file| !known.contains_key(file))
            .collect();
        // Where git does not say it, other questions to it fail as well.
        let filtered = git.filtered(&new).unwrap_or_default();
        known.extend(new.into_iter().map(|file| {
            let is_filtered = filtered.contains(&file);
            (file, is_filtered)
        }));
    }

    pub(super) fn is_filtered(&self, file: &RepoPath) -> bool {
        self.filtered.borrow().get(file) == Some(&true)
    }

    /// That `lines` of a file that is passed through a filter are as they were meant: nothing changed the file since.
    pub(super) fn by_unchanged_file(&self, asked: &Asked<'_>, lines: LineSpan) -> Option<Told> {
        let (writer, file) = (asked.writer?, asked.file);
        let then = self.snapshot.old_blob(&writer.commit, file)?;
        let git = self.git.as_ref()?.as_ref().ok()?;
        if !git.is_as_checked_out(file, &then).is_ok_and(|is_so| is_so) {
            return None;
        }
        let now = self.snapshot.read(file).ok()?;
        let pointer = pointer(file, lines, Some(&now));
        pointer.source_hash?;
        Some(Told {
            pointer,
            judgement: Judgement::new(Freshness::Fresh, None),
            meant: Meant::Commit(writer.commit.clone()),
            is_verbatim: false,
        })
    }
}
