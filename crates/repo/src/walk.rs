//! Walking the files of a repository: what `rg --files` would list, the same on every machine.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};
use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, RepoPath};

use crate::{Refusal, Repo};

/// Trees with fewer files than this are walked on the calling thread: starting others takes longer.
const SMALL: usize = 128;

/// Which files to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct ListQuery {
    /// Folders and files to stay within; none means the whole repository. A path that is named here is
    /// looked at even when an ignore file leaves it out.
    pub paths: Vec<RepoPath>,
    /// Globs as `rg -g` takes them: with some that do not start with `!`, only files that match one; those
    /// that start with `!` leave files out; later ones win. Relative to the root.
    pub globs: Vec<String>,
    /// Whether to look at hidden files and folders (`.github`). Git's own folder is never looked at.
    pub hidden: bool,
    /// How many files to name, in the order of their paths; `None` for all.
    pub limit: Option<u32>,
}

impl ListQuery {
    /// Whether a glob has a meaning, as a listing would find.
    ///
    /// # Errors
    /// [`ListError::Glob`] when it has none.
    pub fn check_glob(glob: &str) -> Result<(), ListError> {
        overrides(Path::new("."), &[glob.to_owned()]).map(drop)
    }
}

/// The files that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// In the order of their paths. Secret files are named, too; reading them is refused.
    pub files: Vec<RepoPath>,
    /// How many there are without the limit.
    pub total: u32,
    /// What was left out, or cannot be read.
    pub withheld: Withheld,
}

impl Listing {
    /// Whether the limit left files out.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.files.len() < self.total as usize
    }
}

/// Files that were found and not looked into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Kept secret.
    pub secret: u32,
    /// The name is no UTF-8, or looks like a path of another system (`C:x`); such files are not named.
    pub not_utf8: u32,
    /// Larger than [`crate::MAX_FILE_BYTES`].
    pub too_large: u32,
    /// Files and folders the operating system does not let us read.
    pub unreadable: u32,
    /// Text in UTF-16 or UTF-32, which is neither searched nor shown.
    #[serde(default)]
    pub wide_text: u32,
}

impl Withheld {
    pub(crate) fn counts(&self) -> [u32; 5] {
        [
            self.secret,
            self.not_utf8,
            self.too_large,
            self.unreadable,
            self.wide_text,
        ]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.counts().iter().sum()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.secret += other.secret;
        self.not_utf8 += other.not_utf8;
        self.too_large += other.too_large;
        self.unreadable += other.unreadable;
        self.wide_text += other.wide_text;
    }

    /// Counts a file that was not read; one that vanished meanwhile counts nowhere.
    pub(crate) fn count(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Secret { .. } => self.secret += 1,
            Refusal::TooLarge { .. } => self.too_large += 1,
            Refusal::Missing => {}
            _ => self.unreadable += 1,
        }
    }
}

/// Why files cannot be listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A path to stay within cannot be looked at.
    #[error(
        "cannot look for files in `{path}`: {refusal}; name a folder or file of the repository"
    )]
    Scope {
        /// The path.
        path: RepoPath,
        /// Why not.
        refusal: Refusal,
    },
    /// A glob has no meaning.
    #[error("`{glob}` is not a glob: {message}; globs look like `src/**/*.rs` or `!*.md`")]
    Glob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
    /// Somebody asked to stop.
    #[error("stopped before all files were seen")]
    Cancelled,
}

/// A file that was found.
pub(crate) struct WalkedFile<'a> {
    pub(crate) absolute: &'a Path,
    /// Relative to the root, with `/`.
    pub(crate) path: &'a str,
}

/// What a walk is for. Each thread has one of its own.
pub(crate) trait Visitor: Send {
    /// Called for every file that has a name and is not git's, in any order.
    fn file(&mut self, file: &WalkedFile<'_>);
    /// Called for every folder that is looked into, the root included, before its entries are read.
    fn folder(&mut self, _absolute: &Path) {}
    /// What was withheld on the way.
    fn withheld(&mut self) -> &mut Withheld;
}

/// A checked query, ready to walk.
pub(crate) struct Walker<'a> {
    repo: &'a Repo,
    hidden: bool,
    globs: Override,
    scopes: Arc<Scopes>,
}

/// The paths to stay within, relative to the root and free of links; and whether the walk came to them.
struct Scopes {
    root: PathBuf,
    /// Git's folders, should they lie in the tree under another name than `.git`.
    git: Vec<PathBuf>,
    paths: Vec<PathBuf>,
    reached: Vec<AtomicBool>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(repo: &'a Repo, query: &ListQuery) -> Result<Self, ListError> {
        let mut paths = BTreeSet::new();
        for path in &query.paths {
            let resolved = repo.resolve(path).map_err(|refusal| ListError::Scope {
                path: path.clone(),
                refusal,
            })?;
            paths.insert(resolved);
        }
        if paths.iter().any(|path| path.as_os_str().is_empty()) {
            paths.clear();
        }
        let git = repo.layout().map_or_else(Vec::new, |layout| {
            vec![layout.git_dir.clone(), layout.common_dir.clone()]
        });
        Ok(Self {
            repo,
            hidden: query.hidden,
            globs: overrides(repo.root(), &query.globs)?,
            scopes: Arc::new(Scopes {
                root: repo.root().to_owned(),
                git,
                reached: paths.iter().map(|_| AtomicBool::new(false)).collect(),
                paths: paths.into_iter().collect(),
            }),
        })
    }

    /// Shows every file to a visitor and gives the visitors back. How many there are, and who sees which
    /// file, differs from one time to the next.
    pub(crate) fn walk<V: Visitor>(
        &self,
        cancel: &Cancel,
        make: &(dyn Fn() -> V + Sync),
    ) -> Result<Vec<V>, ListError> {
        let mut visitors = match self.walk_small(cancel, make)? {
            Some(visitor) => vec![visitor],
            None => self.walk_large(cancel, make),
        };
        if let Some(visitor) = visitors.first_mut() {
            self.walk_left_out(cancel, visitor);
        }
        if cancel.is_cancelled() {
            return Err(ListError::Cancelled);
        }
        Ok(visitors)
    }

    /// Walks on this thread; gives up with `None` when the tree turns out to be large.
    fn walk_small<V: Visitor>(
        &self,
        cancel: &Cancel,
        make: &(dyn Fn() -> V + Sync),
    ) -> Result<Option<V>, ListError> {
        let single = self.repo.threads() <= 1;
        let (mut seen, mut count) = (Vec::new(), 0);
        let mut visitor = make();
        for entry in self.builder(self.repo.root(), true).build() {
            if cancel.is_cancelled() {
                return Err(ListError::Cancelled);
            }
            // What a folder looks like has to be known before its entries are.
            if single || entry.as_ref().is_ok_and(is_folder) {
                self.visit(entry, &mut visitor);
            } else {
                seen.push(entry);
            }
            count += 1;
            if count > SMALL && !single {
                return Ok(None);
            }
        }
        for entry in seen {
            self.visit(entry, &mut visitor);
        }
        Ok(Some(visitor))
    }

    fn walk_large<V: Visitor>(&self, cancel: &Cancel, make: &(dyn Fn() -> V + Sync)) -> Vec<V> {
        /// Hands the visitor over when its thread is done.
        struct Return<'a, V: Visitor>(Option<V>, &'a std::sync::Mutex<Vec<V>>);
        impl<V: Visitor> Drop for Return<'_, V> {
            fn drop(&mut self) {
                let mut done = self
                    .1
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                done.extend(self.0.take());
            }
        }

        let done = std::sync::Mutex::new(Vec::new());
        self.builder(self.repo.root(), true)
            .threads(self.repo.threads())
            .build_parallel()
            .run(|| {
                let mut visitor = Return(Some(make()), &done);
                Box::new(move |entry| {
                    if cancel.is_cancelled() {
                        return WalkState::Quit;
                    }
                    if let Some(visitor) = &mut visitor.0 {
                        self.visit(entry, visitor);
                    }
                    WalkState::Continue
                })
            });
        done.into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Walks the named paths that an ignore file, or their being hidden, kept the walk from.
    fn walk_left_out<V: Visitor>(&self, cancel: &Cancel, visitor: &mut V) {
        let mut before: Vec<&Path> = Vec::new();
        for (path, reached) in self.scopes.paths.iter().zip(&self.scopes.reached) {
            // The paths are sorted, so that a folder comes before what lies in it.
            if reached.load(Ordering::Relaxed) || before.iter().any(|done| path.starts_with(done)) {
                continue;
            }
            before.push(path);
            for entry in self.builder(&self.scopes.root.join(path), false).build() {
                if cancel.is_cancelled() {
                    return;
                }
                self.visit(entry, visitor);
            }
        }
    }

    /// A walk from `start`. Only what lies in the repository decides: no ignore files above the root, and
    /// none of the user's own.
    fn builder(&self, start: &Path, within_scopes: bool) -> WalkBuilder {
        let scopes = Arc::clone(&self.scopes);
        let mut builder = WalkBuilder::new(start);
        builder
            .hidden(!self.hidden)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .follow_links(false)
            .overrides(self.globs.clone())
            .filter_entry(move |entry| scopes.admits(entry, within_scopes));
        builder
    }

    fn visit<V: Visitor>(&self, entry: Result<DirEntry, ignore::Error>, visitor: &mut V) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                // A file that vanished meanwhile is no loss; a folder that cannot be read is.
                if error
                    .io_error()
                    .is_some_and(|e| e.kind() != std::io::ErrorKind::NotFound)
                {
                    visitor.withheld().unreadable += 1;
                }
                return;
            }
        };
        self.scopes.note(&entry);
        if is_folder(&entry) {
            visitor.folder(entry.path());
            return;
        }
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let Some(path) = self.scopes.relative(entry.path()) else {
            visitor.withheld().not_utf8 += 1;
            return;
        };
        visitor.file(&WalkedFile {
            absolute: entry.path(),
            path: &path,
        });
    }
}

impl Scopes {
    /// Whether to look at `entry`, or to go into it.
    fn admits(&self, entry: &DirEntry, within_scopes: bool) -> bool {
        if entry.file_name().eq_ignore_ascii_case(".git")
            || self.git.iter().any(|folder| entry.path() == folder)
        {
            return false;
        }
        if !within_scopes || self.paths.is_empty() {
            return true;
        }
        let Ok(relative) = entry.path().strip_prefix(&self.root) else {
            return false;
        };
        let is_folder = is_folder(entry);
        self.paths
            .iter()
            .any(|path| relative.starts_with(path) || (is_folder && path.starts_with(relative)))
    }

    /// Remembers that the walk came to the path itself.
    fn note(&self, entry: &DirEntry) {
        if self.paths.is_empty() {
            return;
        }
        for (path, reached) in self.paths.iter().zip(&self.reached) {
            if entry
                .path()
                .strip_prefix(&self.root)
                .is_ok_and(|relative| relative == path)
            {
                reached.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The path below the root with `/`; `None` when it is no UTF-8, or would not be taken for a path inside
    /// the repository (`C:x`).
    ///
    /// The walk only ever appends to the root. Cutting bytes off is many times faster than comparing part
    /// by part, and this is done for every file.
    fn relative<'a>(&self, absolute: &'a Path) -> Option<Cow<'a, str>> {
        let root = self.root.as_os_str().as_encoded_bytes();
        let below = absolute.as_os_str().as_encoded_bytes().strip_prefix(root)?;
        let separator = |b: &u8| std::path::is_separator(char::from(*b));
        let start = below.iter().take_while(|b| separator(b)).count();
        let text = std::str::from_utf8(&below[start..]).ok()?;
        if text.get(1..2) == Some(":") || text.starts_with(r"\\") {
            return None;
        }
        Some(if std::path::MAIN_SEPARATOR == '/' {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(text.replace(std::path::MAIN_SEPARATOR, "/"))
        })
    }
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

fn overrides(root: &Path, globs: &[String]) -> Result<Override, ListError> {
    let error = |glob: &str, e: &ignore::Error| ListError::Glob {
        glob: glob.to_owned(),
        message: e.to_string(),
    };
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(glob).map_err(|e| error(glob, &e))?;
    }
    builder.build().map_err(|e| error(&globs.join(" "), &e))
}

/// Collects names.
struct Names<'a> {
    repo: &'a Repo,
    names: Vec<RepoPath>,
    withheld: Withheld,
}

impl Visitor for Names<'_> {
    fn file(&mut self, file: &WalkedFile<'_>) {
        match RepoPath::parse(file.path) {
            Ok(path) => {
                if self.repo.secret_rule(path.as_str()).is_some() {
                    self.withheld.secret += 1;
                }
                self.names.push(path);
            }
            Err(_) => self.withheld.not_utf8 += 1,
        }
    }

    fn withheld(&mut self) -> &mut Withheld {
        &mut self.withheld
    }
}

/// All files that `query` finds, without its limit.
pub(crate) fn list(repo: &Repo, query: &ListQuery, cancel: &Cancel) -> Result<Listing, ListError> {
    let walker = Walker::new(repo, query)?;
    let visitors = walker.walk(cancel, &|| Names {
        repo,
        names: Vec::new(),
        withheld: Withheld::default(),
    })?;
    let mut listing = Listing::default();
    for visitor in visitors {
        listing.files.extend(visitor.names);
        listing.withheld.add(visitor.withheld);
    }
    listing.files.sort_unstable();
    listing.total = u32::try_from(listing.files.len()).unwrap_or(u32::MAX);
    Ok(listing)
}
