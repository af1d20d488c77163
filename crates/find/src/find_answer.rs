//! Answers a question in two stages: we rank all files, and then the passages of the best ones.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, RepoPath, in_parallel};
use windlass_repo::Snapshot;
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

/// Number of files that we split into passages. We have to parse each of them, so this limits what
/// a question costs.
const FILES: usize = 40;
/// Minimum score of a place, relative to the best place, if the best place has all words of the
/// question.
///
/// If it has fewer, the limit falls linearly to [`LEAST_UNSURE`]. The less certain we are, the more
/// places are worth showing.
const LEAST: f64 = 0.3;
/// The same limit if the best place has none of the words.
const LEAST_UNSURE: f64 = 0.1;
/// A place counts for the confidence if its score is at least this fraction of the best one. Of
/// several places with similar scores, the right one is often not the first.
const CLOSE: f64 = 0.4;
/// Minimum share of the question's word weight that some place must have. Otherwise, there is no
/// answer, unless one of the first places has half of the words.
const NOTHING: f64 = 0.13;
/// Like [`NOTHING`], but for a match of a single part of a long question. If there are many parts,
/// some place has a few words of one of them by chance, so we expect more.
const NOTHING_OF_PART: f64 = 0.26;
/// When weighing words for the confidence, we assume at least this many files. In a repository with
/// just two or three files, a single word that is missing from all of them would outweigh the other
/// words.
const FEW: usize = 30;
/// Number of files that a thread reads at a time.
const PIECE: usize = 16;

/// Finds the places that answer a question best, as many as the token budget allows.
///
/// # Errors
/// Returns an error if the question has no word that we can search for, if a path does not exist or
/// is secret, or if `cancel` was called.
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

/// Like [`find`], but only searches `files`, which must be sorted by path. We do not read the rest
/// of the repository, but `others` has statistics about it.
///
/// # Errors
/// Returns an error if the text has no word that we can search for, or if `cancel` was called.
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

/// The answer for [`find`], along with what [`find_in`] needs.
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
    // Without an answer, we still tell the caller about the place that comes closest.
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

/// Returns the weights of the words for the whole question and, if it is long, for those of its
/// parts with the highest weight.
fn asked(question: &Question, having: &[u32], weights: Vec<f64>, telling: Vec<f64>) -> Vec<Asked> {
    /// Maximum number of parts. If somebody pastes a log, each of a thousand lines is a part.
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

/// Lists the files with words of the question, each with these words and their share of the
/// question's weight.
///
/// A word that no file has does not count towards the total. For a long question, we take the share
/// of the part that is covered best.
fn having_of(question: &Question, files: &[Read], having: &[u32], asked: &[Asked]) -> Vec<Having> {
    /// A part counts as if it had at least the weight of the question's eight most informative
    /// words. Otherwise, two common words would fully cover a short part.
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

/// The files of the repository that we have not read.
struct Beyond {
    files: usize,
    /// For each word of the question, the number of these files that have it.
    having: Vec<u32>,
}

impl Beyond {
    /// Finds out about the files other than `files`. If `others` does not know a word, we assume
    /// that the word is as frequent there as in `files`.
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

    /// Adds these files to `having`, which has the number of files with each word among the `count`
    /// files that we have read. Returns the sums for all files.
    fn with_files(&self, mut having: Vec<u32>, count: usize) -> (Vec<u32>, usize) {
        for (own, beyond) in having.iter_mut().zip(&self.having) {
            *own += beyond;
        }
        (having, count + self.files)
    }
}

/// Weighs each word by its rarity among stretches. A count of files would be useless for a word
/// that is in nearly every file of a repository with long files.
fn weights_of_stretches(files: &[Read], others: &Beyond, words: usize) -> Vec<f64> {
    let mut having = vec![0; words];
    for (word, count) in files.iter().flat_map(|file| &file.having) {
        having[*word as usize] += count;
    }
    let stretches: usize = files.iter().map(|file| file.stretch_count).sum();
    // We don't know the stretches of files that we haven't read. Assume that they have as many of
    // them on average, and that a word is only in one stretch of a file.
    let beyond = others.files * stretches / files.len().max(1);
    let (having, _) = others.with_files(having, 0);
    weights(&having, stretches + beyond)
}

/// Sorts `scored` and removes places with a low score.
///
/// Returns the share of the question that the best places cover, from 0 to 1, and true if that is
/// enough for an answer.
fn sifted(scored: &mut Vec<Scored>, asked: &[Asked]) -> (f64, bool) {
    /// If little of the question is covered, one of this many first places must have half of the
    /// words.
    const FIRST: usize = 3;
    let place = |one: &Scored| (one.file, one.passage.span);
    scored.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(place(one).cmp(&place(other)))
    });
    let most = scored.first().map_or(1.0, |one| one.score);
    // The first place may just repeat a single word, whereas another one has nearly the same score
    // and more of the words.
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
    let least = match windlass_base::is_on("find.least") {
        true => LEAST_UNSURE + (LEAST - LEAST_UNSURE) * covered,
        false => LEAST_UNSURE,
    };
    scored.retain(|one| one.score >= most * least);
    (covered, answers)
}

/// Scores files. Their best stretch matters most, since the answer usually is in a single spot of a
/// file.
fn ranked(files: &[Read], asked: &[Asked]) -> Vec<f64> {
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
        let own = own.map(|(own, _)| own).fold(0.0, f64::max);
        match windlass_base::is_on("find.stretches") {
            true => own * (1.0 - WHOLE) + whole * WHOLE,
            false => whole,
        }
    };
    files.iter().zip(wholes).map(best_of).collect()
}

/// Takes the best places up to `max_tokens`. If a place is too long, we skip it rather than cut it,
/// so a shorter one further down may still fit.
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
