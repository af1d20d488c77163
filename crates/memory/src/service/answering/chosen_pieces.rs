//! Picks the texts to load for the matches of a recall.
//!
//! The result is sorted by importance and may be larger than the budget. It's up to `recall_budget`
//! to load as much of it as fits.

use std::sync::Arc;

use windlass_base::{Pointer, RepoPath, Source};
use windlass_repo::SourceFile;

use super::found_things::{Found, Says};
use super::piece::{MAY_BE_MEANT, Piece};
use super::recaller::Recaller;
use super::recollection::{LoadedField, Recalled};
use super::source_lines::{lines_at, pointer, span_of, worth_showing};
use crate::{Level, PASSAGE, Passage, Query, Ranking, Record, RecordKind, SUMMARY, passages};

/// Maximum length of the summary if it's loaded on top of records, in bytes.
const MAX_OPENING: usize = 900;
/// We only parse this many bytes of the summary to find its opening, because the rest is usually a
/// long list of links.
const LOOKED_THROUGH: usize = 32 << 10;
/// A record up to this size is loaded as a whole, since a passage would be just as long.
const SMALL_RECORD: usize = PASSAGE;
/// Minimum score of further records at the level `strong`, in thousandths of the best score.
const WORTH: u64 = 500;
/// The same for the level `weak`. We're less certain there that the best match is the right one, so
/// we load more.
const UNSURE_WORTH: u64 = 400;
/// Maximum number of passages of a long record. Apart from this limit, a passage must match more
/// than half as many words as the best one.
const MOST_PASSAGES: usize = 3;

impl Recaller {
    /// The texts to load, most important first. At the level `strong`, `with_opening` adds the
    /// summary.
    pub(super) fn pieces(
        &self,
        level: Level,
        with_opening: bool,
        ranking: &Ranking,
        found: &[Found],
        query: &Query,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        match level {
            Level::None => {}
            Level::Weak => {
                // The best match may be wrong, so load some others as well, and then the summary.
                pieces.extend(self.earning(found, query, UNSURE_WORTH, ranking.most_records));
                for piece in &mut pieces {
                    piece.why = format!("{MAY_BE_MEANT}: {}", piece.why);
                }
                let why = "the matches are weak; the summary describes the project";
                if !has_summary(&pieces) {
                    pieces.extend(self.summary(MAX_OPENING, why));
                }
            }
            Level::Strong => {
                pieces.extend(self.earning(found, query, WORTH, ranking.most_records));
                // The summary comes after the best record, because it could use up a small budget.
                let best = pieces.first().map(|best| best.pointer.file.clone());
                let of_best = |piece: &&Piece| Some(&piece.pointer.file) == best.as_ref();
                let at = pieces.iter().take_while(of_best).count();
                if with_opening && !has_summary(&pieces) {
                    let opening = self.summary(MAX_OPENING, "what the project is about");
                    pieces.splice(at..at, opening);
                }
            }
        }
        pieces
    }

    /// The texts of the first `most` matches whose score is at least `worth` thousandths of the
    /// best one.
    fn earning(&self, found: &[Found], query: &Query, worth: u64, most: usize) -> Vec<Piece> {
        let best = found.first().map_or(0, |one| one.recalled.score);
        let earns = |one: &&Found| u64::from(one.recalled.score) * 1000 >= u64::from(best) * worth;
        let earning = found.iter().filter(earns).take(most);
        let mut pieces: Vec<Piece> = earning.flat_map(|one| self.pieces_of(one, query)).collect();
        for piece in &mut pieces {
            piece.match_lines(query);
        }
        pieces
    }

    fn pieces_of(&self, one: &Found, query: &Query) -> Vec<Piece> {
        match &one.says {
            Says::Record => self.pieces_of_record(one, query),
            Says::Lines(pointer, source) => {
                let piece = standing(&one.recalled, pointer, source, query);
                piece.into_iter().collect()
            }
            Says::Text(text) => {
                let pointer = one.recalled.evidence.first().cloned();
                let lines = text.lines().map(str::to_owned).collect();
                let piece = pointer.map(|pointer| Piece {
                    title: Some(one.recalled.title.clone()),
                    ..Piece::of(pointer, why(&one.recalled), lines, None)
                });
                piece.into_iter().collect()
            }
            Says::Nothing => Vec::new(),
        }
    }

    fn pieces_of_record(&self, one: &Found, query: &Query) -> Vec<Piece> {
        let Some(path) = one
            .recalled
            .evidence
            .first()
            .map(|pointer| pointer.file.clone())
        else {
            return Vec::new();
        };
        let Some((source, record)) = self.read_record(&path) else {
            return self.lines_of(&one.recalled).into_iter().collect();
        };
        let text = record.source().text();
        let from = record.body_start();
        let parts = passages(&record, query);
        let most = parts.first().map_or(0, |best| best.matched);
        // Unlike the sections of a record, the events in a file have nothing to do with each other.
        // Only load the ones that match.
        let are_apart = record.kind == RecordKind::Event && most > 0;
        if !are_apart && text[from..].trim().len() <= SMALL_RECORD {
            let narrow = self.narrow(&path, &source, &record, query, &one.recalled);
            let parts = record.body().filled(from..text.len()).into_iter();
            let parts = parts.filter_map(|part| {
                self.piece(&path, &source, &record, &part, None, why(&one.recalled))
            });
            let mut parts: Vec<Piece> = parts.collect();
            if let Some(first) = parts.first_mut() {
                first.narrow = narrow;
            }
            with_fields(&mut parts, &one.fields);
            return parts;
        }
        let worth = |part: &Passage| part.matched * 2 > most;
        let parts = parts.into_iter().filter(worth).take(MOST_PASSAGES);
        let parts = parts.filter_map(|part| {
            let why = why(&one.recalled);
            let piece = self.piece(&path, &source, &record, &part.range, part.title, why)?;
            Some(Piece {
                begins_within: part.begins_within,
                goes_on: part.goes_on,
                ..piece
            })
        });
        let mut parts: Vec<Piece> = parts.collect();
        with_fields(&mut parts, &one.fields);
        parts
    }

    /// The passages of a small record, best first. We fall back to these if there's no room for the
    /// whole record.
    fn narrow(
        &self,
        path: &RepoPath,
        source: &Arc<SourceFile>,
        record: &Record,
        query: &Query,
        one: &Recalled,
    ) -> Vec<Piece> {
        let parts = passages(record, query).into_iter().filter_map(|part| {
            let mut skipped = 0;
            // Skip headings and blank lines at the top; a small budget has no room for them.
            for line in record.source().text()[part.range.clone()].split_inclusive('\n') {
                if !line.trim().is_empty() && !line.starts_with('#') {
                    break;
                }
                skipped += line.len();
            }
            let range = part.range.start + skipped..part.range.end;
            self.piece(path, source, record, &range, part.title, why(one))
        });
        parts.collect()
    }

    /// The first lines of a file outside the memory.
    fn lines_of(&self, one: &Recalled) -> Option<Piece> {
        let pointer = one.evidence.first()?;
        let source = self.beginning_of(&pointer.file)?;
        let lines = lines_at(&source, pointer.span).collect();
        Some(Piece {
            goes_on: pointer.span.end() < source.line_count(),
            ..Piece::of(pointer.clone(), why(one), lines, Some(source))
        })
    }

    /// The opening of the summary, without unfilled sections. This is at most `most` bytes long,
    /// and ends at a line break.
    fn summary(&self, most: usize, why: &str) -> Vec<Piece> {
        let record = RepoPath::parse(SUMMARY)
            .ok()
            .and_then(|path| Some((self.read_beginning(&path)?, path)));
        let Some(((source, record), path)) = record else {
            return Vec::new();
        };
        let text = record.source().text();
        let (mut left, mut pieces) = (most, Vec::new());
        for part in record.body().filled(record.body_start()..text.len()) {
            let lines = text[part.clone()].split_inclusive('\n');
            let fitting = lines.scan(0, |length, line| {
                *length += line.len();
                (*length <= left).then_some(line.len())
            });
            let length: usize = fitting.sum();
            let end = part.start + text[part.start..part.start + length].trim_end().len();
            let range = part.start..end;
            if record.body().filled(range.clone()).is_empty() {
                break;
            }
            let piece = self.piece(&path, &source, &record, &range, None, why.to_owned());
            pieces.extend(piece.map(|piece| Piece {
                is_summary: true,
                goes_on: end < part.end,
                ..piece
            }));
            left -= length;
            if end < part.end {
                break;
            }
        }
        pieces
    }

    /// Reads the record at `path`. If it's long, we only parse the beginning.
    fn read_beginning(&self, path: &RepoPath) -> Option<(Arc<SourceFile>, Record)> {
        let source = self.snapshot.read(path).ok()?;
        let text = std::str::from_utf8(source.bytes()).ok()?;
        let most = text.floor_char_boundary(LOOKED_THROUGH);
        let end = match text.len() > most {
            true => text[..most].rfind('\n').map_or(most, |at| at + 1),
            false => text.len(),
        };
        let record = Record::of(path, &Source::new(path.as_str(), &text[..end]))?;
        Some((source, record))
    }

    fn piece(
        &self,
        path: &RepoPath,
        source: &Arc<SourceFile>,
        record: &Record,
        range: &std::ops::Range<usize>,
        title: Option<String>,
        why: String,
    ) -> Option<Piece> {
        let span = span_of(record.source(), range)?;
        let lines = (span.start()..=span.end()).map(|line| source.shown().line(line));
        let lines = lines.map(|line| {
            line.map(|line| line.as_str().to_owned())
                .unwrap_or_default()
        });
        Some(Piece {
            title,
            ..Piece::of(
                pointer(path, source, span)?,
                why,
                lines.collect(),
                Some(Arc::clone(source)),
            )
        })
    }
}

/// The lines of a verified anchor. If there are many, just the part that matches best.
fn standing(
    one: &Recalled,
    at: &Pointer,
    source: &Arc<SourceFile>,
    query: &Query,
) -> Option<Piece> {
    let span = worth_showing(source, at.span, query);
    let shown = match span == at.span {
        true => at.clone(),
        false => pointer(&at.file, source, span)?,
    };
    let lines = lines_at(source, span).collect();
    Some(Piece {
        title: Some(one.title.clone()),
        state: one.state.clone(),
        begins_within: span.start() > at.span.start(),
        goes_on: span.end() < at.span.end(),
        ..Piece::of(shown, why(one), lines, Some(Arc::clone(source)))
    })
}

/// Attaches fields to the first piece and to the narrower pieces that may replace it.
fn with_fields(parts: &mut [Piece], fields: &[LoadedField]) {
    let Some(first) = parts.first_mut() else {
        return;
    };
    first.fields = fields.to_vec();
    for part in &mut first.narrow {
        part.fields = fields.to_vec();
    }
}

fn has_summary(pieces: &[Piece]) -> bool {
    pieces
        .iter()
        .any(|piece| piece.pointer.file.as_str() == SUMMARY)
}

fn why(one: &Recalled) -> String {
    match &one.instead_of {
        _ if one.has().is_empty() => format!("feedback leads to `{}`", one.id),
        Some(old) => format!("`{}` replaced `{old}`, which matches {}", one.id, one.has()),
        None => format!("`{}` matches {}", one.id, one.has()),
    }
}
