//! Walking the files of a repository: what `rg --files` would list, the same on every machine.

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

/// The files to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct ListQuery {
    /// Folders and files to stay within; none means the whole repository. A path that is named here is
    /// looked at even when an ignore file leaves it out.
    pub paths: Vec<RepoPath>,
    /// Globs as `rg -g` takes them: with some that do not start with `!`, only files that match one; those
    /// that start with `!` leave files out; later ones win. Relative to the root.
    pub globs: Vec<String>,
    /// True if to look at hidden files and folders (`.github`). Git's own folder is never looked at.
    pub hidden: bool,
    /// The number of files to name, in the order of their paths; `None` for all.
    pub limit: Option<u32>,
}

impl ListQuery {
    /// Checks that a glob has a meaning, as a listing would find.
    ///
    /// # Errors
    /// [`ListError::Glob`] when it has none.
    pub fn check_glob(glob: &str) -> Result<(), ListError> {
        overrides(Path::new("."), &[glob.to_owned()]).map(drop)
    }
}

/// Globs, as [`ListQuery::globs`] takes them, for paths that are known already.
#[derive(Debug, Clone)]
pub struct GlobSet(Override);

impl GlobSet {
    /// These globs.
    ///
    /// # Errors
    /// [`ListError::Glob`] when one of them has no meaning.
    pub fn new(globs: &[String]) -> Result<Self, ListError> {
        Ok(Self(overrides(Path::new(""), globs)?))
    }

    /// True if a listing of all files with these globs would name `file`.
    #[must_use]
    pub fn matches(&self, file: &RepoPath) -> bool {
        !self.0.matched(file.as_str(), false).is_ignore()
    }
}

/// The files that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// In the order of their paths. Secret files are named, too; reading them is refused.
    pub files: Vec<RepoPath>,
    /// The number of files without the limit.
    pub total: u32,
    /// The files that were left out, or cannot be read.
    pub withheld: Withheld,
    /// The number of files and folders that were looked at for it, also those that it does not name.
    #[serde(skip)]
    pub entries: u64,
}

impl Listing {
    /// True if the limit left files out.
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
    /// The name is no UTF-8, or would be taken for a path outside of the repository (`C:/x`); such files are not named.
    pub not_utf8: u32,
    /// Larger than [`crate::MAX_FILE_BYTES`].
    pub too_large: u32,
    /// Files and folders the operating system does not let us read.
    pub unreadable: u32,
    /// Text in UTF-16 or UTF-32 that has what was searched for, and is not shown.
    #[serde(default)]
    pub wide_text: u32,
    /// Files that begin as text and have a NUL byte further on, so that they are taken for binary.
    #[serde(default)]
    pub nul_text: u32,
    /// Ignore files that do not count, since they are links to elsewhere, no files, too large or not readable: what they
    /// would leave out was looked into.
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

    /// All of them, without ignore files.
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

/// The reason why files cannot be listed.
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
    /// Called for every ignore file that was asked for, with its signature from after it was read; `None` where there is
    /// none.
    fn rules(&mut self, _absolute: PathBuf, _signature: Option<Signature>) {}
    /// What was withheld on the way.
    fn withheld(&mut self) -> &mut Withheld;
}

/// A checked query, ready to walk.
pub(crate) struct Walker<'a> {
    repo: &'a Repo,
    hidden: bool,
    globs: Override,
    scopes: Scopes,
    /// How many entries of folders were looked at.
    entries: AtomicU64,
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

    /// How many files and folders were looked at: the same whoever walked, and with how many threads.
    pub(crate) fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Shows every file to a visitor and gives the visitors back. How many there are, and who sees which
    /// file, differs from one time to the next.
    pub(crate) fn walk<V: Visitor>(
        &self,
        cancel: &Cancel,
        make: &(dyn Fn() -> V + Sync),
    ) -> Result<Vec<V>, ListError> {
        let mut visitors = self.walk_from(self.repo.root(), true, cancel, make);
        let mut before: Vec<&Path> = Vec::new();
        // The named paths that an ignore file, or their being hidden, kept the walk from.
        for (path, reached) in self.scopes.paths.iter().zip(&self.scopes.reached) {
            // The paths are sorted, so that a folder comes before what lies in it.
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

    /// Whether to look at the entry at `path`, or to go into it. Only what lies in the repository decides: no ignore
    /// files above the root, and none of the user's own.
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
        // What the caller says counts more than what the repository says.
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

    /// Shows the file at `absolute` to `visitor`.
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
    /// Whether the entry at `path` is among them, or leads to them.
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

    /// Remembers that the walk came to `absolute`, if that is one of them.
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

    /// The path below the root with `/`; `None` when it is no UTF-8, or would not be taken for a path inside
    /// the repository (`C:/x`).
    ///
    /// The walk only ever appends to the root. Cutting bytes off is many times faster than comparing part
    /// by part, and this is done for every file.
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
    listing.entries = walker.entries();
    listing.total = u32::try_from(listing.files.len()).unwrap_or(u32::MAX);
    Ok(listing)
}
