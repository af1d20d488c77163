use std::fmt;
use std::sync::{Arc, OnceLock};

use windlass_base::{RepoPath, Source};

/// Reads the text of a memory file.
pub type ReadText = dyn Fn(&RepoPath) -> Arc<Source> + Send + Sync;

/// A file's text, read right away or on demand. Clones share the text, so it's read at most once.
#[derive(Clone)]
pub struct Text(Arc<Lazy>);

struct Lazy {
    source: OnceLock<Arc<Source>>,
    /// The file's path and the function to read it, or `None` if the text was given.
    later: Option<(RepoPath, Arc<ReadText>)>,
}

impl Text {
    /// Creates a text supplied by `read` on first use.
    #[must_use]
    pub fn later(path: RepoPath, read: Arc<ReadText>) -> Self {
        Self(Arc::new(Lazy {
            source: OnceLock::new(),
            later: Some((path, read)),
        }))
    }

    /// Returns the text, reading it if necessary.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        self.0.source.get_or_init(|| match &self.0.later {
            Some((path, read)) => read(path),
            None => Source::new("", ""),
        })
    }
}

impl From<Arc<Source>> for Text {
    fn from(source: Arc<Source>) -> Self {
        Self(Arc::new(Lazy {
            source: OnceLock::from(source),
            later: None,
        }))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.0.source.get();
        f.debug_tuple("Text")
            .field(&read.map(|source| source.text()))
            .finish()
    }
}
