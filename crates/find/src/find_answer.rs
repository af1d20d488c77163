//! Answers a question by ranking first the files, and then the passages of the best files.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, RepoPath, in_parallel};
use windlass_repo::{FileRole, Snapshot};
use windlass_search::WordCounts;
use windlass_site::{Error, Site};

use crate::find_error::FindError;
use crate::find_request::{FindRequest, Found, FoundIn, FoundPlace, Having, Others, Skipped};
use crate::find_scores::{OF_FILES, weights};
use crate::question_words::Question;
use crate::read_files::{Read, Reading};
use crate::scored_passages::{Asked, Scored, best_scores, scored_passages};
use crate::searched_files::scope;
use crate::shown_lines::shown;
use crate::word_counter::Counter;

/// Maximum number of files to split into passages. Splitting is expensive, because it parses the
/// file.
const FILES: usize = 40;
/// Minimum score of a shown place relative to the best place, if the best place covers the whole
/// question. With lower coverage, the limit falls linearly to [`LEAST_UNSURE`]: the less sure we
/// are, the more places we show.
const LEAST: f64 = 0.3;
/// Minimum relative score of a shown place if the best place covers none of the question. See
/// [`LEAST`].
const LEAST_UNSURE: f64 = 0.1;
/// Minimum score, relative to the best, of a place that counts towards the confidence. Even if it
/// isn't first, such a place may be the right one.
const CLOSE: f64 = 0.4;
/// Minimum share of the question covered by a place, weighted by word. Below it there's no answer,
/// unless one of the first places has half of the words.
const NOTHING: f64 = 0.13;
/// Minimum coverage for a place that matches a single part of a long question. This is higher than
/// [`NOTHING`], because with many parts, some place has a few words of one of them by chance.
const NOTHING_OF_PART: f64 = 0.26;
/// Minimum number of files assumed when weighing words for the confidence. Otherwise, in a
/// repository of two or three files, a word found in no file would outweigh all others.
const FEW: usize = 30;
/// Number of files a thread reads before it takes the next batch.
const PIECE: usize = 16;

/// Returns the places that best answer the question within its token budget.
///
/// # Errors
/// Returns an error if the question has no searchable word, if a path does not exist or is secret,
/// or if `cancel` was called.
pub fn find(site: &Site, request: &FindRequest, cancel: &Cancel) -> Result<Found, Error> {
    let snapshot = site.snapshot();
    let question = question(&request.question)?;
    let listing = snapshot.list(&scope(&request.paths), cancel)?;
    let files = listing.files;
    let alone = Others::default();
    let found = answer(
        &snapshot,
        &question,
        (&files, &alone),
        request.max_tokens,
        cancel,
    );
    let mut found = found?.found;
    found.skipped.names_not_utf8 = listing.withheld.not_utf8 as usize;
    found.skipped.unreadable += listing.withheld.unreadable as usize;
    Ok(found)
}

/// Answers a question like [`find`], but searches only `files`, which must be sorted by path.
/// `others` describes the rest of the repository, which isn't read.
///
/// # Errors
/// Returns an error if the text has no searchable word, or if `cancel` was called.
pub fn find_in(
    snapshot: &Snapshot,
    text: &str,
    (files, others): (&[RepoPath], &Others),
    max_tokens: usize,
    cancel: &Cancel,
) -> Result<FoundIn, Error> {
    let question = question(text)?;
    let answer = answer(snapshot, &question, (files, others), max_tokens, cancel)?;
    Ok(FoundIn {
        places: answer.found.places,
        files: answer.having,
        too_large: answer.too_large,
    })
}

fn question(text: &str) -> Result<Question, Error> {
    let question = Question::of(text);
    if question.words.is_empty() {
        return Err(FindError::NothingToFind.into());
    }
    Ok(question)
}

/// An answer, and what [`find_in`] reports about the files in addition.
struct Answer {
    found: Found,
    having: Vec<Having>,
    too_large: Vec<RepoPath>,
}

fn answer(
    snapshot: &Snapshot,
    question: &Question,
    (files, others): (&[RepoPath], &Others),
    max_tokens: usize,
    cancel: &Cancel,
) -> Result<Answer, Error> {
    let read = in_parallel(files, snapshot.repo().threads(), PIECE, |piece| {
        let mut counter = Counter::of(question);
        let read = piece.iter().filter(|_| !cancel.is_cancelled());
        read.map(|path| counter.read(snapshot, path))
            .collect::<Vec<_>>()
    });
    if cancel.is_cancelled() {
        return Err(Error::interrupted());
    }
    let (mut files, mut too_large, mut skipped) = (Vec::new(), Vec::new(), Skipped::default());
    for read in read.into_iter().flatten() {
        match read {
            Reading::Read(read) => files.push(*read),
            Reading::TooLarge(path) => too_large.push(path),
            Reading::NotText => skipped.not_text += 1,
            Reading::Refused(refusal) => skipped.count(&refusal),
        }
    }
    skipped.too_large += too_large.len();
    let most_parsed = others.parsed.unwrap_or(FILES);
    let others = Beyond::of(question, &files, others);
    let by_stretch = weights_of_stretches(&files, &others, question.words.len());
    let mut having = vec![0; question.words.len()];
    for word in files.iter().flat_map(|file| file.counts.of_words.keys()) {
        having[*word as usize] += 1;
    }
    let (having, total) = others.with_files(having, files.len());
    let telling = weights(&having, total.max(FEW));
    let asked = asked(question, &having, by_stretch, telling);
    let mut best: Vec<(f64, usize)> = ranked(&files, &asked)
        .into_iter()
        .zip(0..)
        .filter(|(score, _)| *score > 0.0)
        .collect();
    best.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    best.truncate(most_parsed);
    let known = having_of(question, &files, &having, &asked);
    let mut scored = scored_passages(question, snapshot, &files, &best, &asked, cancel);
    let nearest = |one: &Scored| Some(shown(snapshot, &files[one.file].path, one.passage.span)?.1);
    let (covered, answers) = sifted(&mut scored, &asked);
    let nearest = scored.first().filter(|_| !answers).and_then(nearest);
    if !answers {
        scored.clear();
    }
    let found = fitting(snapshot, &files, scored, max_tokens);
    let found = Found {
        confidence: (covered * 100.0).round() as u8,
        nearest,
        skipped,
        ..found
    };
    Ok(Answer {
        found,
        having: known,
        too_large,
    })
}

/// Returns the whole question. A long one is followed by its most informative parts.
fn asked(question: &Question, having: &[u32], weights: Vec<f64>, telling: Vec<f64>) -> Vec<Asked> {
    /// Maximum number of parts to score. Each line of a pasted log is a part, and there can be
    /// thousands.
    const MAX_PARTS: usize = 64;
    let known = |part: &BTreeSet<u32>| -> f64 {
        let words = part.iter().map(|at| *at as usize);
        let words = words.filter(|at| having.get(*at).is_some_and(|count| *count > 0));
        words.filter_map(|at| telling.get(at)).sum()
    };
    let mut parts: Vec<(f64, &BTreeSet<u32>)> = question
        .parts
        .iter()
        .map(|part| (known(part), part))
        .collect();
    parts.retain(|(known, _)| *known > 0.0);
    parts.sort_by(|one, other| other.0.total_cmp(&one.0));
    parts.truncate(MAX_PARTS);
    let parts = parts
        .into_iter()
        .map(|(_, part)| Asked::of(part, &weights, &telling));
    let parts: Vec<Asked> = parts.collect();
    let whole = Asked {
        weights,
        telling,
        words: question.words.len(),
    };
    std::iter::once(whole).chain(parts).collect()
}

/// Returns each file's words of the question, and their share of the question's weight. Words found
/// in no file are ignored. For a long question, the share is that of the best part.
fn having_of(question: &Question, files: &[Read], having: &[u32], asked: &[Asked]) -> Vec<Having> {
    /// Number of words whose total weight is the minimum weight of a part. We take the most
    /// informative ones. Without this minimum, two common words in a file could fully cover a short
    /// part.
    const USUAL: usize = 8;
    let stems: BTreeMap<u32, &String> = question
        .words
        .iter()
        .map(|(stem, at)| (*at, stem))
        .collect();
    let weight = |asked: &Asked, at: u32| match having.get(at as usize) {
        None | Some(0) => 0.0,
        Some(_) => asked.telling.get(at as usize).copied().unwrap_or_default(),
    };
    let sum = |asked: &Asked| -> f64 { stems.keys().map(|at| weight(asked, *at)).sum() };
    let mut telling: Vec<f64> = asked.first().map_or_else(Vec::new, |whole| {
        stems.keys().map(|at| weight(whole, *at)).collect()
    });
    telling.sort_by(|one, other| other.total_cmp(one));
    let usual: f64 = telling.iter().take(USUAL).sum();
    let sums: Vec<f64> = asked
        .iter()
        .enumerate()
        .map(|(at, asked)| {
            if at == 0 {
                sum(asked)
            } else {
                sum(asked).max(usual)
            }
        })
        .collect();
    let of_file = |file: &Read| {
        let own = file.having.keys();
        let share = |(asked, all): (&Asked, &f64)| {
            let own: f64 = own.clone().map(|at| weight(asked, *at)).sum();
            own / all.max(f64::MIN_POSITIVE)
        };
        let share = asked.iter().zip(&sums).map(share).fold(0.0, f64::max);
        let words = own.filter_map(|at| stems.get(at));
        Having {
            path: file.path.clone(),
            words: words.map(|stem| (*stem).clone()).collect(),
            share,
        }
    };
    let with_words = files.iter().filter(|file| !file.having.is_empty());
    with_words.map(of_file).collect()
}

/// Files in the repository that we don't read, with the number of files per word.
struct Beyond {
    files: usize,
    /// Number of unread files with each word, by word number.
    having: Vec<u32>,
}

impl Beyond {
    /// Counts the files in `others` that aren't among `files`. Unknown counts are extrapolated from
    /// `files`.
    fn of(question: &Question, files: &[Read], others: &Others) -> Self {
        let beyond = others.files.saturating_sub(files.len());
        let mut having = vec![0; question.words.len()];
        if beyond > 0 {
            for (stem, at) in &question.words {
                let with_it = |file: &&Read| file.having.contains_key(at);
                let looked_at = files.iter().filter(with_it).count();
                let own = match others.having.get(stem) {
                    Some(all) => all.saturating_sub(looked_at),
                    None => looked_at * beyond / files.len().max(1),
                };
                having[*at as usize] = u32::try_from(own).unwrap_or(u32::MAX);
            }
        }
        Self {
            files: beyond,
            having,
        }
    }

    /// Adds the unread files to `having`, the counts for the `count` files we've read. Returns the
    /// number of files per word and in total.
    fn with_files(&self, mut having: Vec<u32>, count: usize) -> (Vec<u32>, usize) {
        for (own, beyond) in having.iter_mut().zip(&self.having) {
            *own += beyond;
        }
        (having, count + self.files)
    }
}

/// Weighs each word of the question by the number of stretches that contain it. In long files, even
/// a word found in nearly every file can tell one stretch from another.
fn weights_of_stretches(files: &[Read], others: &Beyond, words: usize) -> Vec<f64> {
    let mut having = vec![0; words];
    for (word, count) in files.iter().flat_map(|file| &file.having) {
        having[*word as usize] += count;
    }
    let stretches: usize = files.iter().map(|file| file.stretch_count).sum();
    // Assume that unread files have as many stretches as the ones we've read, with each word in
    // only one of them.
    let beyond = others.files * stretches / files.len().max(1);
    let (having, _) = others.with_files(having, 0);
    weights(&having, stretches + beyond)
}

/// Sorts `scored` and removes low-scoring places, along with all but the first from each changelog.
/// Returns the share of the question covered by the best places, from 0 to 1, and whether that's
/// enough for an answer.
fn sifted(scored: &mut Vec<Scored>, asked: &[Asked]) -> (f64, bool) {
    /// Number of leading places, one of which must have half of the words.
    const FIRST: usize = 3;
    let place = |one: &Scored| (one.file, one.passage.span);
    scored.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(place(one).cmp(&place(other)))
    });
    let most = bar(scored);
    // The first place may just repeat a single word, while another with a similar score covers more
    // of the question.
    let close = || scored.iter().filter(|one| one.score >= most * CLOSE);
    let covered = close().map(|one| one.covered).fold(0.0, f64::max);
    let has_enough = |one: &Scored| match one.asked {
        0 => one.covered >= NOTHING,
        _ => one.covered >= NOTHING_OF_PART,
    };
    let has_half = |one: &Scored| {
        let words = asked.get(one.asked).map_or(0, |asked| asked.words);
        one.words * 2 >= words
    };
    let answers = close().any(has_enough) || scored.iter().take(FIRST).any(has_half);
    let least = LEAST_UNSURE + (LEAST - LEAST_UNSURE) * covered;
    let mut lists = BTreeSet::new();
    scored.retain(|one| {
        let is_first = one.aside != Some(FileRole::Changes) || lists.insert(one.file);
        is_first && one.score >= most * least
    });
    (covered, answers)
}

/// Returns the score that other scores are compared with: that of the best place outside of tests
/// and changelogs ([`Scored::aside`] is `None`). Tests and changelogs describe the code, so they
/// repeat the question's words more often than the code itself.
fn bar(scored: &[Scored]) -> f64 {
    /// Minimum result, relative to the best score. If the question is only about tests, the best
    /// code is a poor reference.
    const LEAST: f64 = 0.5;
    let best = scored.first().map_or(1.0, |one| one.score);
    let mut own = scored.iter().filter(|one| one.aside.is_none());
    own.next().map_or(best, |one| one.score.max(best * LEAST))
}

/// Scores each file by its best stretch and, to a lesser degree, as a whole.
fn ranked(files: &[Read], asked: &[Asked]) -> Vec<f64> {
    /// Weight of the whole file in its score.
    const WHOLE: f64 = 0.3;
    let wholes: Vec<WordCounts> = files.iter().map(|file| file.counts.clone()).collect();
    let wholes = best_scores(&wholes, asked, OF_FILES);
    let stretches: Vec<WordCounts> = files
        .iter()
        .flat_map(|file| file.stretches.iter().cloned())
        .collect();
    let mut stretches = best_scores(&stretches, asked, OF_FILES).into_iter();
    let best_of = |(file, (whole, _)): (&Read, (f64, usize))| {
        let own = stretches.by_ref().take(file.stretches.len());
        own.map(|(own, _)| own).fold(0.0, f64::max) * (1.0 - WHOLE) + whole * WHOLE
    };
    files.iter().zip(wholes).map(best_of).collect()
}

/// Returns the best places that fit into `max_tokens`. If a place doesn't fit we omit all of it, so
/// that every excerpt is readable.
fn fitting(snapshot: &Snapshot, files: &[Read], scored: Vec<Scored>, max_tokens: usize) -> Found {
    let most = scored.first().map_or(1.0, |one| one.score);
    let mut found = Found {
        files_read: files.len(),
        ..Found::default()
    };
    let mut left = max_tokens;
    for one in scored {
        let path = &files[one.file].path;
        let Some((text, pointer)) = shown(snapshot, path, one.passage.span) else {
            continue;
        };
        let shown = FoundPlace {
            pointer,
            symbol: one.passage.symbol,
            score: (one.score * 100.0 / most).round() as u8,
            text,
        };
        match left.checked_sub(windlass_tokens::count(&shown.printed())) {
            Some(rest) => {
                left = rest;
                found.places.push(shown);
            }
            None => found.left_out += 1,
        }
    }
    found
}
