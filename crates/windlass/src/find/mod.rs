//! Finding the places of a repository that answer a question, without an index: the files are read when somebody asks.
//!
//! First all files are ranked by their words, then the passages of the best. Everything is looked for in the text as it may be
//! shown, so that nobody can ask for a secret value.

mod passages;
mod rank;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_base::{Cancel, LineSpan, Pointer, Redacted, RepoPath, in_parallel};
use windlass_repo::{ListQuery, Snapshot};

use crate::{Error, Workspace};
use passages::{Passage, passages};
use rank::{Counts, scores, weights};
use words::each_word;

/// Files whose passages are looked at.
const FILES: usize = 40;
/// A place that answers less than this share of the best is left out.
const LEAST: f64 = 0.45;
/// Files that a thread reads at a time.
const PIECE: usize = 16;
/// What is larger is data, most likely: nobody wants an answer out of it.
const MAX_BYTES: usize = 1 << 20;

/// What is asked.
#[derive(Debug, Clone)]
pub struct FindRequest {
    /// In words; names of code are taken apart as well.
    pub question: String,
    /// How many tokens of text to show at most.
    pub max_tokens: usize,
    /// Where to look; everywhere if empty.
    pub paths: Vec<RepoPath>,
}

/// The places that answer best, the best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// The places.
    pub places: Vec<FoundPlace>,
    /// How many files were read.
    pub files_read: usize,
    /// How many places answer as well, for which there was no room.
    pub left_out: usize,
}

/// A place that answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPlace {
    /// Where, with the hash of its lines.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// What stands there, by name, where it is one thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// How well it answers, in percent of the best.
    pub score: u8,
    /// Its text.
    pub text: Redacted,
}

/// A file that was read, with what is needed to rank it.
struct Read {
    path: RepoPath,
    counts: Counts,
}

/// A passage with its place and score.
struct Scored {
    file: usize,
    passage: Passage,
    score: f64,
}

impl Workspace {
    /// The places that answer a question best, as far as they fit the budget.
    ///
    /// # Errors
    /// When the question has no word to look for, a path is not there or secret, or `cancel` was called.
    pub fn find(&self, request: &FindRequest, cancel: &Cancel) -> Result<Found, Error> {
        find(&self.snapshot(), request, cancel)
    }
}

/// As [`Workspace::find`], in one state of the files.
pub(crate) fn find(
    snapshot: &Snapshot,
    request: &FindRequest,
    cancel: &Cancel,
) -> Result<Found, Error> {
    let question = Question::of(&request.question);
    if question.words.is_empty() {
        return Err(Error::NothingToFind);
    }
    let query = ListQuery {
        paths: request.paths.clone(),
        ..ListQuery::default()
    };
    let listing = snapshot.list(&query, cancel)?;
    let read = in_parallel(&listing.files, snapshot.repo().threads(), PIECE, |piece| {
        let read = piece.iter().filter(|_| !cancel.is_cancelled());
        read.filter_map(|path| question.read(snapshot, path))
            .collect::<Vec<_>>()
    });
    let files: Vec<Read> = read.into_iter().flatten().collect();
    let mut having = vec![0; question.words.len()];
    for word in files.iter().flat_map(|file| file.counts.of_words.keys()) {
        having[*word as usize] += 1;
    }
    let weights = weights(&having, files.len());
    let counts: Vec<Counts> = files.iter().map(|file| file.counts.clone()).collect();
    let mut best: Vec<(f64, usize)> = scores(&counts, &weights)
        .into_iter()
        .zip(0..)
        .filter(|(score, _)| *score > 0.0)
        .collect();
    best.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    best.truncate(FILES);
    let scored = question.passages(snapshot, &files, &best, &weights, cancel);
    Ok(fitting(snapshot, &files, scored, request.max_tokens))
}

/// The words that are looked for.
struct Question {
    words: BTreeMap<String, u32>,
}

impl Question {
    fn of(text: &str) -> Self {
        let mut words = BTreeMap::new();
        each_word(text, |word| {
            let next = words.len() as u32;
            words.entry(word.to_owned()).or_insert(next);
        });
        Self { words }
    }

    /// Adds the words of `text`, each as `weight` of them.
    fn count(&self, text: &str, weight: f64, counts: &mut Counts) {
        each_word(text, |word| {
            counts.length += 1.0;
            if let Some(at) = self.words.get(word) {
                *counts.of_words.entry(*at).or_default() += weight;
            }
        });
    }

    fn read(&self, snapshot: &Snapshot, path: &RepoPath) -> Option<Read> {
        let source = snapshot.read(path).ok()?;
        if source.why_no_text().is_some() || source.bytes().len() > MAX_BYTES {
            return None;
        }
        let mut counts = Counts::default();
        self.count(
            &String::from_utf8_lossy(&source.shown_bytes()),
            1.0,
            &mut counts,
        );
        // What a file is called is what it is about.
        self.count(path.as_str(), 3.0, &mut counts);
        Some(Read {
            path: path.clone(),
            counts,
        })
    }

    fn passages(
        &self,
        snapshot: &Snapshot,
        files: &[Read],
        best: &[(f64, usize)],
        weights: &[f64],
        cancel: &Cancel,
    ) -> Vec<Scored> {
        let cut = in_parallel(best, snapshot.repo().threads(), 1, |piece| {
            let cut = piece
                .iter()
                .map(|(_, file)| self.cut(snapshot, &files[*file].path, cancel));
            cut.collect::<Vec<_>>()
        });
        let (mut all, mut counts) = (Vec::new(), Vec::new());
        for ((score, file), passages) in best.iter().zip(cut.into_iter().flatten()) {
            for (passage, own) in passages {
                all.push(Scored {
                    file: *file,
                    passage,
                    score: *score,
                });
                counts.push(own);
            }
        }
        let most = best.first().map_or(1.0, |(score, _)| *score);
        for (scored, own) in all.iter_mut().zip(scores(&counts, weights)) {
            // What stands around a passage says what it is about, too.
            scored.score = own * (0.7 + 0.3 * scored.score / most);
        }
        all.retain(|scored| scored.score > 0.0);
        all
    }

    fn cut(&self, snapshot: &Snapshot, path: &RepoPath, cancel: &Cancel) -> Vec<(Passage, Counts)> {
        let Ok(source) = snapshot.read(path) else {
            return Vec::new();
        };
        let bytes = source.shown_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let counted = |passage: Passage| {
            let mut counts = Counts::default();
            let (first, last) = (
                passage.span.start() as usize - 1,
                passage.span.end() as usize,
            );
            for line in lines.get(first..last).unwrap_or_default() {
                self.count(line, 1.0, &mut counts);
            }
            if let Some(symbol) = &passage.symbol {
                self.count(symbol, 2.0, &mut counts);
            }
            self.count(path.as_str(), 0.5, &mut counts);
            (passage, counts)
        };
        let passages = passages(path.as_str(), &lines, &bytes, &|| cancel.is_cancelled());
        passages.into_iter().map(counted).collect()
    }
}

/// The best places that fit; one that does not is left out whole, so that what is shown can be understood.
fn fitting(
    snapshot: &Snapshot,
    files: &[Read],
    mut scored: Vec<Scored>,
    max_tokens: usize,
) -> Found {
    let place = |one: &Scored| (one.file, one.passage.span);
    scored.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(place(one).cmp(&place(other)))
    });
    let most = scored.first().map_or(1.0, |one| one.score);
    scored.retain(|one| one.score >= most * LEAST);
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
        match left.checked_sub(windlass_pack::Measure::Tokens.weigh(&shown.printed())) {
            Some(rest) => {
                left = rest;
                found.places.push(shown);
            }
            None => found.left_out += 1,
        }
    }
    found
}

fn shown(snapshot: &Snapshot, path: &RepoPath, span: LineSpan) -> Option<(Redacted, Pointer)> {
    let source = snapshot.read(path).ok()?;
    let lines: Vec<Redacted> = (span.start()..=span.end())
        .filter_map(|line| source.redacted_line(line))
        .collect();
    let pointer = Pointer {
        file: path.clone(),
        span,
        source_hash: source.span_hash(span),
    };
    Some((Redacted::join(lines.iter())?, pointer))
}

impl FoundPlace {
    /// As it is printed: where, what, and the text.
    #[must_use]
    pub fn printed(&self) -> String {
        let symbol = self
            .symbol
            .as_ref()
            .map(|symbol| format!(" {symbol}"))
            .unwrap_or_default();
        format!("{}{symbol}\n{}\n\n", self.pointer, self.text.as_str())
    }
}
