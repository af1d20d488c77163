//! What of a recall fits into a budget.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{Limit, LineSpan, Pointer, RepoPath};
use windlass_pack::{Measure, ViewError, tron};
use windlass_repo::SourceFile;

use super::answer::{Loaded, Recollection};
use super::recall::{RecallFormat, RecallReport, pointer};
use crate::Error;
use crate::listing::json_of;

/// Text that may be loaded, if there is room.
pub(super) struct Piece {
    pub(super) pointer: Pointer,
    pub(super) title: Option<String>,
    pub(super) why: String,
    pub(super) lines: Vec<String>,
    pub(super) is_summary: bool,
    /// The file, to say which lines are left when some are cut.
    pub(super) source: Option<Arc<SourceFile>>,
}

/// As much of it as fits: matches first, then what is loaded, piece by piece, the last one cut at a line.
pub(super) fn fit(
    mut answer: Recollection,
    pieces: &[Piece],
    limit: Limit,
    format: RecallFormat,
) -> Result<RecallReport, Error> {
    let measure = Measure::of(limit);
    let max = limit.max();
    let print = |answer: &mut Recollection| -> Result<(String, usize), Error> {
        let mut used = 0;
        // What is used is told as well, so it is looked for until it is what it says.
        for _ in 0..8 {
            answer.budget.used = used;
            let text = printed(answer, format, measure)?;
            let weight = measure.weigh(&text);
            if weight == used {
                return Ok((text, weight));
            }
            used = weight;
        }
        let text = printed(answer, format, measure)?;
        let weight = measure.weigh(&text);
        Ok((text, weight))
    };
    let mut last = print(&mut answer)?;
    if last.1 > max {
        answer.budget.truncated = true;
        // What is wrong is said in short before anything of the answer goes.
        shorten(&mut answer.diagnostics);
        last = fewer_matches(&mut answer, max, &print)?;
    }
    while last.1 > max {
        let least = last.1;
        if answer.next_actions.pop().is_none() {
            return Err(ViewError::TooSmall { given: max, least }.into());
        }
        last = print(&mut answer)?;
    }
    let bare = answer.clone();
    last = load(&mut answer, pieces, last, max, &print)?;
    let has_more = !bare.next_actions.is_empty() || !bare.diagnostics.is_empty();
    let lacks_first = answer.loaded.first().map(|first| &first.pointer.file)
        != pieces.first().map(|piece| &piece.pointer.file);
    if lacks_first && has_more {
        // What is remembered matters more than what to do next, and than all that is to be said of what is wrong.
        let mut without = Recollection {
            next_actions: Vec::new(),
            ..bare
        };
        shorten(&mut without.diagnostics);
        without.budget.truncated = true;
        let first = print(&mut without)?;
        let told = load(&mut without, pieces, first, max, &print)?;
        let has_first = without.loaded.first().map(|first| &first.pointer.file)
            == pieces.first().map(|piece| &piece.pointer.file);
        if has_first && told.1 <= max {
            (answer, last) = (without, told);
        }
    }
    Ok(RecallReport {
        printed: last.0,
        recollection: answer,
    })
}

/// As many matches as fit, at least the best: that is what was asked for.
fn fewer_matches(
    answer: &mut Recollection,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Weighed, Error> {
    let all = std::mem::take(&mut answer.matches);
    let (mut fits, mut too_many) = (1.min(all.len()), all.len() + 1);
    while fits + 1 < too_many {
        let middle = usize::midpoint(fits, too_many);
        answer.matches = all[..middle].to_vec();
        match print(answer)?.1 > max {
            true => too_many = middle,
            false => fits = middle,
        }
    }
    answer.matches = all;
    answer.matches.truncate(fits);
    print(answer)
}

/// Leaves of what is wrong what it begins with: that it is so is said whatever the room.
fn shorten(diagnostics: &mut [String]) {
    for text in diagnostics {
        if let Some(at) = text.find(", ") {
            text.truncate(at);
        }
    }
}

/// An answer as it is printed, and what that weighs.
type Weighed = (String, usize);

/// Loads of `pieces` what fits.
fn load(
    answer: &mut Recollection,
    pieces: &[Piece],
    mut last: Weighed,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Weighed, Error> {
    let mut records: BTreeSet<RepoPath> = BTreeSet::new();
    for piece in pieces {
        let before = answer.clone();
        let mut taken = piece.lines.len();
        loop {
            *answer = before.clone();
            if taken < piece.lines.len() {
                answer.budget.truncated = true;
            }
            // A few lines of much say little.
            if taken == 0 || (taken < piece.lines.len() && taken < 3) {
                last = print(answer)?;
                if last.1 > max {
                    // Not even that it was cut can be said.
                    *answer = before.clone();
                    last = print(answer)?;
                }
                break;
            }
            answer.loaded.push(loaded(piece, taken));
            let records_with = records.len()
                + usize::from(!piece.is_summary && !records.contains(&piece.pointer.file));
            answer.budget.records_loaded = records_with;
            answer.budget.summaries_loaded += usize::from(piece.is_summary);
            last = print(answer)?;
            if last.1 <= max {
                if !piece.is_summary {
                    records.insert(piece.pointer.file.clone());
                }
                break;
            }
            taken = taken * 3 / 4;
        }
    }
    Ok(last)
}

fn loaded(piece: &Piece, lines: usize) -> Loaded {
    let whole = lines == piece.lines.len();
    let start = piece.pointer.span.start();
    let span = LineSpan::new(
        start,
        start + u32::try_from(lines).unwrap_or(u32::MAX).max(1) - 1,
    )
    .ok();
    let left = span.and_then(|span| pointer(&piece.pointer.file, piece.source.as_ref()?, span));
    Loaded {
        pointer: left
            .filter(|_| !whole)
            .unwrap_or_else(|| piece.pointer.clone()),
        title: piece.title.clone(),
        why: piece.why.clone(),
        text: piece.lines[..lines].join("\n"),
        truncated: lines < piece.lines.len(),
    }
}

fn printed(answer: &Recollection, format: RecallFormat, measure: Measure) -> Result<String, Error> {
    Ok(match format {
        RecallFormat::Text => super::text::recollection(answer),
        RecallFormat::Json => format!("{}\n", json_of(answer)?),
        RecallFormat::Tron => format!("{}\n", tron(&json_of(answer)?, measure)),
    })
}
