//! An environment for benchmarks that use the library in their own process.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use windlass_site::{Environment, Seeds};

pub(crate) fn environment(home: &Path) -> Environment {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let variables = [
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), home.as_os_str().to_owned()),
    ];
    Environment {
        variables: Arc::new(BTreeMap::from(variables)),
        clock: SystemTime::now,
        elapsed: || Duration::ZERO,
        seeds: Seeds::new(|| RandomState::new().hash_one(0) as u16),
        threads: std::num::NonZeroUsize::MIN,
        holder: "bench".to_owned(),
        on_long_wait: |_| {},
        user_id: None,
    }
}

pub(crate) fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(args)
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(done.success());
}
