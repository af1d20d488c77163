//! A sample that is laid out once for all pieces of work that only read it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ZooError;
use crate::folder::lay_out;
use crate::own_folder::OwnFolder;
use crate::recipe::Sample;
use crate::run_plan::Doing;

/// The same files in two places.
pub(crate) struct Laid {
    /// Where they are looked at.
    pub(crate) root: PathBuf,
    /// Elsewhere.
    pub(crate) copy: PathBuf,
    /// Gone when nobody needs it any more.
    _folder: OwnFolder,
}

/// A sample, laid out when the first piece of work needs it, and gone when the last is done.
pub(crate) struct Shared {
    sample: Arc<Sample>,
    state: Mutex<State>,
}

struct State {
    /// How many pieces of work are still to be done.
    left: usize,
    laid: Option<Arc<Laid>>,
}

/// A piece of work on it. What was laid out goes with the last of them, also where that did not need it.
pub(crate) struct Use<'a>(&'a Shared);

impl Shared {
    /// For so many `pieces` of work.
    pub(crate) fn new(sample: &Arc<Sample>, pieces: usize) -> Self {
        Self {
            sample: Arc::clone(sample),
            state: Mutex::new(State {
                left: pieces,
                laid: None,
            }),
        }
    }

    /// Begins a piece of work.
    pub(crate) fn begin(&self) -> Use<'_> {
        Use(self)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Use<'_> {
    /// Lays it out, unless that was done.
    ///
    /// # Errors
    /// When a folder cannot be made or written to, or it is stopped.
    pub(crate) fn laid(&self, doing: &Doing<'_>) -> Result<Arc<Laid>, ZooError> {
        let mut state = self.0.lock();
        if let Some(laid) = &state.laid {
            return Ok(Arc::clone(laid));
        }
        let folder = OwnFolder::new().map_err(ZooError::Folder)?;
        let (root, copy) = (
            folder.path().join("repo"),
            folder.path().join("another/place/repo"),
        );
        for root in [&root, &copy] {
            lay_out(&self.0.sample, root, doing)?;
        }
        let laid = Arc::new(Laid {
            root,
            copy,
            _folder: folder,
        });
        state.laid = Some(Arc::clone(&laid));
        Ok(laid)
    }
}

impl Drop for Use<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.left = state.left.saturating_sub(1);
        let last = match state.left {
            0 => state.laid.take(),
            _ => None,
        };
        // To remove thousands of files takes a while.
        drop(state);
        drop(last);
    }
}

#[cfg(test)]
mod tests {
    use windlass_base::Cancel;

    use super::*;
    use crate::recipe::{Recipe, SHIPPED};

    #[test]
    fn it_is_laid_out_once_and_goes_with_the_last() {
        let (name, text) = SHIPPED[8];
        let sample = Recipe::read(name, text).and_then(Recipe::make).unwrap();
        let shared = Shared::new(&Arc::new(sample), 2);
        let doing = Doing {
            cancel: &Cancel::default(),
            progress: &|_, _| {},
        };
        let first = shared.begin();
        let root = first.laid(&doing).unwrap().root.clone();
        drop(first);
        assert!(root.is_dir(), "another piece of work is still to come");
        let second = shared.begin();
        assert_eq!(second.laid(&doing).unwrap().root, root);
        drop(second);
        assert!(!root.exists());
    }
}
