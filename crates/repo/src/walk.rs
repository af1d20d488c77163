//! Walks the files of a repository.
//!
//! We find the same files as `rg --files`, with one difference: the user's own ignore files and
//! those in folders above the root do not apply. That way, we get the same list on every machine.
//!
//! A [`Walker`] does the work with several threads, each with a [`Visitor`] of its own. Listings
//! and searches only differ in their visitors.

mod folder_walk;
mod glob_folders;
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
use glob_folders::GlobFolders;
use ignore_rules::Rules;

/// The scope of a walk: folders, globs and a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct ListQuery {
    /// Folders and files to visit, or an empty list for the whole repository. A path in this list
    /// is visited even if an ignore file excludes it.
    pub paths: Vec<RepoPath>,
    /// Globs in the syntax of `rg -g`, relative to the root.
    ///
    /// A glob that starts with `!` excludes files. If there is at least one without `!`, files must
    /// match one of those. A later glob overrides an earlier one.
    pub globs: Vec<String>,
    /// Visits hidden files and folders as well, e.g. `.github`. Git's own folder is never visited.
    pub hidden: bool,
    /// Maximum number of files to list, or `None` for no limit. We keep the first ones in path
    /// order.
    pub limit: Option<u32>,
}

impl ListQuery {
    /// Checks a glob without listing any files.
    ///
    /// # Errors
    /// Returns [`ListError::Glob`] if the glob is invalid.
    pub fn check_glob(glob: &str) -> Result<(), ListError> {
        overrides(Path::new("."), &[glob.to_owned()]).map(drop)
    }
}

/// Compiled globs, for paths that are already known. See [`ListQuery::globs`].
#[derive(Debug, Clone)]
pub struct GlobSet(Override);

impl GlobSet {
    /// Compiles `globs`. Their order matters, since a later glob overrides an earlier one.
    ///
    /// # Errors
    /// Returns [`ListError::Glob`] if a glob is invalid.
    pub fn new(globs: &[String]) -> Result<Self, ListError> {
        Ok(Self(overrides(Path::new(""), globs)?))
    }

    /// Returns true if a listing with these globs would include `file`.
    #[must_use]
    pub fn matches(&self, file: &RepoPath) -> bool {
        !self.0.matched(file.as_str(), false).is_ignore()
    }
}

/// The result of a list query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Files in path order. Secret files are listed as well, although they cannot be read.
    pub files: Vec<RepoPath>,
    /// Number of files before the limit was applied.
    pub total: u32,
    /// Counts of files that are missing from `files`, or that we cannot read.
    pub withheld: Withheld,
    /// Number of folder entries that we saw on the way, which is a measure of the work done.
    #[serde(skip)]
    pub entries: u64,
}

impl Listing {
    /// Returns true if the limit cut the list.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.files.len() < self.total as usize
    }
}

/// Files that a listing or search had to skip, counted by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Files that are secret by their path.
    pub secret: u32,
    /// Files whose name is not UTF-8, or looks like a path outside of the repository (`C:/x`). We
    /// cannot list these.
    pub not_utf8: u32,
    /// Files larger than [`crate::MAX_FILE_BYTES`].
    pub too_large: u32,
    /// Files and folders that we cannot read, usually for lack of permission.
    pub unreadable: u32,
    /// Files in UTF-16 or UTF-32 that a search would match. We cannot show their lines.
    #[serde(default)]
    pub wide_text: u32,
    /// Files that begin as text but have a NUL byte further on. We treat them as binary, although
    /// that may be wrong for some.
    #[serde(default)]
    pub nul_text: u32,
    /// Ignore files that we did not apply, because they are too large, unreadable, links that we
    /// do not follow, or not even regular files. This means that the result may contain files that
    /// should have been excluded.
    #[serde(default)]
    pub unheeded: u32,
}

impl Withheld {
    pub(crate) fn counts(&self) -> [u32; 6] {
        [
            self.secret,
            // `unheeded` isn't included, because it counts ignore files and not files that are
            // missing from the result.
            self.not_utf8,
            self.too_large,
            self.unreadable,
            self.wide_text,
            self.nul_text,
        ]
    }

    /// Returns the sum of all counts, except for ignore files.
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

    /// A file that vanished during the walk is not counted: there is nothing to read any more.
    pub(crate) fn count(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Secret { .. } => self.secret += 1,
            Refusal::TooLarge { .. } => self.too_large += 1,
            Refusal::Missing => {}
            _ => self.unreadable += 1,
        }
    }
}

/// Reason why files could not be listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// We cannot visit a path in the query.
    #[error("cannot list files in `{path}`: {refusal}; give a folder or file of the repository")]
    Scope {
        /// The path as given in the query.
        path: RepoPath,
        /// The reason why it cannot be visited.
        refusal: Refusal,
    },
    /// A glob in the query is not valid.
    #[error("`{glob}` is not a glob: {message}; globs look like `src/**/*.rs` or `!*.md`")]
    Glob {
        /// The glob as given in the query.
        glob: String,
        /// Describes what is wrong with the glob.
        message: String,
    },
    /// The caller cancelled before the walk was done.
    #[error("cancelled before all files were listed")]
    Cancelled,
}

pub(crate) struct WalkedFile<'a> {
    pub(crate) absolute: &'a Path,
    /// Relative to the root, with `/`.
    pub(crate) path: &'a str,
}

/// Receives the files that a walk finds. Each thread has its own visitor, so visitors need no
/// locks.
pub(crate) trait Visitor: Send {
    /// Called for every file that is not in git's folders, in any order.
    fn file(&mut self, file: &WalkedFile<'_>);
    /// Called for every visited folder, including the root, before we read its entries.
    fn folder(&mut self, _absolute: &Path) {}
    /// Called whenever we try to read an ignore file.
    ///
    /// The signature is taken after reading, and is `None` if there is no such file. With it, a
    /// search can later notice a new or changed ignore file.
    fn rules(&mut self, _absolute: PathBuf, _signature: Option<Signature>) {}
    fn withheld(&mut self) -> &mut Withheld;
}

/// A walk for a query with valid paths and globs.
pub(crate) struct Walker<'a> {
    repo: &'a Repo,
    hidden: bool,
    globs: Override,
    folders: GlobFolders,
    scopes: Scopes,
    entries: AtomicU64,
}

/// The paths in the query, relative to the root and free of links.
///
/// A walk from the root marks the paths that it reaches. Those that it does not reach, because an
/// ignore file excludes them, need a walk of their own.
struct Scopes {
    root: PathBuf,
    /// Git's folders inside of the root, if they are not called `.git`.
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
        // If the root itself is among the paths, the others make no difference.
        if paths.iter().any(|path| path.as_os_str().is_empty()) {
            paths.clear();
        }
        let git = repo.guard().git_folders().to_vec();
        Ok(Self {
            repo,
            hidden: query.hidden,
            globs: overrides(repo.root(), &query.globs)?,
            folders: GlobFolders::of(&query.globs),
            scopes: Scopes {
                root: repo.root().to_owned(),
                git,
                reached: paths.iter().map(|_| AtomicBool::new(false)).collect(),
                paths: paths.into_iter().collect(),
            },
            entries: AtomicU64::new(0),
        })
    }

    /// Number of files and folders visited. Unlike the time of a walk, it does not depend on the
    /// number of threads.
    pub(crate) fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Walks with one visitor per thread, and returns the visitors. It varies between runs how many
    /// there are and which of them gets which files, so callers have to sort what they collect.
    pub(crate) fn walk<V: Visitor>(
        &self,
        cancel: &Cancel,
        make: &(dyn Fn() -> V + Sync),
    ) -> Result<Vec<V>, ListError> {
        let mut visitors = self.walk_from(self.repo.root(), true, cancel, make);
        let mut before: Vec<&Path> = Vec::new();
        // The first walk doesn't reach ignored or hidden paths, even if the query names them. Start
        // another walk from each of these.
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

    /// Decides if we visit the entry at `path`. Checks the scopes, the globs, the ignore rules and
    /// hidden names, in this order.
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
        let relative = path.strip_prefix(self.repo.root());
        // The globs may rule out everything in a folder. Don't descend into it then.
        if is_folder && relative.is_ok_and(|folder| !self.folders.lead_through(folder)) {
            return false;
        }
        // The caller's globs override the repository's ignore rules, as in `rg`.
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
    /// Returns true if `path` is within the query's paths, or if it is a folder that leads to one
    /// of them.
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

    /// Marks `absolute` as reached if the query names it.
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

    /// Returns the path below the root, with `/` as separator. Returns `None` if the path is not
    /// UTF-8, or if it looks like a path outside of the repository (`C:/x`).
    ///
    /// The walk only ever appends to the root, so we can just cut off the root's bytes. Comparing
    /// part by part would be many times slower, and we do this for every file.
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

/// Lists all files that `query` finds. Ignores its limit.
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
