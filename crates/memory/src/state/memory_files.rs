use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

/// The contents of a file, or the reason why we don't have them.
#[derive(Debug, Clone)]
pub enum Contents {
    /// The whole text.
    Text(Arc<Source>),
    /// The reason, as a sentence with the subject `it`. A file may be binary, not UTF-8, secret or
    /// too large.
    NoText(String),
}

/// The files of a memory, as read from disk.
///
/// This also lists whatever we couldn't or must not read. The check reports these paths, and other
/// code uses them to tell a missing file from one that we just can't see.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The files in the folder `memory`, except private ones.
    pub files: BTreeMap<RepoPath, Contents>,
    /// Folders that we couldn't list, so we don't know their contents.
    pub closed: Vec<RepoPath>,
    /// Files with a secret in their name. We don't read them, nor link to them, so that the secret
    /// doesn't spread.
    pub unnamed: Vec<RepoPath>,
    /// Private files that no ignore file excludes. They could be committed by mistake.
    pub exposed: Vec<RepoPath>,
    /// Private files that git already tracks. Only a check looks for them.
    pub tracked: Vec<RepoPath>,
    /// Shared files that an ignore file excludes. Only a check looks for them.
    pub ignored: Vec<RepoPath>,
    /// Links, pipes and other paths that aren't regular files, with a description. Outside of a
    /// check, we only look at the targets of links and routes and at the folders above them.
    pub odd: BTreeMap<RepoPath, &'static str>,
    /// The repository's `.gitignore`, or `None` if it's missing or unreadable.
    pub ignore: Option<Arc<Source>>,
    /// True if there is a `.gitignore`, but we couldn't read it.
    pub has_odd_ignore: bool,
    /// Ignore files in the memory's folder and in its private folders. A search doesn't need them,
    /// so they're only read with the whole memory.
    pub inner_ignores: BTreeMap<RepoPath, Arc<Source>>,
    /// True if the instructions for agents mention the memory. `None` if there are no such files.
    pub rules: Option<bool>,
    /// Link and route targets that aren't among `files`. The value is true if the target exists.
    pub outside: BTreeMap<RepoPath, bool>,
}

impl Files {
    /// Returns the text of a file, or `None` if it's missing or not text.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&Arc<Source>> {
        match self.files.get(&RepoPath::parse(path).ok()?)? {
            Contents::Text(source) => Some(source),
            Contents::NoText(_) => None,
        }
    }

    /// True if the file exists, even if we couldn't read it.
    #[must_use]
    pub fn has(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// True if we can't know what's at `path`, because the folder is unreadable, or the path leads
    /// through a link, a pipe or the like.
    #[must_use]
    pub fn is_closed(&self, path: &RepoPath) -> bool {
        let is_in = |folder: &RepoPath| path != folder && path.is_under(folder);
        self.closed.iter().any(is_in) || self.odd_at(path).is_some()
    }

    /// The last link, pipe or the like on the way to `path` (or `path` itself), with its
    /// description.
    pub(crate) fn odd_at(&self, path: &RepoPath) -> Option<(&RepoPath, &'static str)> {
        let mut at = (!self.odd.is_empty()).then(|| path.clone());
        while let Some(here) = at {
            if let Some((odd, what)) = self.odd.get_key_value(&here) {
                return Some((odd, what));
            }
            at = here.parent();
        }
        None
    }

    /// Creates the files of a memory without a repository, e.g. for tests.
    #[must_use]
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = texts.into_iter().filter_map(|(path, text)| {
            let path = RepoPath::parse(path).ok()?;
            let source = Source::new(path.as_str(), text);
            Some((path, Contents::Text(source)))
        });
        Self {
            files: files.collect(),
            ..Self::default()
        }
    }
}
