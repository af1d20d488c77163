//! A workspace for unit tests.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::{Environment, Seeds, Workspace};

/// That of the folder `root`, in which no time passes.
pub(crate) fn workspace(root: &Path) -> Workspace {
    let environment = Environment {
        variables: Arc::default(),
        clock: || SystemTime::UNIX_EPOCH,
        elapsed: || Duration::ZERO,
        seeds: Seeds::new(|| 0),
        threads: NonZeroUsize::MIN,
        holder: "test".to_owned(),
    };
    Workspace::open(root, environment).unwrap()
}
