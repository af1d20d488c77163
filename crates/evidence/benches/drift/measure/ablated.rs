//! Measurements with heuristics turned off: `cargo xtask ablate evidence`.

use std::io::{BufRead, Write};
use std::num::NonZeroUsize;

use super::answers::{MISSING, NAMED, RIGHT, WRONG, answer};
use super::between::{Prepared, prepared};
use super::edits::{Error, Label, Score, score};
use super::found_places::is_named;
use super::{Asked, DriftRequest, Work, asked_for, in_parallel};

/// Prepares all measurements of `request` once, and judges the spans again for each set of
/// heuristics in `requests`.
///
/// # Errors
/// Returns an error if nothing can be measured, or if the build has no switches.
pub(crate) fn answer_requests(
    request: &DriftRequest,
    requests: impl BufRead,
    out: &mut impl Write,
) -> Result<(), Error> {
    let asked = asked_for(request);
    let prepare = |(asked, work): &(Asked, Work)| match work {
        Work::Between(from, to) => {
            let ends = (from.as_str(), to.as_str());
            let found = prepared(request, &asked.repo, ends, NonZeroUsize::MIN);
            found.map_err(|error| error.to_string())
        }
        Work::Edits => Err("scripted edits cannot be judged again".to_owned()),
    };
    let found = in_parallel(&asked, request.jobs, prepare);
    let mut spans: Vec<Prepared> = Vec::new();
    for found in found {
        match found {
            Ok(found) => spans.push(found),
            Err(error) => eprintln!("left out: {error}"),
        }
    }
    if spans.is_empty() {
        return Err("nothing can be measured".into());
    }
    let known = spans.iter().flat_map(Prepared::known);
    let classes: Vec<String> = known
        .map(|(item, truth)| match (truth.label, item.span.count()) {
            (Label::Edited, 1) => "edited, 1 line".to_owned(),
            (Label::Edited, 2) => "edited, 2 lines".to_owned(),
            (label, _) => label.word().to_owned(),
        })
        .collect();
    let turn_off = |names: &[&str]| windlass_base::turn_off(names.iter().copied());
    let measure = || {
        let answers = in_parallel(&spans, request.jobs, |spans| {
            answers(spans).map_err(|error| error.to_string())
        });
        Ok(answers.into_iter().collect::<Result<String, String>>()?)
    };
    answer(&classes, turn_off, measure, (requests, out))
}

fn answers(spans: &Prepared) -> Result<String, Error> {
    let judged = spans.known().zip(spans.judged()?);
    let answers = judged.map(|((item, truth), judgement)| {
        match score(truth, &judgement, (&item.file, item.span)) {
            Score::Correct | Score::Near => RIGHT,
            found @ Score::GaveUp if is_named(truth, &judgement, found) => NAMED,
            Score::GaveUp => MISSING,
            Score::FalselyGone | Score::Wrong => WRONG,
        }
    });
    Ok(answers.collect())
}
