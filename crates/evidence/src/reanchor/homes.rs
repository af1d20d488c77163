//! Files that may still contain a text: its own file, and the one that this was renamed to.

use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::Refusal;

use super::Search;
use crate::explain::Trace;
use crate::old_text::OldText;
use crate::replay::Located;
use crate::shared::text_of;
use crate::text::Text;

pub(super) struct Home {
    pub(super) file: RepoPath,
    pub(super) text: Arc<Text>,
}

impl Search<'_> {
    /// Returns the text's own file and the file that it was `renamed` to, if they exist and can be
    /// compared.
    pub(super) fn homes(&self, renamed: Option<&RepoPath>, trace: &mut Trace) -> Vec<Home> {
        let mut homes = Vec::new();
        if let Some(source) = self.source.clone()
            && let Some(text) = text_of(self.snapshot, &source)
        {
            let file = self.pointer.file.clone();
            homes.push(Home { file, text });
        }
        if let Some(file) = renamed
            && let Some(text) = self.text_of(file)
        {
            trace.note("old_text", || format!("its file was renamed to {file}"));
            let file = file.clone();
            homes.push(Home { file, text });
        }
        homes
    }

    /// Returns the current name of the text's file if it was renamed, from following the text or
    /// else from git.
    pub(super) fn renamed(&self, old: &OldText, followed: Option<&Located>) -> Option<RepoPath> {
        if let Some(followed) = followed {
            return followed.followed.renamed.clone();
        }
        let names = self
            .snapshot
            .history()
            .names_since(&old.commit, &self.pointer.file);
        let last = names.into_iter().next_back();
        last.filter(|name| *name != self.pointer.file)
    }

    /// Returns how many files may contain the text. Unlike [`Self::homes`], this counts files that
    /// cannot be compared.
    pub(super) fn expected_homes(&self, renamed: Option<&RepoPath>) -> usize {
        let there = |file: &RepoPath| !matches!(self.snapshot.read(file), Err(Refusal::Missing));
        usize::from(there(&self.pointer.file)) + usize::from(renamed.is_some_and(there))
    }
}
