//! Neighbors of relevant files: the files that they import, the files that import them, and those
//! that have changed together with them. We also add the owners of a relevant file to its reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::file_index::FileIndex;
use windlass_base::{RepoPath, in_parallel};
use windlass_outline::{Language, Limits, imports};
use windlass_repo::{CODE_OWNERS_FILES, CodeOwners, SearchQuery, Snapshot, Steps};

use crate::compose::ground::Ground;

use super::file_cases::{Cases, speak};

/// Maximum number of relevant files whose neighbors we look for.
const MAX_SEEDS: usize = 10;
/// Minimum rank of these files.
const SEED: u32 = 150;
/// Maximum number of files that we read because they may import a relevant one.
const MAX_IMPORTERS: usize = 60;
/// Number of recent commits that we look at.
const COMMITS: usize = 150;
/// A commit with more files than this does not tell which of them belong together.
const MAX_COMMIT: usize = 25;
/// Of the changes of a neighbor, at least one in this many must be a change of a relevant file as
/// well.
const TELLING: u32 = 3;

pub(super) struct Neighbours<'b, 'w>(pub(super) &'b Ground<'w>);

impl Neighbours<'_, '_> {
    pub(super) fn beside(&self, cases: &mut Cases) {
        let mut seeds: Vec<(u32, RepoPath)> = cases
            .iter()
            .filter(|(_, case)| case.rank >= SEED)
            .map(|(path, case)| (case.rank, path.clone()))
            .collect();
        seeds.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let seeds: Vec<RepoPath> = seeds
            .into_iter()
            .take(MAX_SEEDS)
            .map(|(_, path)| path)
            .collect();
        if seeds.is_empty() {
            return;
        }
        let index = FileIndex::new(self.0.files.iter().map(RepoPath::as_str));
        if windlass_base::is_on("context.imported") {
            self.imported(&seeds, &index, cases);
        }
        if windlass_base::is_on("context.importing") {
            self.importing(&seeds, &index, cases);
        }
        if windlass_base::is_on("context.together") {
            self.changed_together(&seeds, cases);
        }
    }

    /// The files that each of `files` imports, as far as they are in the repository.
    fn imports_of(
        &self,
        files: &[RepoPath],
        index: &FileIndex<'_>,
    ) -> Vec<(RepoPath, BTreeSet<String>)> {
        let threads = self.0.threads();
        let read = |path: &RepoPath| {
            let language = Language::of_path(path.as_str());
            let file = self
                .0
                .snapshot
                .read(path)
                .ok()
                .filter(|file| !file.is_binary());
            let found = match (language, file) {
                (Some(language), Some(file)) => {
                    imports(language, &file.shown().bytes(), Limits::default()).unwrap_or_default()
                }
                _ => Vec::new(),
            };
            let resolved = found
                .iter()
                .filter_map(|it| index.resolve(path.as_str(), &it.path));
            (path.clone(), resolved.map(str::to_owned).collect())
        };
        let found = in_parallel(files, threads, 4, |some| {
            some.iter().map(read).collect::<Vec<_>>()
        });
        found.into_iter().flatten().collect()
    }

    fn imported(&self, seeds: &[RepoPath], index: &FileIndex<'_>, cases: &mut Cases) {
        for (seed, found) in self.imports_of(seeds, index) {
            for name in found {
                if let Ok(path) = RepoPath::parse(&name) {
                    speak(cases, &path, 90, &format!("`{seed}` imports it"));
                }
            }
        }
    }

    fn importing(&self, seeds: &[RepoPath], index: &FileIndex<'_>, cases: &mut Cases) {
        let stems: BTreeSet<String> = seeds
            .iter()
            .filter_map(|path| name_in_imports(path.as_str()))
            .collect();
        if stems.is_empty() {
            return;
        }
        let names: Vec<&str> = stems.iter().map(String::as_str).collect();
        let query = SearchQuery {
            pattern: format!(
                r"\b(use|mod|pub use|import|from|include|require)\b.*\b({})\b",
                names.join("|")
            ),
            max_matches: 1_000,
            first_only: true,
            ..SearchQuery::default()
        };
        let Ok(found) = self.0.snapshot.search(&query, &self.0.cancel) else {
            return;
        };
        let candidates: Vec<RepoPath> = found
            .files
            .iter()
            .map(|file| file.path.clone())
            .take(MAX_IMPORTERS)
            .collect();
        for (path, found) in self.imports_of(&candidates, index) {
            for seed in seeds
                .iter()
                .filter(|seed| found.contains(seed.as_str()) && **seed != path)
            {
                speak(cases, &path, 70, &format!("it imports `{seed}`"));
            }
        }
    }

    /// Ranks the files that have changed together with a relevant file in the last [`COMMITS`].
    fn changed_together(&self, seeds: &[RepoPath], cases: &mut Cases) {
        let Some(steps) = lately(&self.0.snapshot) else {
            return;
        };
        // For each file, the number of its changes together with a relevant file, and of all its
        // changes.
        let mut times: BTreeMap<&RepoPath, (u32, u32)> = BTreeMap::new();
        for step in steps.iter().filter(|step| step.changes.len() <= MAX_COMMIT) {
            let paths = step
                .changes
                .iter()
                .filter_map(|it| Some(&it.to.as_ref()?.path));
            let paths: BTreeSet<&RepoPath> = paths.collect();
            let is_together = seeds.iter().any(|seed| paths.contains(seed));
            for path in paths {
                let (together, all) = times.entry(path).or_default();
                *together += u32::from(is_together);
                *all += 1;
            }
        }
        for (path, (together, all)) in times {
            let is_there = self.0.files.binary_search(path).is_ok();
            // A lock file or a changelog changes all the time, so it changes together with any
            // other file. That doesn't mean anything.
            let is_telling = together >= 2 && together * TELLING >= all;
            if is_telling && is_there && !seeds.contains(path) {
                let why = format!(
                    "{together} of the last commits changed it together with relevant files"
                );
                speak(cases, path, 20 * together.min(5), &why);
            }
        }
    }

    pub(super) fn owned(&self, cases: &mut Cases) {
        let text = CODE_OWNERS_FILES.iter().find_map(|place| {
            let path = RepoPath::parse(place).ok()?;
            self.0.snapshot.read(&path).ok()
        });
        let Some(file) = text else { return };
        let owners = CodeOwners::read(&String::from_utf8_lossy(&file.shown().bytes()));
        for (path, case) in cases {
            let owned = owners.of(path.as_str());
            if !owned.is_empty() {
                case.why.insert(format!("owned by {}", owned.join(", ")));
            }
        }
    }
}

/// The result of [`lately`], which we cache along with the snapshot.
#[derive(Default)]
struct Lately(OnceLock<Option<Steps>>);

/// Returns the changes of the last commits, or `None` if git fails. If several threads call this at
/// the same time, one of them asks git and the others wait.
pub(crate) fn lately(snapshot: &Snapshot) -> Option<Steps> {
    let lately = snapshot.kept::<Lately>();
    let asked = lately.0.get_or_init(|| {
        let parents = snapshot.history().first_parents(COMMITS);
        snapshot.history().steps_since(parents.last()?).ok()
    });
    asked.clone()
}

/// The name by which other files import a file, or `None` if it is too common to search for.
fn name_in_imports(path: &str) -> Option<String> {
    let file = path.rsplit('/').next()?;
    let (stem, _) = file.rsplit_once('.')?;
    let name = match stem {
        "mod" | "lib" | "index" | "__init__" | "main" => path.rsplit('/').nth(1)?,
        stem => stem,
    };
    let is_name = name.len() > 2 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}
