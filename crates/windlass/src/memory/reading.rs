use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{Cancel, RepoPath, Source, in_parallel};
use windlass_memory::{Contents, FOLDER, Files, Memory, is_private};
use windlass_repo::{ListQuery, Snapshot};

use crate::{Error, Workspace};

/// Files that a thread reads at a time.
const PIECE: usize = 64;

/// Files in which agents are told what to do.
const RULES: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
];

impl Workspace {
    /// The memory of this repository as it is now. One that is not there is empty ([`Memory::is_there`]).
    ///
    /// # Errors
    /// When the folder cannot be looked through.
    pub fn read_memory(&self, snapshot: &Snapshot) -> Result<Memory, Error> {
        self.finish_memory(snapshot)?;
        self.memory_in(snapshot)
    }

    /// The same, whatever was interrupted.
    pub(super) fn memory_in(&self, snapshot: &Snapshot) -> Result<Memory, Error> {
        let mut files = Files {
            ignore: text_of(snapshot, ".gitignore"),
            rules: rules(snapshot),
            ..Files::default()
        };
        let folder = RepoPath::parse(FOLDER)?;
        if !self.repo().root().join(FOLDER).is_dir() {
            return Ok(Memory::read(files));
        }
        let query = ListQuery {
            paths: vec![folder],
            hidden: true,
            ..ListQuery::default()
        };
        let listing = snapshot.list(&query, &Cancel::default())?;
        let (exposed, shared): (Vec<_>, Vec<_>) = listing
            .files
            .into_iter()
            .partition(|path| is_private(path.as_str()));
        files.exposed = exposed;
        let contents = in_parallel(&shared, self.repo().threads(), PIECE, |paths| {
            let read = paths
                .iter()
                .map(|path| (path.clone(), contents(snapshot, path)));
            read.collect::<Vec<_>>()
        });
        files.files = contents.into_iter().flatten().collect();
        let memory = Memory::read(files);
        let outside = self.outside(&memory, snapshot);
        let files = Files {
            outside,
            ..memory.files.clone()
        };
        Ok(Memory { files, ..memory })
    }

    /// What the memory leads to outside of its folder, and whether it is there.
    fn outside(&self, memory: &Memory, snapshot: &Snapshot) -> BTreeMap<RepoPath, bool> {
        let links = memory.records.values().flat_map(|record| {
            record
                .links
                .iter()
                .filter_map(|link| record.target_of(link)?.ok())
        });
        let routes = memory
            .impressions
            .iter()
            .filter_map(|one| RepoPath::parse(&one.record_path).ok());
        let links: BTreeSet<RepoPath> = links.filter(|path| !memory.files.has(path)).collect();
        let mut outside: BTreeMap<RepoPath, bool> = links
            .into_iter()
            .map(|path| {
                let is_there = self
                    .repo()
                    .place_for(&path)
                    .is_ok_and(|place| place.exists());
                (path, is_there)
            })
            .collect();
        // What is led to is read, so it has to be what may be read.
        for path in routes.filter(|path| !memory.files.has(path)) {
            let is_read = snapshot.read(&path).is_ok();
            outside.insert(path, is_read);
        }
        outside
    }
}

pub(super) fn contents(snapshot: &Snapshot, path: &RepoPath) -> Contents {
    let source = match snapshot.read(path) {
        Ok(source) => source,
        Err(refusal) => return Contents::NoText(refusal.to_string()),
    };
    match std::str::from_utf8(source.bytes()) {
        Ok(text) if !source.is_binary() => Contents::Text(Source::new(path.as_str(), text)),
        Ok(_) => Contents::NoText("binary".to_owned()),
        Err(_) => Contents::NoText(source.why_no_text().unwrap_or("not UTF-8").to_owned()),
    }
}

fn text_of(snapshot: &Snapshot, path: &str) -> Option<Arc<Source>> {
    match contents(snapshot, &RepoPath::parse(path).ok()?) {
        Contents::Text(source) => Some(source),
        Contents::NoText(_) => None,
    }
}

/// Whether a file of rules speaks of the memory; none where there is no such file.
fn rules(snapshot: &Snapshot) -> Option<bool> {
    let texts = RULES.iter().filter_map(|path| text_of(snapshot, path));
    let speak = texts.map(|source| {
        ["memory/", "windlass memory"]
            .iter()
            .any(|words| source.text().contains(words))
    });
    speak.reduce(|one, other| one || other)
}
