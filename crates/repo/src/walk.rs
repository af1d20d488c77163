//! Walks the files of a repository. The walk finds the same files as `rg --files`, but doesn't
//! depend on the machine: ignore files above the root or of the user don't apply.

mod folder_walk;
mod ignore_rules;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ignore::Match;
use ignore::overrides::{Override, OverrideBuilder};
use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, RepoPath};

use crate::platform::Signature;
use crate::refusal::Refusal;
use crate::repository::Repo;
use ignore_rules::Rules;

/// A query for a list of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct ListQuery {
    /// Folders and files to visit, or the whole repository if empty. A path in this list is visited
    /// even if an ignore file excludes it.
    pub paths: Vec<RepoPath>,
    /// Globs in the syntax of `rg -g`, relative to the root. A glob that starts with `!` excludes
    /// files. If there are other globs, files must match one of them. A later glob overrides an
    /// earlier one.
    pub globs: Vec<String>,
    /// True to visit hidden files and folders (`.github`). Git's own folder is never visited.
    pub hidden: bool,
    /// Maximum number of listed files, in path order, or `None` for no limit.
    pub limit: Option<u32>,
}

impl ListQuery {
    /// Checks that a glob is valid.
    ///
    /// # Errors
    /// Returns [`ListError::Glob`] if the glob is invalid.
    pub fn check_glob(glob: &str) -> Result<(), ListError> {
        overrides(Path::new("."), &[glob.to_owned()]).map(drop)
    }
}

/// Compiled globs, as in [`ListQuery::globs`], for known paths.
#[derive(Debug, Clone)]
pub struct GlobSet(Override);

impl GlobSet {
    /// Compiles `globs`.
    ///
    /// # Errors
    /// Returns [`ListError::Glob`] if a glob is invalid.
    pub fn new(globs: &[String]) -> Result<Self, ListError> {
        Ok(Self(overrides(Path::new(""), globs)?))
    }

    /// True if a listing with these globs would include `file`.
    #[must_use]
    pub fn matches(&self, file: &RepoPath) -> bool {
        !self.0.matched(file.as_str(), false).is_ignore()
    }
}

/// The result of a list query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Files in path order. Secret files are listed, but cannot be read.
    pub files: Vec<RepoPath>,
    /// Number of files, regardless of the limit.
    pub total: u32,
    /// Counts of files that were skipped or cannot be read.
    pub withheld: Withheld,
    /// Number of visited files and folders, including files that aren't listed.
    #[serde(skip)]
    pub entries: u64,
}

impl Listing {
    /// True if files are missing because of the limit.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.files.len() < self.total as usize
    }
}

/// Counts of files found but not searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Number of files excluded by the list of secret paths.
    pub secret: u32,
    /// Number of files whose name is not UTF-8, or looks like a path outside of the repository
    /// (`C:/x`). They are not listed.
    pub not_utf8: u32,
    /// Number of files larger than [`crate::MAX_FILE_BYTES`].
    pub too_large: u32,
    /// Number of files and folders this process isn't permitted to read.
    pub unreadable: u32,
    /// Number of matching files in UTF-16 or UTF-32, whose lines are not shown.
    #[serde(default)]
    pub wide_text: u32,
    /// Number of files that begin as text but have a NUL byte later, so that they count as binary.
    #[serde(default)]
    pub nul_text: u32,
    /// Number of ignore files that were not applied because they are links, not regular files, too
    /// large or not readable. The files they exclude were searched.
    #[serde(default)]
    pub unheeded: u32,
}

impl Withheld {
    pub(crate) fn counts(&self) -> [u32; 6] {
        [
            self.secret,
            self.not_utf8,
            self.too_large,
            self.unreadable,
            self.wide_text,
            self.nul_text,
        ]
    }

    /// Returns the sum of all counts except for ignore files.
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
        self.nul_text += other.nul_text;
        self.unheeded += other.unheeded;
    }

    /// Counts a file that was not read, unless it vanished during the walk.
    pub(crate) fn count(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Secret { .. } => self.secret += 1,
            Refusal::TooLarge { .. } => self.too_large += 1,
            Refusal::Missing => {}
            _ => self.unreadable += 1,
        }
    }
}

/// A failed listing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A path in the query cannot be visited.
    #[error("cannot list files in `{path}`: {refusal}; give a folder or file of the repository")]
    Scope {
        /// The path in the query.
        path: RepoPath,
        /// The reason why it cannot be visited.
        refusal: Refusal,
    },
    /// A glob of the query is not valid.
    #[error("`{glob}` is not a glob: {message}; globs look like `src/**/*.rs` or `!*.md`")]
    Glob {
        /// The glob, as given.
        glob: String,
        /// A description of the error.
        message: String,
    },
    /// The caller cancelled the walk.
    #[error("cancelled before all files were listed")]
    Cancelled,
}

/// A file found by the walk.
pub(crate) struct WalkedFile<'a> {
    pub(crate) absolute: &'a Path,
    /// The path relative to the root, with `/`.
    pub(crate) path: &'a str,
}

/// Receives the files found by a walk. Each thread has its own visitor.
pub(crate) trait Visitor: Send {
    /// Called for every file except those in git's folders, in any order.
    fn file(&mut self, file: &WalkedFile<'_>);
    /// Called for every visited folder, including the root, before we read its entries.
    fn folder(&mut self, _absolute: &Path) {}
    /// Called for every ignore file we look for, with its signature after it was read, or `None` if
    /// there's no such file.
    fn rules(&mut self, _absolute: PathBuf, _signature: Option<Signature>) {}
    /// Returns the counts of withheld files.
    fn withheld(&mut self) -> &mut Withheld;
}

/// A walk for a checked query.
pub(crate) struct Walker<'a> {
    repo: &'a Repo,
    hidden: bool,
    globs: Override,
    scopes: Scopes,
    /// Number of folder entries visited.
    entries: AtomicU64,
}

/// Paths in the query, relative to the root and free of links. The walk marks each path when it
/// gets there.
struct Scopes {
    root: PathBuf,
    /// Git's folders, if they are inside the root under a name other than `.git`.
    git: Vec<PathBuf>,
    paths: Vec<PathBuf>,
    reached: Vec<AtomicBool>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(repo: &'a Repo, query: &ListQuery) -> Result<Self, ListError> {
        let mut paths = BTreeSet::new();
        for path in &query.paths {
            let resolved = repo
                .guard()
                .resolve(path)
                .map_err(|refusal| ListError::Scope {
                    path: path.clone(),
                    refusal,
                })?;
            paths.insert(resolved);
        }
        if paths.iter().any(|path| path.as_os_str().is_empty()) {
            paths.clear();
        }
        let git = repo.guard().git_folders().to_vec();
        Ok(Self {
            repo,
            hidden: query.hidden,
            globs: overrides(repo.root(), &query.globs)?,
            scopes: Scopes {
                root: repo.root().to_owned(),
                git,
                reached: paths.iter().map(|_| AtomicBool::new(false)).collect(),
                paths: paths.into_iter().collect(),
            },
            entries: AtomicU64::new(0),
        })
    }

    /// Returns the number of visited files and folders, which doesn't depend on the number of
    /// threads.
    pub(crate) fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Passes every file to a visitor, and returns the visitors. Their number, and the files
    /// received by each, vary between runs.
    pub(crate) fn walk<V: Visitor>(
        &self,
        cancel: &Cancel,
        make: &(dyn Fn() -> V + Sync),
    ) -> Result<Vec<V>, ListError> {
        let mut visitors = self.walk_from(self.repo.root(), true, cancel, make);
        let mut before: Vec<&Path> = Vec::new();
        // The walk hasn't reached paths in the query that are ignored or hidden.
        for (path, reached) in self.scopes.paths.iter().zip(&self.scopes.reached) {
            // The paths are sorted, so a folder comes before its contents.
            if reached.load(Ordering::Relaxed) || before.iter().any(|done| path.starts_with(done)) {
                continue;
            }
            before.push(path);
            visitors.extend(self.walk_from(&self.scopes.root.join(path), false, cancel, make));
        }
        if cancel.is_cancelled() {
            return Err(ListError::Cancelled);
        }
        Ok(visitors)
    }

    /// True if the entry at `path` is to be visited. Only ignore files within the repository apply,
    /// not those above the root or of the user.
    fn admits(
        &self,
        path: &Path,
        is_folder: bool,
        within_scopes: bool,
        rules: &Rules,
        is_hidden: impl FnOnce() -> bool,
    ) -> bool {
        if !self.scopes.admits(path, is_folder, within_scopes) {
            return false;
        }
        // The caller's globs override the repository's ignore rules.
        let matched = self.globs.matched(path, is_folder).map(|_| ());
        let matched = if matched.is_none() {
            rules.matched(path, is_folder)
        } else {
            matched
        };
        match matched {
            Match::Ignore(()) => false,
            Match::Whitelist(()) => true,
            Match::None => self.hidden || !is_hidden(),
        }
    }

    /// Passes the file at `absolute` to `visitor`.
    fn show(&self, absolute: &Path, visitor: &mut dyn Visitor) {
        match self.scopes.relative(absolute) {
            Some(path) => visitor.file(&WalkedFile {
                absolute,
                path: &path,
            }),
            None => visitor.withheld().not_utf8 += 1,
        }
    }
}

impl Scopes {
    /// True if the entry at `path` is part of the query, or a folder on the way to a part of it.
    fn admits(&self, path: &Path, is_folder: bool, within_scopes: bool) -> bool {
        let is_git = |name: &OsStr| name.eq_ignore_ascii_case(".git");
        if path.file_name().is_some_and(is_git) || self.git.iter().any(|folder| path == folder) {
            return false;
        }
        if !within_scopes || self.paths.is_empty() {
            return true;
        }
        let Ok(relative) = path.strip_prefix(&self.root) else {
            return false;
        };
        self.paths
            .iter()
            .any(|path| relative.starts_with(path) || (is_folder && path.starts_with(relative)))
    }

    /// Marks `absolute` as reached if it is one of the paths in the query.
    fn note(&self, absolute: &Path) {
        if self.paths.is_empty() {
            return;
        }
        for (path, reached) in self.paths.iter().zip(&self.reached) {
            if absolute
                .strip_prefix(&self.root)
                .is_ok_and(|relative| relative == path)
            {
                reached.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the path below the root with `/`, or `None` if it isn't UTF-8 or wouldn't be read as
    /// a path inside the repository (`C:/x`).
    ///
    /// The walk only appends to the root, so we can simply cut off the root's bytes. This runs for
    /// every file, and is many times faster than comparing part by part.
    fn relative<'a>(&self, absolute: &'a Path) -> Option<Cow<'a, str>> {
        let root = self.root.as_os_str().as_encoded_bytes();
        let below = absolute.as_os_str().as_encoded_bytes().strip_prefix(root)?;
        let separator = |b: &u8| std::path::is_separator(char::from(*b));
        let start = below.iter().take_while(|b| separator(b)).count();
        let text = std::str::from_utf8(&below[start..]).ok()?;
        if RepoPath::is_absolute(text) {
            return None;
        }
        Some(if std::path::MAIN_SEPARATOR == '/' {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(text.replace(std::path::MAIN_SEPARATOR, "/"))
        })
    }
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

/// Collects the paths of files.
struct Names<'a> {
    repo: &'a Repo,
    names: Vec<RepoPath>,
    withheld: Withheld,
}

impl Visitor for Names<'_> {
    fn file(&mut self, file: &WalkedFile<'_>) {
        match RepoPath::parse(file.path) {
            Ok(path) => {
                if self.repo.guard().secret_rule(path.as_str()).is_some() {
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

/// Returns all files found by `query`. Its limit is ignored.
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
    listing.entries = walker.entries();
    listing.total = u32::try_from(listing.files.len()).unwrap_or(u32::MAX);
    Ok(listing)
}
