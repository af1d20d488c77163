use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

use crate::records::head::Head;
use crate::texts::read_text::Text;

/// A file's contents, or the reason why there are none.
#[derive(Debug, Clone)]
pub enum Contents {
    /// Text of the file.
    Text(Text),
    /// Reason why the file has no text, as a sentence about `it`. It is binary, not UTF-8, secret
    /// or too large.
    NoText(String),
}

/// A memory's files as they were read, along with everything that couldn't be read.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Files in the folder `memory`, except private ones.
    pub files: BTreeMap<RepoPath, Contents>,
    /// Cached heads of records whose texts haven't been read.
    pub(crate) heads: BTreeMap<RepoPath, Arc<Head>>,
    /// Folders that can't be listed. We don't know their contents.
    pub closed: Vec<RepoPath>,
    /// Files whose names contain a secret. They're neither read nor linked.
    pub unnamed: Vec<RepoPath>,
    /// Private files in the folder that no ignore file excludes.
    pub exposed: Vec<RepoPath>,
    /// Private files tracked by git. Only a check determines them.
    pub tracked: Vec<RepoPath>,
    /// Shared files excluded by an ignore file. Only a check determines them.
    pub ignored: Vec<RepoPath>,
    /// Paths of things other than regular files, with descriptions. Outside of a check, we only
    /// look at link targets, routes and their parents.
    pub odd: BTreeMap<RepoPath, &'static str>,
    /// The repository's `.gitignore`, if it can be read.
    pub ignore: Option<Arc<Source>>,
    /// True if there is a `.gitignore` that can't be read.
    pub has_odd_ignore: bool,
    /// Ignore files in the memory's folder and in its private folders, by folder. They're read only
    /// with the whole memory.
    pub inner_ignores: BTreeMap<RepoPath, Arc<Source>>,
    /// True if a file with instructions for agents mentions the memory, or `None` if there's no
    /// such file.
    pub rules: Option<bool>,
    /// Targets of links and routes that aren't in `files`. The value is true if the target exists.
    pub outside: BTreeMap<RepoPath, bool>,
}

impl Files {
    /// Returns the text of the file at `path`, or `None` if it's missing or has no text.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&Arc<Source>> {
        match self.files.get(&RepoPath::parse(path).ok()?)? {
            Contents::Text(text) => Some(text.source()),
            Contents::NoText(_) => None,
        }
    }

    /// Returns true if there's a file at `path`, readable or not.
    #[must_use]
    pub fn has(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// Returns true if we can't look up `path`. It may be in a folder that can't be listed, be a
    /// link, a pipe or the like, or lie behind one.
    #[must_use]
    pub fn is_closed(&self, path: &RepoPath) -> bool {
        let is_in = |folder: &RepoPath| path != folder && path.is_under(folder);
        self.closed.iter().any(is_in) || self.odd_at(path).is_some()
    }

    /// Returns the path itself or its nearest parent that is a link, a pipe or the like, with a
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

    /// Creates files from paths and texts, for a memory outside of a repository.
    #[must_use]
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = texts.into_iter().filter_map(|(path, text)| {
            let path = RepoPath::parse(path).ok()?;
            let source = Source::new(path.as_str(), text);
            Some((path, Contents::Text(source.into())))
        });
        Self {
            files: files.collect(),
            ..Self::default()
        }
    }
}
