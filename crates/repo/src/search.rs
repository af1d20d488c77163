//! Searching the files of a repository: what `rg` finds, in one order, whatever the number of threads.
//!
//! # Speed
//!
//! Each file is read once, whatever is looked for at once, into a buffer that is used again for the next, and searched there: where several
//! patterns are looked for, one pass says which of them it may have (`joint_patterns`). Files without
//! a match are recorded by their `stat` signature and not hashed. When the search is looked at again, the
//! folders say whether a walk would find other files; only if so it is made again.
//!
//! A file without the texts that every match has is passed over (`required_texts`), and the pattern is made ready when one has them. From
//! the second search of a state on, files without a match are kept in memory, as far as there is room (`passed_over`).
//!
//! # Secret values
//!
//! A line that holds one is found only if it would be found whatever the value were (`secret_blind`), so that nobody can
//! ask for it letter by letter. Only files in which a line matches are scanned for them, once
//! (`windlass_redact::Hints`).

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

/// A search that was made, with what it takes to look again.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) result: Arc<SearchResult>,
    /// See [`Searched::answer`].
    answer: OnceLock<Digest>,
    seen: Vec<Seen>,
    /// Making one takes longer than searching a small repository with it.
    pattern: Pattern,
}

impl Searched {
    /// Of every match in every file, and of how many files were looked at. Found out when somebody asks: few do.
    pub(crate) fn answer(&self) -> Digest {
        *self
            .answer
            .get_or_init(|| digest(&answers(&self.seen), &self.result))
    }
}

/// Searches for all `queries`, which are of one scope, and keeps those with matches in `files`, so that what is shown of
/// them later comes from the state that was searched.
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
    let joined =
        all.map(|((query, pattern), parts)| joined(files, query, pattern, parts, common.clone()));
    Ok(joined.collect())
}

/// What each thread found for one query, and how it came there.
type Parts<'a> = Vec<(Finds<'a>, Arc<Way>)>;

/// What all threads found for one query, of which `result` says what is the same for all queries.
fn joined(
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
            // Somebody read it at the same time in another state, and was faster.
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

/// What was found in the files with matches.
fn answers(seen: &[Seen]) -> BTreeMap<&str, Digest> {
    let files = seen.iter().flat_map(|seen| &seen.files);
    files
        .filter_map(|(path, at)| Some((&**path, at.answer?)))
        .collect()
}

/// The digest of all answers, in the order of paths, and of how much was looked at.
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

/// Searches again what may have changed, and says where the answer is another one now.
fn look_again(
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
        // What was not looked at would be taken for gone.
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

/// What was seen in each file, and what is found in each that is there now.
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
    // A folder that can no longer be walked has lost its files.
    let rechecks = walked.unwrap_or_default();
    let now = rechecks.into_iter().flat_map(|recheck| recheck.answers);
    let now = now.collect();
    (old, now)
}
