use std::fmt;
use std::sync::{Arc, OnceLock};

use windlass_base::{RepoPath, Source};

/// Reads the text of a file of the memory.
pub type ReadText = dyn Fn(&RepoPath) -> Arc<Source> + Send + Sync;

/// The text of a file: read already, or as soon as somebody asks for it. Copies share what was read.
#[derive(Clone)]
pub struct Text(Arc<Lazy>);

struct Lazy {
    source: OnceLock<Arc<Source>>,
    /// Of a text that is not read yet.
    later: Option<(RepoPath, Arc<ReadText>)>,
}

impl Text {
    /// A text that is to be read where it is needed.
    #[must_use]
    pub fn later(path: RepoPath, read: Arc<ReadText>) -> Self {
        Self(Arc::new(Lazy {
            source: OnceLock::new(),
            later: Some((path, read)),
        }))
    }

    /// The text.
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
