//! Searches the files of a repository. We find the same lines as `rg`, in an order that does not
//! depend on the number of threads.
//!
//! # Speed
//!
//! A group of searches reads each file once, into a reused buffer. If there are several patterns,
//! one pass over the file selects the possible ones (`joint_patterns`).
//!
//! Most files do not need the regex engine, since they lack a text that is contained in every match
//! (`required_texts`). We do not even compile the pattern until some file contains all of these
//! texts. From the second search of a snapshot on, files without matches are cached in memory, up
//! to a limit (`passed_over`).
//!
//! Files without a match are not hashed. Their `stat` signatures are enough to check the search
//! later, and even those are rarely needed: the check compares the signatures of the folders first,
//! and walks again only if one of them has changed.
//!
//! # Secret values
//!
//! A line with a secret value only matches if it would match for every possible value
//! (`secret_blind`). Otherwise, a search could extract the value letter by letter: `password = 'a`,
//! then `password = 'b`, and so on. Detecting secrets is slow, so we only do it in files with a
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

/// A finished search, and everything needed to check it again later.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) result: Arc<SearchResult>,
    answer: OnceLock<Digest>,
    seen: Vec<Seen>,
    /// The compiled pattern, for checking the search later. Compiling takes longer than searching a
    /// small repository.
    pattern: Pattern,
}

impl Searched {
    /// Digest of all matches in all files and of the number of files searched. Most searches never
    /// need it, so it is only computed on first use.
    pub(crate) fn answer(&self) -> Digest {
        *self
            .answer
            .get_or_init(|| digest(&answers(&self.seen), &self.result))
    }
}

/// Runs all `queries`, which must have the same scope. Files with matches are added to `files`, so
/// that later excerpts come from the state that we searched.
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

/// Matches of one query, with the record of the walk. There is one entry per thread.
type Parts<'a> = Vec<(Finds<'a>, Arc<Way>)>;

/// Merges the matches of all threads for one query. The counts that do not depend on the query are
/// already in `result`.
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
            // A step has read this file in another state meanwhile, and the snapshot has to stay
            // with that. Find the lines again.
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

fn answers(seen: &[Seen]) -> BTreeMap<&str, Digest> {
    let files = seen.iter().flat_map(|seen| &seen.files);
    files
        .filter_map(|(path, at)| Some((&**path, at.answer?)))
        .collect()
}

/// Hashes all answers in path order, and the numbers of files that were searched and skipped.
/// Without the latter, a search that could not read half of the files would look the same as a
/// complete one.
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

/// Repeats a search in the files that may have changed, and returns those with a different answer.
///
/// If we can tell from the signatures which files these are, we only look at them. Otherwise, we
/// have to walk the whole scope again.
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
        // The walk is incomplete, so files beyond its end would seem removed.
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

/// Walks the whole scope again. Returns the recorded state of each file, and the present answer of
/// each file that still exists.
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
    let rechecks = walked.unwrap_or_default();
    let now = rechecks.into_iter().flat_map(|recheck| recheck.answers);
    let now = now.collect();
    (old, now)
}
