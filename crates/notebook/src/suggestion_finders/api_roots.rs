//! The files that say what a library offers.

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, SearchQuery, Snapshot};

use super::conventions::{BESIDE_THE_POINT, Language};
use super::file_survey::{Survey, depth};
use super::{api, tables};

/// The most files that are said to be the root of an API.
const MAX_ROOTS: usize = 10;

/// The files that say what the library offers: those that its manifests lead to, or else those nearest to the root
/// that have the name for it. None without a line that offers something.
pub(super) fn api_roots(
    snapshot: &Snapshot,
    language: &Language,
    files: &[RepoPath],
) -> Vec<RepoPath> {
    if language.offers.is_empty() {
        return Vec::new();
    }
    let whole_folder = language.roots.iter().any(|root| root.starts_with('*'));
    if !whole_folder {
        let mut led_to = api_files(snapshot);
        led_to.retain(|file| language.writes(file));
        let found = that_offer(snapshot, language, led_to);
        if !found.is_empty() {
            return found.into_iter().take(MAX_ROOTS).collect();
        }
    }
    let named = that_offer(snapshot, language, roots_by_name(language, files));
    let nearest = named.iter().map(depth).min();
    let named = named.into_iter();
    let named = named.filter(|file| Some(depth(file)) == nearest);
    named.take(MAX_ROOTS).collect()
}

/// The files in which libraries say what they give out, as their manifests lead to them; the most telling first.
fn api_files(snapshot: &Snapshot) -> Vec<RepoPath> {
    let cancel = Cancel::default();
    let survey = Survey::new(snapshot, &cancel, tables::PATTERN);
    let mut files: Vec<RepoPath> = Vec::new();
    for candidate in api::find(&survey) {
        if !files.contains(&candidate.file) {
            files.push(candidate.file);
        }
    }
    files
}

/// Those of `files` that have a line which offers something.
fn that_offer(snapshot: &Snapshot, language: &Language, files: Vec<RepoPath>) -> Vec<RepoPath> {
    if files.is_empty() {
        return files;
    }
    let query = SearchQuery {
        pattern: language.offers.to_owned(),
        scope: ListQuery {
            paths: files.clone(),
            ..ListQuery::default()
        },
        max_matches_per_file: Some(1),
        max_matches: u32::try_from(files.len()).unwrap_or(u32::MAX),
        ..SearchQuery::default()
    };
    let found = snapshot
        .search(&query, &Cancel::default())
        .unwrap_or_default();
    let offers = |file: &RepoPath| found.files.iter().any(|found| found.path == *file);
    files.into_iter().filter(offers).collect()
}

/// Files whose names say that they are the root of an API.
fn roots_by_name(language: &Language, files: &[RepoPath]) -> Vec<RepoPath> {
    let beside = |file: &RepoPath| {
        let mut folders = BESIDE_THE_POINT.iter().chain(&["testdata"]);
        folders.any(|folder| file.as_str().split('/').any(|part| part == *folder))
    };
    let is_root = |file: &&RepoPath| {
        let name = file.file_name();
        let is_one = language
            .roots
            .iter()
            .any(|root| match root.strip_prefix('*') {
                Some(ending) => {
                    depth(file) == 0 && name.ends_with(ending) && !name.ends_with("_test.go")
                }
                None => name == *root,
            });
        is_one && !beside(file)
    };
    files.iter().filter(is_root).cloned().collect()
}
