//! Searches the files of a repository. The results are those of `rg`, in a fixed order for any
//! number of threads.
//!
//! # Speed
//!
//! Each file is read once per group of searches, into a reused buffer. If a group has several
//! patterns, one pass over the file selects the patterns that may match (`joint_patterns`). We
//! don't hash files without a match: their `stat` signatures are enough to check the search again
//! later. That check looks at the signatures of the folders first, and repeats the walk only if a
//! folder has changed.
//!
//! A file is skipped if it lacks a text required by every match (`required_texts`), and the pattern
//! isn't compiled until some file has all of these texts. From a snapshot's second search on, files
//! without a match are cached in memory, up to a limit (`passed_over`).
//!
//! # Secret values
//!
//! A line with a secret value matches only if it would match for every possible value
//! (`secret_blind`). Otherwise a search could extract the value letter by letter: `password = 'a`,
//! then `password = 'b`, and so on. Scanning for secrets is slow, so we do it only for files with a
//! matching line that may contain one (`windlass_redact::Hints`).

mod joint_patterns;
mod line_matching;
mod looked_at;
mod passed_over;
mod required_texts;
mod search_query;
mod search_worker;
mod searches;
mod secret_blind;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use windlass_base::{Cancel, Digest, RepoPath};

use crate::repository::Repo;
use crate::seen_files::{ChangeKind, SeenFiles};
use crate::walk::{Visitor as _, WalkedFile, Walker};

use joint_patterns::Together;
use line_matching::Pattern;
use looked_at::{Closeness, LookedAt, Seen, Way};
pub use search_query::{CaseMode, FileMatches, LineMatch, SearchError, SearchQuery, SearchResult};
use search_worker::{Finds, Hit, Recheck, Worker, prune};
pub(crate) use searches::Searches;

/// A finished search, with the data needed to check it again.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) result: Arc<SearchResult>,
    /// See [`Searched::answer`].
    answer: OnceLock<Digest>,
    seen: Vec<Seen>,
    /// The compiled pattern. We keep it because compiling takes longer than searching a small
    /// repository.
    pattern: Pattern,
}

impl Searched {
    /// Returns the digest of all matches in all files and of the number of files searched. It's
    /// computed on first use.
    pub(crate) fn answer(&self) -> Digest {
        *self
            .answer
            .get_or_init(|| digest(&answers(&self.seen), &self.result))
    }
}

/// Runs all `queries`, which share one scope. Files with matches are kept in `files`, so that later
/// excerpts come from the state we searched.
fn search(
    files: &SeenFiles,
    searches: &Searches,
    queries: &[SearchQuery],
    cancel: &Cancel,
) -> Result<Vec<Searched>, SearchError> {
    let Some(first) = queries.first() else {
        return Ok(Vec::new());
    };
    let patterns = queries.iter().map(Pattern::new);
    let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
    let together = Together::of(queries);
    let walker = Walker::new(files.repo(), &first.scope)?;
    let make = || Worker::new(files, searches, queries, &patterns, together.as_ref());
    let workers = walker.walk(cancel, &make)?;
    let failed = patterns.iter().find_map(Pattern::failed);
    failed.map_or(Ok(()), Err)?;

    let mut common = SearchResult {
        entries: walker.entries(),
        ..SearchResult::default()
    };
    let mut parts: Vec<Parts<'_>> = queries.iter().map(|_| Vec::new()).collect();
    for worker in workers {
        common.bytes += worker.bytes;
        common.binary_files += worker.binary_files;
        common.withheld.add(worker.withheld);
        let way = Arc::new(worker.way);
        for (parts, part) in parts.iter_mut().zip(worker.finds) {
            parts.push((part, Arc::clone(&way)));
        }
    }
    let all = queries.iter().zip(patterns).zip(parts);
    let merged =
        all.map(|((query, pattern), parts)| merged(files, query, pattern, parts, common.clone()));
    Ok(merged.collect())
}

/// One query's matches from each thread, with the thread's record of the walk.
type Parts<'a> = Vec<(Finds<'a>, Arc<Way>)>;

/// Merges the matches of all threads for one query. `result` holds the counts shared by all
/// queries.
fn merged(
    states: &SeenFiles,
    query: &SearchQuery,
    pattern: Pattern,
    parts: Parts<'_>,
    mut result: SearchResult,
) -> Searched {
    let mut hits: BTreeMap<Box<str>, Hit> = BTreeMap::new();
    let mut seen = Vec::with_capacity(parts.len());
    for (part, way) in parts {
        hits.extend(part.hits);
        let files = part.files;
        seen.push(Seen { files, way });
        result.total_matches += part.total_matches;
        result.withheld.wide_text += part.wide_text;
    }
    prune(&mut hits, query.max_matches as usize);

    result.files_searched = count(seen.iter().map(|seen| seen.files.len()).sum());
    let files = seen.iter().flat_map(|seen| &seen.files);
    result.files_with_matches = count(files.filter(|(_, at)| at.answer.is_some()).count());
    for (path, mut hit) in hits {
        let Ok(path) = RepoPath::parse(&path) else {
            continue;
        };
        if let Some((file, signature)) = hit.file.take()
            && let Ok(counts) = states.keep(&path, Arc::clone(&file), signature)
            && !Arc::ptr_eq(&counts, &file)
            && counts.bytes() != file.bytes()
        {
            // If another thread has already read the file in another state, we use that state and
            // have to find the lines again.
            hit.lines = pattern.lines(counts.bytes(), hit.lines.len());
            hit.line_count = counts.line_count();
        }
        result.files.push(FileMatches {
            spans: search_query::widen(&hit.lines, query.context, hit.line_count),
            path,
            lines: hit.lines,
            total: hit.total,
        });
    }
    let kept: usize = result.files.iter().map(|file| file.lines.len()).sum();
    result.truncated = (kept as u64) < result.total_matches;
    Searched {
        answer: OnceLock::new(),
        result: Arc::new(result),
        seen,
        pattern,
    }
}

/// Returns the digests of the files with matches.
fn answers(seen: &[Seen]) -> BTreeMap<&str, Digest> {
    let files = seen.iter().flat_map(|seen| &seen.files);
    files
        .filter_map(|(path, at)| Some((&**path, at.answer?)))
        .collect()
}

/// Returns the digest of all answers in path order, and of the counts.
fn digest(answers: &BTreeMap<&str, Digest>, result: &SearchResult) -> Digest {
    let mut bytes = Vec::new();
    for (path, answer) in answers {
        bytes.extend_from_slice(path.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(answer.as_bytes());
    }
    let looked_at = [result.files_searched, result.binary_files];
    for count in looked_at.into_iter().chain(result.withheld.counts()) {
        bytes.extend(count.to_le_bytes());
    }
    Digest::of_bytes(&bytes)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Repeats the search where files may have changed, and returns the files whose answer has changed.
fn check_again(
    repo: &Repo,
    query: &SearchQuery,
    before: &Searched,
    closeness: Closeness,
    cancel: &Cancel,
) -> Vec<(RepoPath, ChangeKind)> {
    let (old, now) = match looked_at::touched(repo, &before.seen, closeness) {
        Some(touched) => {
            let mut recheck = Recheck::new(repo, &before.pattern, &touched);
            for path in touched.keys().take_while(|_| !cancel.is_cancelled()) {
                let absolute = &repo.root().join(path);
                recheck.file(&WalkedFile { absolute, path });
            }
            let now: BTreeMap<_, _> = recheck.answers.into_iter().collect();
            (touched, now)
        }
        None => walk_again(repo, query, before, cancel),
    };
    if cancel.is_cancelled() {
        // The walk is incomplete, and files it didn't reach would count as removed.
        return Vec::new();
    }
    let mut changes = Vec::new();
    for (path, answer) in &now {
        match old.get(&**path) {
            Some(old) if old.answer == *answer => {}
            Some(_) => changes.push((&**path, ChangeKind::Changed)),
            None if answer.is_some() => changes.push((path, ChangeKind::Appeared)),
            None => {}
        }
    }
    for (path, old) in &old {
        if old.answer.is_some() && !now.contains_key(*path) {
            changes.push((path, ChangeKind::Vanished));
        }
    }
    let named = |(path, what): (&str, ChangeKind)| Some((RepoPath::parse(path).ok()?, what));
    changes.into_iter().filter_map(named).collect()
}

/// Returns the recorded state of each file, and the current answer of each existing file.
#[expect(clippy::type_complexity, reason = "two maps by path")]
fn walk_again<'a>(
    repo: &Repo,
    query: &SearchQuery,
    before: &'a Searched,
    cancel: &Cancel,
) -> (
    BTreeMap<&'a str, LookedAt>,
    BTreeMap<Box<str>, Option<Digest>>,
) {
    let files = before.seen.iter().flat_map(|seen| &seen.files);
    let old = files.map(|(path, at)| (&**path, *at)).collect();
    let walked = Walker::new(repo, &query.scope).and_then(|walker| {
        let make = || Recheck::new(repo, &before.pattern, &old);
        walker.walk(cancel, &make)
    });
    // The files of a folder we can no longer walk count as removed.
    let rechecks = walked.unwrap_or_default();
    let now = rechecks.into_iter().flat_map(|recheck| recheck.answers);
    let now = now.collect();
    (old, now)
}
