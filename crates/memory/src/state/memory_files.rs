use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{RepoPath, Source};

use crate::records::head::Head;
use crate::texts::read_text::Text;

/// What is in a file.
#[derive(Debug, Clone)]
pub enum Contents {
    /// Its text.
    Text(Text),
    /// Why there is none, in one sentence about "it": it is binary, not UTF-8, secret, too large.
    NoText(String),
}

/// The files that a memory is made of, as they were read.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Those of the folder `memory`, private ones left out.
    pub files: BTreeMap<RepoPath, Contents>,
    /// What is known already of files whose texts are not read yet.
    pub(crate) heads: BTreeMap<RepoPath, Arc<Head>>,
    /// Folders among them that cannot be looked into: nobody knows what lies there.
    pub closed: Vec<RepoPath>,
    /// Files whose names hold a secret value: they are not read, so that nothing leads to them.
    pub unnamed: Vec<RepoPath>,
    /// Private files that lie in the folder and that no ignore file leaves out.
    pub exposed: Vec<RepoPath>,
    /// Private files that git has, whatever an ignore file says; looked for by who checks.
    pub tracked: Vec<RepoPath>,
    /// Files that are to be shared, and that an ignore file leaves out; looked for by who checks.
    pub ignored: Vec<RepoPath>,
    /// What lies in the folder where a file would be read, and is none, with what it is: what something leads to, or through; all of it
    /// is looked for by who checks.
    pub odd: BTreeMap<RepoPath, &'static str>,
    /// The repository's `.gitignore`, if there is one that can be read.
    pub ignore: Option<Arc<Source>>,
    /// Whether there is one that cannot.
    pub has_odd_ignore: bool,
    /// Those in the folder of the memory and in private ones within it, by their folders; looked for where all of it is read.
    pub inner_ignores: BTreeMap<RepoPath, Arc<Source>>,
    /// Whether a file of rules for agents speaks of the memory; nothing where there is no such file.
    pub rules: Option<bool>,
    /// Targets of links and routes outside of the folder `memory`, and whether each is there.
    pub outside: BTreeMap<RepoPath, bool>,
}

impl Files {
    /// The text of the file at `path`.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&Arc<Source>> {
        match self.files.get(&RepoPath::parse(path).ok()?)? {
            Contents::Text(text) => Some(text.source()),
            Contents::NoText(_) => None,
        }
    }

    /// Whether there is a file at `path`, readable or not.
    #[must_use]
    pub fn has(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// Whether `path` would lie where nobody looks: in a folder that cannot be looked into, or behind a link, which nobody follows. What is
    /// there is no file where it is something else.
    #[must_use]
    pub fn is_closed(&self, path: &RepoPath) -> bool {
        let is_in = |folder: &RepoPath| path != folder && path.is_under(folder);
        self.closed.iter().any(is_in) || self.odd_at(path).is_some()
    }

    /// What lies at `path`, or on the way to it, and is neither file nor folder, and what it is.
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

    /// The same, from names and texts, for memories that lie in no repository.
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
