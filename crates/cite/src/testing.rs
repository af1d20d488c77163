use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass_site::{Environment, Seeds, Site};

/// Opens a site in the folder `root`, with a clock that is always at the epoch.
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
