//! Results of measuring the spans of a repository.

use windlass_base::{Judgement, Pointer, counted};

use super::edits::{Label, Score, Truth, score};
use super::table::Table;
use super::words;
use super::{DriftRequest, Item};

/// Results: the number of spans with each score, and the spans to list.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Told {
    pub(super) table: Table,
    pub(super) lines: Vec<String>,
    /// Number of commits and days between the two states.
    pub(super) apart: Option<(u32, i64)>,
    /// Reason why nothing was measured.
    pub(super) failure: Option<String>,
}

impl Told {
    pub(super) fn failed(why: &(impl ToString + ?Sized)) -> Self {
        Self {
            failure: Some(why.to_string()),
            ..Self::default()
        }
    }

    /// Returns the results.
    ///
    /// If nothing was measured, they become a failure, because a row of zeros would look like a
    /// good result.
    pub(super) fn unless_empty(mut self) -> Self {
        if self.failure.is_none() && self.table.is_empty() {
            self.failure = Some(match self.table.disagreed {
                0 => "no place was found to capture: there was no file of text that people write"
                    .to_owned(),
                drawn => format!(
                    "nothing is known of the {} that were captured: the two ways to follow lines agree on none",
                    counted(drawn as usize, "place")
                ),
            });
        }
        self
    }

    pub(super) fn add(&mut self, other: Self) {
        self.table.add(other.table);
        self.lines.extend(other.lines);
        self.apart = self.apart.or(other.apart);
        self.failure = self.failure.take().or(other.failure);
    }

    /// Counts a span, which was changed by `edit` if that is given, and lists it if this was
    /// requested.
    pub(super) fn count(
        &mut self,
        request: &DriftRequest,
        (item, edit): (&Item, Option<&str>),
        truth: &Truth,
        judgement: &Judgement,
        steps: &[String],
    ) {
        let score = score(truth, judgement, (&item.file, item.span));
        self.table.count(truth, judgement, score);
        if let Some(edit) = edit {
            self.table.count_kind(edit, score);
        }
        if truth.label == Label::Edited {
            let is_named = is_named(truth, judgement, score);
            self.table.count_length(item.span.count(), score, is_named);
        }
        let names = [Some(words::score(score)), Some(truth.label.word()), edit];
        let is_wanted = |name: &&str| request.show.iter().any(|show| show == name);
        if !names.iter().flatten().any(is_wanted) {
            return;
        }
        let edit = edit.map(|edit| format!("{edit}: ")).unwrap_or_default();
        let line = line(item, truth, judgement, score);
        self.lines.push(format!("  {edit}{line}"));
        let steps = steps.iter().filter(|_| request.explain);
        self.lines.extend(steps.map(|step| format!("      {step}")));
    }
}

/// True if the true location is claimed or is one of the candidates.
pub(super) fn is_named(truth: &Truth, judgement: &Judgement, score: Score) -> bool {
    let candidates = judgement
        .repair
        .iter()
        .flat_map(|repair| &repair.candidates);
    let mut candidates = candidates.filter(|one| one.file.as_str() == truth.file);
    let is_there =
        |one: &Pointer| one.span.start() <= truth.inner.1 && truth.inner.0 <= one.span.end();
    matches!(score, Score::Correct | Score::Near) || candidates.any(is_there)
}

fn line(item: &Item, truth: &Truth, judgement: &Judgement, score: Score) -> String {
    let new = judgement
        .repair
        .as_ref()
        .and_then(|repair| repair.evidence.as_ref());
    format!(
        "{}: {}:{} is {}; said {} {} {}",
        words::score(score),
        item.file,
        item.span,
        truth.told(),
        judgement.status.as_str(),
        judgement.outcome().map_or("", |outcome| outcome.as_str()),
        new.map(ToString::to_string).unwrap_or_default(),
    )
}

#[cfg(test)]
#[allow(unused_imports, reason = "a benchmark has no test harness")]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_zeros_is_no_result() {
        let why = Told::default().unless_empty().failure.unwrap();
        assert!(why.starts_with("no place was found"), "{why}");
        let mut told = Told::default();
        told.table.disagreed = 7;
        let why = told.unless_empty().failure.unwrap();
        assert!(why.contains("of the 7 places that were captured"), "{why}");
        let told = Told::failed("it broke").unless_empty();
        assert_eq!(told.failure.as_deref(), Some("it broke"));
    }
}
