//! Changes of stored data, reported to pages that are open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::{broadcast, mpsc};
use windlass::StoredData;

/// Time in which changes are reported together.
const TOGETHER: Duration = Duration::from_millis(60);

/// Number of reports that a slow page may be behind.
const BEHIND: usize = 16;

/// Kinds of data that changed.
pub(crate) type Changed = BTreeSet<StoredData>;

/// Reports of changes to all open pages.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    reports: broadcast::Sender<Changed>,
}

impl Live {
    /// Creates a channel without a watcher.
    pub(crate) fn new() -> Self {
        Self {
            reports: broadcast::channel(BEHIND).0,
        }
    }

    /// Returns the reports from now on.
    pub(crate) fn reports(&self) -> broadcast::Receiver<Changed> {
        self.reports.subscribe()
    }

    /// Watches `folders` and reports their changes, for as long as the server runs.
    pub(crate) async fn watch(self, folders: Vec<(StoredData, PathBuf)>) {
        let (sender, mut changes) = mpsc::unbounded_channel();
        let told = move |event: notify::Result<notify::Event>| match event {
            Ok(event) if !event.kind.is_access() => {
                let _ = sender.send(event.paths);
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "a change cannot be watched"),
        };
        let watcher = match notify::recommended_watcher(told) {
            Ok(watcher) => watcher,
            Err(error) => {
                tracing::debug!(%error, "changes of files cannot be watched");
                return;
            }
        };
        let mut watched = Watched {
            watcher,
            folders,
            modes: BTreeMap::new(),
        };
        watched.extend();
        while let Some(paths) = changes.recv().await {
            let mut changed = watched.kinds(&paths);
            tokio::time::sleep(TOGETHER).await;
            while let Ok(paths) = changes.try_recv() {
                changed.extend(watched.kinds(&paths));
            }
            // A folder may have been created.
            watched.extend();
            if !changed.is_empty() {
                // Without a page nobody listens.
                let _ = self.reports.send(changed);
            }
        }
    }
}

/// Folders with a watch on each, or on the nearest folder above it that exists.
struct Watched {
    watcher: RecommendedWatcher,
    folders: Vec<(StoredData, PathBuf)>,
    modes: BTreeMap<PathBuf, bool>,
}

impl Watched {
    /// Watches what is not yet watched.
    fn extend(&mut self) {
        for (_, folder) in &self.folders {
            let is_there = folder.is_dir();
            let nearest = folder.ancestors().find(|above| above.is_dir());
            let Some(nearest) = nearest else { continue };
            if self
                .modes
                .get(nearest)
                .is_some_and(|deep| *deep || !is_there)
            {
                continue;
            }
            let mode = match is_there {
                true => RecursiveMode::Recursive,
                false => RecursiveMode::NonRecursive,
            };
            match self.watcher.watch(nearest, mode) {
                Ok(()) => drop(self.modes.insert(nearest.to_owned(), is_there)),
                Err(error) => tracing::debug!(%error, "a folder cannot be watched"),
            }
        }
        // A watch ends with its folder.
        self.modes.retain(|folder, _| folder.is_dir());
    }

    /// Returns the kinds of data that files at `paths` belong to.
    fn kinds(&self, paths: &[PathBuf]) -> Changed {
        let is_changed = |folder: &Path| paths.iter().any(|path| concerns(path, folder));
        let changed = self.folders.iter().filter(|(_, folder)| is_changed(folder));
        changed.map(|(kind, _)| *kind).collect()
    }
}

/// True if a change at `path` may change the contents of `folder`. Locks do not.
fn concerns(path: &Path, folder: &Path) -> bool {
    let is_lock = path.extension().is_some_and(|ending| ending == "lock") || path.ends_with("lock");
    !is_lock && (path.starts_with(folder) || folder.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_belong_to_their_folder() {
        let concerns = |path: &str| concerns(Path::new(path), Path::new("/s/runs"));
        assert!(concerns("/s/runs/1.jsonl"));
        assert!(concerns("/s/runs"));
        assert!(concerns("/s"));
        assert!(!concerns("/s/other"));
        assert!(!concerns("/s/runs/lock"));
        assert!(!concerns("/s/runs/1.lock"));
    }
}
