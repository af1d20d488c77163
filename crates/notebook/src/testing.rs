//! Creates a site for unit tests.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass_site::{Environment, Seeds, Site};

/// Creates a site for the folder `root`. The clock stands still, so tests can compare timestamps.
pub(crate) fn site(root: &Path) -> Site {
    let environment = Environment {
        variables: Arc::default(),
        clock: || SystemTime::UNIX_EPOCH,
        elapsed: || Duration::ZERO,
        seeds: Seeds::new(|| 0),
        threads: NonZeroUsize::MIN,
        holder: "test".to_owned(),
        on_long_wait: |_| {},
        user_id: None,
    };
    Site::open(root, environment).unwrap()
}
