//! Reads a memory from the repository.
//!
//! There are two variants. [`Memory::of_snapshot`] also looks up the targets of all links, which
//! takes a call to the file system per target; a check needs that. A search or a small change does
//! without.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{Cancel, RepoPath, Source, in_parallel};
use windlass_redact::redact_for_cache;
use windlass_repo::{ListError, ListQuery, Snapshot};
use windlass_store::{RootedPath, other_at};

use crate::records::kind::RecordKind;
use crate::state::memory::Memory;
use crate::state::memory_files::{Contents, Files};
use crate::state::walk::closed_folders;
use crate::texts::layout::{FEEDBACK, FOLDER, IMPRESSIONS, PRIVATE, is_private};
use crate::texts::line_bytes;

/// Number of files that a thread reads at a time.
const PIECE: usize = 64;

/// Files with instructions for agents. If one of them mentions the memory, agents will use it.
const RULES: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
];

impl Memory {
    /// Reads the whole memory of a repository, and looks up all link targets.
    ///
    /// If there is no memory, the result is empty. Use [`Memory::is_there`] to find out.
    ///
    /// # Errors
    /// Returns an error if the folder is unreadable.
    pub fn of_snapshot(snapshot: &Snapshot) -> Result<Self, ListError> {
        let mut memory = Self::without_links(snapshot)?;
        let links = linked(&memory);
        memory.files.odd.extend(odd_among(&links, snapshot));
        let linked = linked_outside(&memory, links, snapshot);
        memory.files.outside.extend(linked);
        memory.files.inner_ignores = inner_ignores(snapshot);
        Ok(memory)
    }

    /// Like [`of_snapshot`](Self::of_snapshot), but without looking up link targets.
    ///
    /// # Errors
    /// Returns an error if the folder is unreadable.
    pub(crate) fn without_links(snapshot: &Snapshot) -> Result<Self, ListError> {
        let repo = snapshot.repo();
        let ignore = text_of(snapshot, ".gitignore");
        let mut files = Files {
            has_odd_ignore: ignore.is_none() && is_there(snapshot, ".gitignore"),
            ignore,
            rules: rules(snapshot),
            ..Files::default()
        };
        let folder = RepoPath::parse(FOLDER);
        let (true, Ok(folder)) = (
            RootedPath::new(repo.root()).join(FOLDER).is_folder(),
            folder,
        ) else {
            return Ok(Self::read(files));
        };
        let query = ListQuery {
            paths: vec![folder],
            hidden: true,
            ..ListQuery::default()
        };
        // The listing only tells us that something was unreadable, so look for the folders
        // ourselves.
        let listing = snapshot.list(&query, &Cancel::default())?;
        if listing.withheld.unreadable > 0 {
            files.closed = closed_folders(&RootedPath::new(repo.root()));
        }
        let paths = listing.files.into_iter();
        let (exposed, shared): (Vec<_>, Vec<_>) = paths.partition(|path| is_private(path.as_str()));
        files.exposed = exposed;
        let (unnamed, shared) = by_their_names(shared);
        files.unnamed = unnamed;
        let contents = in_parallel(&shared, repo.threads(), PIECE, |paths| {
            let read = paths
                .iter()
                .map(|path| (path.clone(), Contents::of(snapshot, path)));
            read.collect::<Vec<_>>()
        });
        files.files = contents.into_iter().flatten().collect();
        let mut memory = Self::read_on(repo.threads(), files);
        let routes = routed(&memory);
        memory.files.odd = odd_among(&routes, snapshot);
        memory.files.outside = routed_outside(&memory, routes, snapshot);
        Ok(memory)
    }
}

/// Splits off the paths with a secret in their name.
fn by_their_names(paths: Vec<RepoPath>) -> (Vec<RepoPath>, Vec<RepoPath>) {
    // A scan per path would be slow. Instead, join the names and scan the text once, so that line N
    // is the Nth path.
    let lines: Vec<String> = paths
        .iter()
        .map(|path| path.as_str().replace(['\n', '\r'], " "))
        .collect();
    let (_, secrets) = redact_for_cache(&lines.join("\n"));
    let secret: BTreeSet<usize> = secrets.iter().map(|one| one.line as usize).collect();
    let numbered = (1usize..).zip(paths);
    let (unnamed, others): (Vec<_>, Vec<_>) =
        numbered.partition(|(number, _)| secret.contains(number));
    let paths = |numbered: Vec<(usize, RepoPath)>| numbered.into_iter().map(|(_, path)| path);
    (paths(unnamed).collect(), paths(others).collect())
}

/// Link targets that we have neither read nor looked up yet.
fn linked(memory: &Memory) -> BTreeSet<RepoPath> {
    let links = memory.records.values().flat_map(|record| {
        let links = record.links().iter();
        links.filter_map(|link| record.target_of(link)?.ok())
    });
    let is_apart =
        |path: &RepoPath| !memory.files.has(path) && !memory.files.outside.contains_key(path);
    links.filter(is_apart).collect()
}

fn routed(memory: &Memory) -> BTreeSet<RepoPath> {
    let routes = memory
        .impressions
        .iter()
        .filter_map(|one| RepoPath::parse(&one.record_path).ok());
    routes.filter(|path| !memory.files.has(path)).collect()
}

/// For each path in the memory's folder, finds the first component that is a link, a pipe or the
/// like. A folder counts as well if it has the name of a record, such as `decisions/x.md/`.
fn odd_among(paths: &BTreeSet<RepoPath>, snapshot: &Snapshot) -> BTreeMap<RepoPath, &'static str> {
    let root = RootedPath::new(snapshot.repo().root());
    let odd = |path: &RepoPath| {
        let inner = path.as_str().strip_prefix(FOLDER)?.strip_prefix('/')?;
        let ends = inner.match_indices('/').map(|(end, _)| end);
        let mut ways = ends.chain([inner.len()]).map(|end| &inner[..end]);
        ways.find_map(|way| {
            let way = format!("{FOLDER}/{way}");
            let place = root.join(&way);
            let is_record = || RecordKind::of_path(&way).is_some();
            let what = match other_at(&place) {
                Some(kind) => kind.as_str(),
                None if is_record() && place.is_folder() => "a folder",
                None => return None,
            };
            Some((RepoPath::parse(&way).ok()?, what))
        })
    };
    paths.iter().filter_map(odd).collect()
}

/// Checks if the targets of links exist. In doubt, we assume that they do, since we would report a
/// link as broken otherwise.
fn linked_outside(
    memory: &Memory,
    links: BTreeSet<RepoPath>,
    snapshot: &Snapshot,
) -> BTreeMap<RepoPath, bool> {
    let there = |path: &RepoPath| {
        let place = snapshot.repo().place_for(path);
        let is_there = place.is_ok_and(|place| place.try_exists().unwrap_or(true));
        is_there || memory.files.is_closed(path)
    };
    let links = links.into_iter().map(|path| {
        let is_there = there(&path);
        (path, is_there)
    });
    links.collect()
}

/// Checks if the targets of routes can be read. In doubt, we assume that they can, since we would
/// report a target as missing otherwise.
fn routed_outside(
    memory: &Memory,
    routes: BTreeSet<RepoPath>,
    snapshot: &Snapshot,
) -> BTreeMap<RepoPath, bool> {
    let routes = routes.into_iter().map(|path| {
        let is_there = memory.files.is_closed(&path) || snapshot.read(&path).is_ok();
        (path, is_there)
    });
    routes.collect()
}

impl Contents {
    /// Reads a file, or finds out why there is no text in it.
    #[must_use]
    pub fn of(snapshot: &Snapshot, path: &RepoPath) -> Self {
        let source = match snapshot.read(path) {
            Ok(source) => source,
            Err(refusal) => return Self::NoText(refusal.to_string()),
        };
        if matches!(path.as_str(), IMPRESSIONS | FEEDBACK)
            && !source
                .why_no_text()
                .is_some_and(|why| why.starts_with("in "))
        {
            // A single bad byte shouldn't make all lines unusable. Keep the invalid bytes for now;
            // the line with them will be set aside later.
            return match line_bytes::as_text(source.bytes()) {
                Some(text) => Self::Text(Source::new(path.as_str(), text)),
                None => {
                    Self::NoText("it contains reserved characters (U+10FF80 and above)".to_owned())
                }
            };
        }
        match std::str::from_utf8(source.bytes()) {
            Ok(text) if !source.is_binary() => Self::Text(Source::new(path.as_str(), text)),
            Ok(_) => Self::NoText("it is binary".to_owned()),
            Err(_) => {
                let why = source.why_no_text().unwrap_or("not UTF-8");
                Self::NoText(format!("it is {why}"))
            }
        }
    }
}

fn text_of(snapshot: &Snapshot, path: &str) -> Option<Arc<Source>> {
    match Contents::of(snapshot, &RepoPath::parse(path).ok()?) {
        Contents::Text(source) => Some(source),
        Contents::NoText(_) => None,
    }
}

/// Reads the ignore files in the memory's folder and in its private folders.
fn inner_ignores(snapshot: &Snapshot) -> BTreeMap<RepoPath, Arc<Source>> {
    let private = PRIVATE
        .iter()
        .filter_map(|pattern| pattern.strip_suffix('/'));
    let inner = std::iter::once(FOLDER).chain(private).filter_map(|folder| {
        let source = text_of(snapshot, &format!("{folder}/.gitignore"))?;
        Some((RepoPath::parse(folder).ok()?, source))
    });
    inner.collect()
}

fn is_there(snapshot: &Snapshot, path: &str) -> bool {
    let place = RepoPath::parse(path).ok();
    let place = place.and_then(|path| snapshot.repo().place_for(&path).ok());
    place.is_some_and(|place| place.exists())
}

/// True if the instructions for agents mention the memory. `None` if there are no such files.
fn rules(snapshot: &Snapshot) -> Option<bool> {
    let texts = RULES.iter().filter_map(|path| text_of(snapshot, path));
    let speak = texts.map(|source| {
        ["memory/", "windlass memory"]
            .iter()
            .any(|words| source.text().contains(words))
    });
    speak.reduce(|one, other| one || other)
}
