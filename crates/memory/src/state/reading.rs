use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use windlass_base::{Cancel, RepoPath, Source, in_parallel};
use windlass_redact::redact_for_cache;
use windlass_repo::{ListError, ListQuery, Snapshot};
use windlass_store::{RootedPath, list_folder, other_at};

use crate::records::kind::RecordKind;
use crate::state::known::{KnownFiles, Marks};
use crate::state::memory::Memory;
use crate::state::memory_files::{Contents, Files};
use crate::texts::layout::{FEEDBACK, FOLDER, IMPRESSIONS, PRIVATE, is_private};
use crate::texts::line_bytes;

/// Number of files read by a thread at a time.
const PIECE: usize = 64;
/// Maximum depth at which we search for folders that can't be listed.
const MAX_DEPTH: usize = 16;

/// Files that may contain instructions for agents.
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
    /// Reads a repository's whole memory from `snapshot`. A missing memory is empty, see
    /// [`Memory::is_there`].
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub fn of_snapshot(snapshot: &Snapshot) -> Result<Self, ListError> {
        let (mut memory, _) = Self::knowing(snapshot, &KnownFiles::default(), &Marks::default())?;
        let links = linked(&memory);
        memory.files.odd.extend(odd_among(&links, snapshot));
        let linked = linked_outside(&memory, links, snapshot);
        memory.files.outside.extend(linked);
        memory.files.inner_ignores = inner_ignores(snapshot);
        Ok(memory)
    }

    /// Reads the memory for a search or a small change. A file whose state in `marks` equals its
    /// state in `known` is read only on demand, and link targets aren't looked up. Also returns the
    /// new cache if it differs from `known`.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be listed.
    pub fn knowing(
        snapshot: &Snapshot,
        known: &KnownFiles,
        marks: &Marks,
    ) -> Result<(Self, Option<KnownFiles>), ListError> {
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
            return Ok((Self::read(files), None));
        };
        let query = ListQuery {
            paths: vec![folder],
            hidden: true,
            ..ListQuery::default()
        };
        let listing = snapshot.list(&query, &Cancel::default())?;
        if listing.withheld.unreadable > 0 {
            files.closed = closed_folders(repo.root());
        }
        let paths = listing.files.into_iter();
        let (exposed, shared): (Vec<_>, Vec<_>) = paths.partition(|path| is_private(path.as_str()));
        files.exposed = exposed;
        let (unnamed, shared) = by_their_names(shared);
        files.unnamed = unnamed;
        let changed = known.apply(snapshot, shared, marks, &mut files);
        let contents = in_parallel(&changed, repo.threads(), PIECE, |paths| {
            let read = paths
                .iter()
                .map(|path| (path.clone(), Contents::of(snapshot, path)));
            read.collect::<Vec<_>>()
        });
        files.files.extend(contents.into_iter().flatten());
        let mut memory = Self::read_on(repo.threads(), files);
        let routes = routed(&memory);
        memory.files.odd = odd_among(&routes, snapshot);
        memory.files.outside = routed_outside(&memory, routes, snapshot);
        let now = known.renewed(&memory, marks, changed.is_empty());
        Ok((memory, now))
    }
}

/// Returns the memory's folders that can't be listed, except private ones.
fn closed_folders(root: &Path) -> Vec<RepoPath> {
    let mut closed = Vec::new();
    let mut open = vec![(RootedPath::new(root).join(FOLDER), FOLDER.to_owned(), 0)];
    while let Some((folder, name, depth)) = open.pop() {
        let Ok(listed) = list_folder(&folder) else {
            closed.extend(RepoPath::parse(&name));
            continue;
        };
        if depth == MAX_DEPTH {
            continue;
        }
        for inner in listed.folders {
            let own = inner.file_name().map(|own| own.to_string_lossy());
            let name = format!("{name}/{}", own.unwrap_or_default());
            if !is_private(&format!("{name}/")) {
                open.push((inner, name, depth + 1));
            }
        }
    }
    closed.sort();
    closed
}

/// Splits `paths` into those whose names contain a secret, and all others.
fn by_their_names(paths: Vec<RepoPath>) -> (Vec<RepoPath>, Vec<RepoPath>) {
    // Scan all names at once, because one scan per path is slow.
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

/// Returns the link targets that have been neither read nor looked up yet.
fn linked(memory: &Memory) -> BTreeSet<RepoPath> {
    let links = memory.records.values().flat_map(|record| {
        let links = record.links().iter();
        links.filter_map(|link| record.target_of(link)?.ok())
    });
    let is_apart =
        |path: &RepoPath| !memory.files.has(path) && !memory.files.outside.contains_key(path);
    links.filter(is_apart).collect()
}

/// Returns the routes of impressions whose targets weren't read with the folder.
fn routed(memory: &Memory) -> BTreeSet<RepoPath> {
    let routes = memory
        .impressions
        .iter()
        .filter_map(|one| RepoPath::parse(&one.record_path).ok());
    routes.filter(|path| !memory.files.has(path)).collect()
}

/// For each of `paths` in the memory's folder, returns the first part of it that is a link, a pipe
/// or the like, if any. A folder named like a record counts as well.
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

/// Looks up if each of `links` exists. If we can't tell, it counts as existing, so that it isn't
/// reported as broken.
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

/// Looks up if each of `routes`, the record paths in impressions, can be read. If we can't tell, it
/// counts as readable, so that it isn't reported as missing.
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
    /// Reads the file at `path`. Without valid text, the result is the reason.
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
            // A line with invalid bytes is set aside later. The other lines stay usable.
            return match line_bytes::as_text(source.bytes()) {
                Some(text) => Self::Text(Source::new(path.as_str(), text).into()),
                None => {
                    Self::NoText("it contains reserved characters (U+10FF80 and above)".to_owned())
                }
            };
        }
        match std::str::from_utf8(source.bytes()) {
            Ok(text) if !source.is_binary() => Self::Text(Source::new(path.as_str(), text).into()),
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
        Contents::Text(text) => Some(Arc::clone(text.source())),
        Contents::NoText(_) => None,
    }
}

/// Returns the ignore files in the memory's folder and in its private folders.
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

/// Returns true if a file with instructions for agents mentions the memory, or `None` if there's no
/// such file.
fn rules(snapshot: &Snapshot) -> Option<bool> {
    let texts = RULES.iter().filter_map(|path| text_of(snapshot, path));
    let speak = texts.map(|source| {
        ["memory/", "windlass memory"]
            .iter()
            .any(|words| source.text().contains(words))
    });
    speak.reduce(|one, other| one || other)
}
