//! An answer to a question: the files that are ranked, and the places of the best of them.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, RepoPath, in_parallel};
use windlass_repo::{FileRole, Snapshot};
use windlass_search::WordCounts;
use windlass_site::{Error, Site};

use crate::find_error::FindError;
use crate::find_request::{FindRequest, Found, FoundIn, FoundPlace, Having, Others};
use crate::find_scores::{OF_FILES, weights};
use crate::question_words::Question;
use crate::read_files::{Read, Reading};
use crate::scored_passages::{Asked, Scored, best_scores, scored_passages};
use crate::searched_files::scope;
use crate::shown_lines::shown;
use crate::word_counter::Counter;

/// Files whose passages are looked at.
const FILES: usize = 40;
/// A place that answers less than this share of the best is left out, where the best has all of the question; where it has
/// nothing of it, [`LEAST_UNSURE`]. Who does not know shows more.
const LEAST: f64 = 0.3;
/// See [`LEAST`].
const LEAST_UNSURE: f64 = 0.1;
/// What comes this close behind the best, as a share of its score, may be what is meant as well.
const CLOSE: f64 = 0.4;
/// Where the best has less than this share of what the question tells, nothing answers, unless one of the first places has half of its
/// words.
const NOTHING: f64 = 0.13;
/// The same of one part of a long question: of many parts, one has a few words of some place by chance.
const NOTHING_OF_PART: f64 = 0.26;
/// How sure an answer is is told as if there were at least so many files: of two or three, a word that none has would outweigh all
/// that stand in one.
const FEW: usize = 30;
/// Files that a thread reads at a time.
const PIECE: usize = 16;

/// The places that answer a question best, as far as they fit the budget.
///
/// # Errors
/// When the question has no word to look for, a path is not there or secret, or `cancel` was called.
pub fn find(site: &Site, request: &FindRequest, cancel: &Cancel) -> Result<Found, Error> {
    let snapshot = site.snapshot();
    let question = question(&request.question)?;
    let files = snapshot.list(&scope(&request.paths), cancel)?.files;
    let alone = Others::default();
    let found = answer(
        &snapshot,
        &question,
        (&files, &alone),
        request.max_tokens,
        cancel,
    );
    Ok(found?.found)
}

/// As [`find`], in `files`, which are in the order of their paths, and some of many: whoever knows them need not have them looked for.
///
/// # Errors
/// When the text has no word to look for, or `cancel` was called.
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

/// What came of looking for an answer.
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
        read.filter_map(|path| counter.read(snapshot, path))
            .collect::<Vec<_>>()
    });
    if cancel.is_cancelled() {
        return Err(Error::interrupted());
    }
    let (mut files, mut too_large) = (Vec::new(), Vec::new());
    for read in read.into_iter().flatten() {
        match read {
            Reading::Read(read) => files.push(*read),
            Reading::TooLarge(path) => too_large.push(path),
        }
    }
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
        too_large: too_large.len(),
        ..found
    };
    Ok(Answer {
        found,
        having: known,
        too_large,
    })
}

/// The question as a whole, and those of its parts that tell most, if it is long.
fn asked(question: &Question, having: &[u32], weights: Vec<f64>, telling: Vec<f64>) -> Vec<Asked> {
    /// Most parts that are asked: a log has as many lines as it likes.
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

/// What each of `files` has in its text of what is `asked`, by what the words tell; those that none has count for nothing. Of a long
/// question its best part counts.
fn having_of(question: &Question, files: &[Read], having: &[u32], asked: &[Asked]) -> Vec<Having> {
    /// A part counts as if it said as much as so many words of the question do that tell most.
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

/// The files that are not looked at, by the numbers of the words.
struct Beyond {
    files: usize,
    /// How many of them have each word.
    having: Vec<u32>,
}

impl Beyond {
    /// All but `files`, as far as `others` says.
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

    /// How many files have each word, where `having` of `count` do, and how many files there are.
    fn with_files(&self, mut having: Vec<u32>, count: usize) -> (Vec<u32>, usize) {
        for (own, beyond) in having.iter_mut().zip(&self.having) {
            *own += beyond;
        }
        (having, count + self.files)
    }
}

/// How much the words of the question say, by how many stretches have them: in files, which are long, a word may stand in nearly
/// all, and still tell one place from another.
fn weights_of_stretches(files: &[Read], others: &Beyond, words: usize) -> Vec<f64> {
    let mut having = vec![0; words];
    for (word, count) in files.iter().flat_map(|file| &file.having) {
        having[*word as usize] += count;
    }
    let stretches: usize = files.iter().map(|file| file.stretch_count).sum();
    // The others are as long, and have a word in one stretch each.
    let beyond = others.files * stretches / files.len().max(1);
    let (having, _) = others.with_files(having, 0);
    weights(&having, stretches + beyond)
}

/// Leaves the places that answer best, the best first, and says how much of what is `asked` they have, 0 to 1, and whether that
/// is enough to be an answer.
fn sifted(scored: &mut Vec<Scored>, asked: &[Asked]) -> (f64, bool) {
    /// So many places are looked at for whether one of them has half of the words.
    const FIRST: usize = 3;
    let place = |one: &Scored| (one.file, one.passage.span);
    scored.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(place(one).cmp(&place(other)))
    });
    let most = bar(scored);
    // One that has a single word often may come first; what comes close behind may have more of the question.
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

/// By what score it is said what answers far less: by that of the best place, unless that speaks of other things than it does itself.
/// Then it has the words of the question because it speaks of what is asked for, and that may have few of them.
fn bar(scored: &[Scored]) -> f64 {
    /// As much of the best score it is at least: a question may be about tests alone.
    const LEAST: f64 = 0.5;
    let best = scored.first().map_or(1.0, |one| one.score);
    let mut own = scored.iter().filter(|one| one.aside.is_none());
    own.next().map_or(best, |one| one.score.max(best * LEAST))
}

/// How well each file answers: as well as its best stretch, and a little by all that it has.
fn ranked(files: &[Read], asked: &[Asked]) -> Vec<f64> {
    /// How much the file as a whole counts.
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

/// The best places that fit, in their order; one that does not is left out whole, so that what is shown can be understood.
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
