//! Lists and reads the files of a user's repository. We do this once for all systems.

use windlass_base::RepoPath;
use windlass_repo::{ListQuery, Snapshot};

use crate::ZooError;
use crate::edits::MAX_WRITTEN_LINES;
use crate::recipe::Files;
use crate::run_plan::Doing;

/// Maximum size of all texts together, in bytes. We keep them in memory.
const MAX_BYTES: usize = 1 << 30;

/// All files of a snapshot that can be searched.
pub(crate) struct UserFiles {
    pub(crate) snapshot: Snapshot,
    listed: Vec<RepoPath>,
    /// The lines of text files, as plain tools get them.
    pub(crate) texts: Files,
}

impl UserFiles {
    /// Lists all files, and reads the texts.
    ///
    /// # Errors
    ///
    /// Returns an error if the texts are too large, or if the run is stopped.
    pub(crate) fn of(snapshot: Snapshot, doing: &Doing<'_>) -> Result<Self, ZooError> {
        let listing = snapshot
            .list(&ListQuery::default(), doing.cancel)
            .map_err(windlass::Error::from)?;
        let (mut texts, mut held) = (Files::new(), 0);
        for path in &listing.files {
            doing.go_on()?;
            let source = snapshot.read(path).ok();
            let source = source.filter(|source| source.why_no_text().is_none());
            let Some(source) =
                source.filter(|source| source.line_count() as usize <= MAX_WRITTEN_LINES)
            else {
                continue;
            };
            let bytes = source.shown().bytes();
            held += bytes.len();
            if held > MAX_BYTES {
                let message =
                    "the repository has more than 1 GiB of text, the maximum for a comparison";
                return Err(ZooError::Data(message.to_owned()));
            }
            let text = String::from_utf8_lossy(&bytes);
            texts.insert(path.to_string(), text.lines().map(str::to_owned).collect());
        }
        Ok(Self {
            snapshot,
            listed: listing.files,
            texts,
        })
    }

    /// Returns the bytes of all text files, without secrets.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&RepoPath, Vec<u8>)> {
        self.listed.iter().filter_map(|path| {
            let source = self.snapshot.read(path).ok()?;
            let is_text = source.why_no_text().is_none();
            is_text.then(|| (path, source.shown().bytes().into_owned()))
        })
    }
}
