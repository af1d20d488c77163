//! The files of a repository of the user's, as a search reads them: listed once, whoever needs them.

use windlass_base::RepoPath;
use windlass_repo::{ListQuery, Snapshot};

use crate::ZooError;
use crate::edits::MAX_WRITTEN_LINES;
use crate::recipe::Files;
use crate::run_plan::Doing;

/// How much text is held, in bytes.
const MAX_BYTES: usize = 1 << 30;

/// What `find` looks at, in one state of the files.
pub(crate) struct OwnFiles {
    pub(crate) snapshot: Snapshot,
    listed: Vec<RepoPath>,
    /// The lines of the texts that plain tools are given.
    pub(crate) texts: Files,
}

impl OwnFiles {
    /// Lists and reads them.
    ///
    /// # Errors
    /// When there is more text than is held; or it is stopped.
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
                let message = "this repository has more than 1 GiB of text, which is more than the zoo compares systems on";
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

    /// The bytes of each that is text, as they may be shown; what may not be read is left out.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&RepoPath, Vec<u8>)> {
        self.listed.iter().filter_map(|path| {
            let source = self.snapshot.read(path).ok()?;
            let is_text = source.why_no_text().is_none();
            is_text.then(|| (path, source.shown().bytes().into_owned()))
        })
    }
}
