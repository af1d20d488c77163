//! Reports changes to open pages: of stored data, and of the files that pages depend on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::{broadcast, mpsc};
use windlass::StoredData;

/// Time over which we collect changes into one report. Saving a single file often causes several of
/// them.
const TOGETHER: Duration = Duration::from_millis(60);

/// Number of reports that a slow page may lag behind. If there are more, we drop them and tell the
/// page that everything changed.
const BEHIND: usize = 16;

/// Maximum number of pages whose files are watched. We forget the oldest ones first.
const MAX_PAGES: usize = 32;

/// Maximum number of folders watched for the files of pages, since systems limit the number of
/// watches. Pages do not notice changes in further folders.
const MAX_FOLDERS: usize = 1_000;

pub(crate) type Changed = BTreeSet<StoredData>;

#[derive(Debug)]
enum Message {
    Changed(Vec<PathBuf>),
    /// The page at this address now depends on these files, instead of those it depended on before.
    Follow(String, BTreeSet<PathBuf>),
}

/// Sends change reports to all open pages.
#[derive(Debug)]
pub(crate) struct Live {
    reports: broadcast::Sender<Changed>,
    messages: mpsc::UnboundedSender<Message>,
    /// Receives the messages. The watcher takes it, so there can only be one.
    inbox: Mutex<Option<mpsc::UnboundedReceiver<Message>>>,
}

impl Live {
    /// Creates the channels. Nothing is reported until [`Self::watch`].
    pub(crate) fn new() -> Self {
        let (messages, inbox) = mpsc::unbounded_channel();
        Self {
            reports: broadcast::channel(BEHIND).0,
            messages,
            inbox: Mutex::new(Some(inbox)),
        }
    }

    pub(crate) fn reports(&self) -> broadcast::Receiver<Changed> {
        self.reports.subscribe()
    }

    /// Reports changes of `files` as changes of evidence. Another call for the same page replaces
    /// `files`.
    pub(crate) fn follow(&self, path: &str, files: BTreeSet<PathBuf>) {
        // Sending fails if the watcher couldn't start. There are no reports at all then.
        let _ = self.messages.send(Message::Follow(path.to_owned(), files));
    }

    /// Watches `folders` and the files of pages, and reports their changes for as long as the
    /// future runs.
    pub(crate) fn watch(
        &self,
        folders: Vec<(StoredData, PathBuf)>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let inbox = self
            .inbox
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let (messages, reports) = (self.messages.clone(), self.reports.clone());
        async move {
            let told = move |event: notify::Result<notify::Event>| match event {
                Ok(event) if !event.kind.is_access() => {
                    let _ = messages.send(Message::Changed(event.paths));
                }
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "a change cannot be watched"),
            };
            match (notify::recommended_watcher(told), inbox) {
                (Ok(watcher), Some(inbox)) => {
                    let watched = Watched {
                        watcher,
                        folders,
                        pages: VecDeque::new(),
                        modes: BTreeMap::new(),
                    };
                    watched.report(inbox, &reports).await;
                }
                (Err(error), _) => tracing::debug!(%error, "changes of files cannot be watched"),
                (_, None) => tracing::debug!("changes of files are watched already"),
            }
        }
    }
}

/// The files that each page depends on. The page that was loaded last is at the end.
type Pages = VecDeque<(String, BTreeSet<PathBuf>)>;

/// The watches for folders of stored data and files of pages. A folder that does not exist yet is
/// watched through its nearest existing parent.
struct Watched {
    watcher: RecommendedWatcher,
    folders: Vec<(StoredData, PathBuf)>,
    pages: Pages,
    /// Watched folders. The value is true if everything below the folder is watched too.
    modes: BTreeMap<PathBuf, bool>,
}

impl Watched {
    async fn report(
        mut self,
        mut inbox: mpsc::UnboundedReceiver<Message>,
        reports: &broadcast::Sender<Changed>,
    ) {
        self.extend();
        while let Some(message) = inbox.recv().await {
            let mut changed = self.take(message);
            if !changed.is_empty() {
                tokio::time::sleep(TOGETHER).await;
            }
            while let Ok(message) = inbox.try_recv() {
                changed.extend(self.take(message));
            }
            // The change may have created a folder that we watch through its parent.
            self.extend();
            if !changed.is_empty() {
                // Sending fails if no page is open.
                let _ = reports.send(changed);
            }
        }
    }

    fn take(&mut self, message: Message) -> Changed {
        match message {
            Message::Changed(paths) => self.kinds(&paths),
            Message::Follow(page, files) => {
                // The page may have been loaded before. It depends on other files now.
                self.pages.retain(|(other, _)| *other != page);
                if self.pages.len() == MAX_PAGES {
                    self.pages.pop_front();
                }
                self.pages.push_back((page, files));
                Changed::new()
            }
        }
    }

    fn extend(&mut self) {
        let wanted = self.wanted();
        for gone in self.modes.keys().filter(|path| !wanted.contains_key(*path)) {
            // This fails for a deleted folder, since the system has removed the watch already.
            let _ = self.watcher.unwatch(gone);
        }
        self.modes.retain(|folder, _| wanted.contains_key(folder));
        for (folder, is_deep) in wanted {
            if self
                .modes
                .get(&folder)
                .is_some_and(|deep| *deep || !is_deep)
            {
                continue;
            }
            let mode = match is_deep {
                true => RecursiveMode::Recursive,
                false => RecursiveMode::NonRecursive,
            };
            match self.watcher.watch(&folder, mode) {
                Ok(()) => drop(self.modes.insert(folder, is_deep)),
                Err(error) => tracing::debug!(%error, "a folder cannot be watched"),
            }
        }
    }

    /// Computes the folders to watch. The value is true if everything below the folder should be
    /// watched.
    fn wanted(&self) -> BTreeMap<PathBuf, bool> {
        let nearest = |path: &Path| {
            path.ancestors()
                .find(|above| above.is_dir())
                .map(Path::to_owned)
        };
        let mut wanted = BTreeMap::new();
        for (_, folder) in &self.folders {
            if let Some(nearest) = nearest(folder) {
                let is_deep = nearest == *folder;
                *wanted.entry(nearest).or_insert(is_deep) |= is_deep;
            }
        }
        let is_deep = |path: &Path| {
            let mut deep = wanted.iter().filter(|(_, is_deep)| **is_deep);
            deep.any(|(folder, _)| path.starts_with(folder))
        };
        let parents = parents(&self.pages).filter(|folder| !is_deep(folder));
        let more: Vec<PathBuf> = parents.take(MAX_FOLDERS).filter_map(nearest).collect();
        for folder in more {
            wanted.entry(folder).or_insert(false);
        }
        wanted
    }

    fn kinds(&self, paths: &[PathBuf]) -> Changed {
        let is_changed = |folder: &Path| paths.iter().any(|path| concerns(path, folder));
        let changed = self.folders.iter().filter(|(_, folder)| is_changed(folder));
        let mut changed: Changed = changed.map(|(kind, _)| *kind).collect();
        let mut followed = self.pages.iter().flat_map(|(_, files)| files);
        // If a folder above the file has changed, it may have been renamed, and the file with it.
        if followed.any(|file| paths.iter().any(|path| file.starts_with(path))) {
            changed.insert(StoredData::Evidence);
        }
        changed
    }
}

/// Returns the distinct folders of the files that pages depend on, beginning with those of the page
/// that was loaded last.
fn parents(pages: &Pages) -> impl Iterator<Item = &Path> {
    let mut seen = BTreeSet::new();
    let files = pages.iter().rev().flat_map(|(_, files)| files);
    let parents = files.filter_map(|file| file.parent());
    parents.filter(move |folder| seen.insert(*folder))
}

/// Returns true if a change at `path` may change the contents of `folder`. Lock files do not count.
fn concerns(path: &Path, folder: &Path) -> bool {
    let is_lock = path.extension().is_some_and(|ending| ending == "lock") || path.ends_with("lock");
    !is_lock && (path.starts_with(folder) || folder.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_of_the_newest_page_come_first() {
        let page = |files: &[&str]| (String::new(), files.iter().map(PathBuf::from).collect());
        let pages = Pages::from([page(&["/a/1", "/b/1"]), page(&["/c/1", "/c/2", "/b/2"])]);
        let parents: Vec<_> = parents(&pages).collect();
        assert_eq!(parents, ["/b", "/c", "/a"].map(Path::new));
    }

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
