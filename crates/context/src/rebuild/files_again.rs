//! Excerpts and diffs, rebuilt.

use windlass_packs::context::{DeltaFile, RelevantFile, Source, SourceKind};

use super::part_state::PartState;
use super::sources_now::NO_FILE;
use super::{NO_ORIGIN, Rebuild};

impl Rebuild<'_> {
    /// `None` if the lines have changed.
    pub(super) fn excerpt(
        &mut self,
        item: &str,
        sources: &[&Source],
        known: Option<&str>,
    ) -> Option<String> {
        let is_file = |kind: SourceKind| matches!(kind, SourceKind::File | SourceKind::Memory);
        let files = sources.iter().filter(|source| is_file(source.kind));
        let tried: Vec<_> = files.map(|source| self.look.lines(source, known)).collect();
        if !tried.is_empty() {
            return self.nearest(item, tried).flatten();
        }
        if sources.is_empty() {
            self.tell(item, PartState::NoOrigin, NO_ORIGIN);
        } else if known.is_some() {
            self.tell(item, PartState::NoOrigin, NO_FILE);
        }
        known.map(str::to_owned)
    }

    /// Checks a file's hash against its origins. If none of them agrees, the first one's hash is
    /// used.
    pub(super) fn file_hash(&mut self, item: &str, sources: &[&Source], file: &mut RelevantFile) {
        let mut known = sources.iter().filter_map(|source| source.hash.as_ref());
        let first = known.clone().next();
        if file.hash.is_some() && first.is_some() && !known.any(|it| file.hash.as_ref() == Some(it))
        {
            self.tell(
                item,
                PartState::Changed,
                "its hash is not that of the file which it comes from",
            );
            file.hash = first.cloned();
        }
    }

    pub(super) fn change(&mut self, item: &str, sources: &[&Source], file: &mut DeltaFile) {
        let compared = sources.iter().filter_map(|source| {
            let (base, hash) = (source.base.as_deref()?, source.hash.as_deref()?);
            Some(self.look.differs(source, (base, hash), file))
        });
        let tried: Vec<_> = compared.collect();
        if tried.is_empty() {
            // Only the name of a new file was recorded, so we've nothing to check.
            if sources.is_empty() || file.diff.is_some() {
                self.tell(item, PartState::NoOrigin, NO_ORIGIN);
            }
            return;
        }
        file.diff = self.nearest(item, tried).flatten();
    }
}
