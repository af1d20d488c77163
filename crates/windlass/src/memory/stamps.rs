use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_base::{Digest, RepoPath, in_parallel};
use windlass_memory::{FOLDER, Marks, SeenFile};
use windlass_store::{FolderFile, ListedFile, list_folder, look_at};

use crate::{Error, Workspace};

/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;
/// How many files a thread looks at at a time.
const PIECE: usize = 256;
/// A file changed so shortly before it was read, in seconds, may have changed again without a trace.
const TICK: u64 = 2;

/// The state that the files of the memory are in, as far as it can be told without reading them: which files they are, and when they
/// or what is known of them last changed, which nobody can set back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stamps {
    /// The files of the folder, each with the folder it lies in, relative to that of the memory.
    files: Vec<(String, FolderFile)>,
    digest: String,
    /// When the last of them changed, in nanoseconds since the epoch.
    newest: i64,
}

impl Workspace {
    /// The state of the files: of the folder, and of what leaves out files of it.
    pub(super) fn stamps(&self) -> Result<Stamps, Error> {
        let root = self.repo().root();
        let mut stamps = Stamps::of(root, self.environment().threads.get())?;
        let above = [".rgignore", ".ignore", ".gitignore"].map(|name| root.join(name));
        let own = self.repo().git_common_dir();
        let own = own.map(|folder| folder.join("info").join("exclude"));
        for rules in above.into_iter().chain(own) {
            stamps.take_file(&rules);
        }
        Ok(stamps)
    }
}

impl Stamps {
    fn of(root: &Path, threads: usize) -> Result<Self, Error> {
        let (mut files, mut closed) = (Vec::new(), Vec::new());
        let mut open: Vec<(PathBuf, String, usize)> = vec![(root.join(FOLDER), String::new(), 0)];
        while let Some((folder, name, depth)) = open.pop() {
            let listed = match list_folder(&folder) {
                Ok(listed) => listed,
                // Nobody reads what lies in a folder that nobody may look into; who checks is told of it.
                Err(_) if depth > 0 => {
                    closed.push(name);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let looked = in_parallel(&listed.files, threads, PIECE, |files| {
                let looked = files.iter().filter_map(ListedFile::look);
                looked.collect::<Vec<_>>()
            });
            let own = looked.into_iter().flatten();
            files.extend(own.map(|file| (name.clone(), file)));
            if depth < MAX_DEPTH {
                for inner in listed.folders {
                    let own = inner.file_name().map(|own| own.to_string_lossy());
                    let name = format!("{name}{}/", own.unwrap_or_default());
                    open.push((inner, name, depth + 1));
                }
            }
        }
        let mut text = String::new();
        for folder in &closed {
            let _ = writeln!(text, "{folder}\0closed");
        }
        for (folder, file) in &files {
            let (mark, changed) = (&file.mark, file.changed);
            let (inode, bytes, modified) = (mark.inode, mark.bytes, mark.modified);
            let _ = writeln!(
                text,
                "{folder}{}\0{inode}\0{bytes}\0{modified}\0{changed}",
                file.name
            );
        }
        Ok(Self {
            digest: Digest::of_bytes(text.as_bytes()).hex(),
            newest: files
                .iter()
                .map(|(_, file)| last_change(file))
                .max()
                .unwrap_or(i64::MIN),
            files,
        })
    }

    /// A file beside the folder, which need not be there.
    fn take_file(&mut self, file: &Path) {
        let Ok(Some(file)) = look_at(file) else {
            return;
        };
        let (before, bytes, inode) = (&self.digest, file.bytes, file.mark.inode);
        let (modified, changed) = (file.mark.modified, file.changed);
        let text = format!(
            "{before}\0{}\0{inode}\0{bytes}\0{modified}\0{changed}",
            file.path.display()
        );
        self.digest = Digest::of_bytes(text.as_bytes()).hex();
        self.newest = self.newest.max(last_change(&file));
    }

    /// Whether there is no file.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Tells this state from any other.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// The state of each file of the memory that did not change a moment ago.
    pub(super) fn settled(&self, now: SystemTime) -> Marks {
        let settled = self.files.iter();
        let settled = settled.filter(|(_, file)| !is_young(last_change(file), now));
        let marks = settled.filter_map(|(folder, file)| {
            let path = RepoPath::parse(&format!("{FOLDER}/{folder}{}", file.name)).ok()?;
            let (mark, changed) = (file.mark, file.changed);
            Some((path, SeenFile { mark, changed }))
        });
        marks.collect()
    }

    pub(super) fn is_younger_than(&self, now: SystemTime) -> bool {
        is_young(self.newest, now)
    }
}

/// When a file was written, or what is known of it changed, whichever came later.
fn last_change(file: &FolderFile) -> i64 {
    file.mark.modified.max(file.changed)
}

fn is_young(changed: i64, now: SystemTime) -> bool {
    let old = now.checked_sub(Duration::from_secs(TICK));
    let old = old.and_then(|old| old.duration_since(UNIX_EPOCH).ok());
    old.is_none_or(|old| i128::from(changed) > i128::try_from(old.as_nanos()).unwrap_or(i128::MAX))
}
