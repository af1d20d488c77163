//! Turns the results of a run into the sections of a pack.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::{
    Entry, Freshness, NextAction, Observation, Provenance, compare_numbers, counted,
};
use windlass_engine::{Caveat, ErrorKind, StepError, StepResult};
use windlass_plan::{PlannedOutput, SortKey, Status, StepIndex};

use crate::runbook::classify::classify;
use crate::runbook::resting::{StaleBasis, stale_basis};
use crate::runbook::selection::{Selection, is_reproducible, made_of, rests_on_files};
use crate::{PackSection, SectionStatus};

/// Selects the runbook's outputs in order, and verifies all pointers in them.
#[must_use]
pub fn select(selection: &Selection<'_>) -> Vec<PackSection> {
    selection
        .plan
        .outputs()
        .iter()
        .map(|output| section(selection, output))
        .collect()
}

fn section(selection: &Selection<'_>, output: &PlannedOutput) -> PackSection {
    let step = &selection.result.steps[output.from.index()];
    let limit = output
        .limit
        .map_or(selection.max_items, |limit| limit as usize);
    let mut section = PackSection {
        id: output.id.clone(),
        title: output.title.clone(),
        step: step.id.clone(),
        status: SectionStatus::Empty,
        reason: None,
        help: None,
        refused: false,
        in_doubt: false,
        next_action: None,
        limit,
        entries: Vec::new(),
        notes: step.notes.clone(),
    };
    if let Some(value) = &step.output {
        section.entries = entries(selection, output, step, value);
        section.status = SectionStatus::of(&section.entries);
    }
    // An observation can't be verified itself. But if it was computed from evidence that is stale
    // by now, it's in doubt.
    let observes = |entry: &Entry| matches!(entry, Entry::Observation(_));
    if section.entries.iter().any(observes)
        && let Some(StaleBasis { step, status }) = stale_basis(selection, output.from)
    {
        section.status = section.status.max(status);
        section.in_doubt = true;
        section.reason = Some(format!("it depends on stale evidence of step `{step}`"));
    }
    let caveat = caveat(selection, output.from);
    if let Some(caveat) = caveat.filter(|_| step.output.is_some()) {
        if caveat.unproven {
            section.status = section.status.max(SectionStatus::Unknown);
            section.in_doubt = true;
        }
        section.reason = Some(match section.reason.take() {
            Some(reason) => format!("{reason}; {}", caveat.text),
            None => caveat.text,
        });
        section.help = caveat.help;
        section.next_action = caveat.next_action;
    }
    match step.status {
        Status::Completed => {}
        Status::Skipped => {
            section.status = SectionStatus::Skipped;
            section.reason.clone_from(&step.reason);
        }
        _ => failed(selection, output, step, &mut section),
    }
    section
}

/// Adds the reason why the step failed. The section may already have a reason, which is about the
/// part that the step did return. It goes after this one.
fn failed(
    selection: &Selection<'_>,
    output: &PlannedOutput,
    step: &StepResult,
    section: &mut PackSection,
) {
    section.status = SectionStatus::Failed;
    // Unverified evidence counts as stale. The output of a failed program isn't evidence, so this
    // only applies to steps that read files.
    section.in_doubt |= rests_on_files(selection.plan, selection.catalog, output.from);
    let error = step.error.as_ref();
    let why = error.map(ToString::to_string);
    if let Some(why) = why.or_else(|| step.reason.clone()) {
        section.reason = Some(match section.reason.take() {
            Some(of_the_rest) => format!("{why}; {of_the_rest}"),
            None => why,
        });
    }
    let Some(error) = error else { return };
    section.refused = error.kind == ErrorKind::Refused;
    if section.refused {
        section.next_action = look_at_kind(selection, output);
    }
    // If only some elements of a list failed, the section already has entries for the others.
    let seen = seen(step, error);
    // The recorded output usually says more than the error's general advice.
    if seen.is_empty() && error.help.is_some() {
        section.help.clone_from(&error.help);
    }
    section.entries.extend(seen);
}

/// The call that shows what a step kind asks for. Returns `None` if it does not ask for any
/// permission, in which case the step was refused because of the runbook's programs.
fn look_at_kind(selection: &Selection<'_>, output: &PlannedOutput) -> Option<NextAction> {
    let uses = &selection.plan.step(output.from)?.uses;
    let asks = &selection.catalog.get(uses)?.asks;
    let asks: Vec<&str> = asks.iter().map(|one| one.as_str()).collect();
    if asks.is_empty() {
        return None;
    }
    let reason = format!(
        "review the request for `{}`, which is not granted yet",
        asks.join("`, `")
    );
    let look = NextAction::new("trust", reason).positional(uses.as_str());
    Some(look.option("dry_run", true))
}

fn entries(
    selection: &Selection<'_>,
    output: &PlannedOutput,
    step: &StepResult,
    value: &Value,
) -> Vec<Entry> {
    let kind = selection.catalog.get(&step.uses);
    let provenance = Provenance {
        step: step.id.clone(),
        uses: step.uses.clone(),
        reproducible: is_reproducible(selection, output.from),
    };
    let nested = kind.is_some_and(|kind| kind.effects.nested);
    let fans_out = selection.plan.steps()[output.from.index()]
        .for_each
        .is_some();
    let mut values = match &output.select {
        Some(selector) => selector.select(value),
        None => main_values(value, kind.and_then(|kind| kind.main.as_deref()), fans_out),
    };
    if let Some(key) = &output.sort {
        sort(&mut values, key);
    }
    let classified = values
        .into_iter()
        .map(|value| classify(value, &provenance, nested, selection.snapshot));
    let mut entries: Vec<Entry> = classified.collect();
    if output.sort.is_none() && kind.is_some_and(|kind| kind.worst_first) {
        entries.sort_by_key(severity);
    }
    entries
}

/// A key that sorts the worst entries first, beginning with those in missing files.
fn severity(entry: &Entry) -> (bool, Reverse<SectionStatus>) {
    let is_there = match entry {
        Entry::Item(item) => item
            .evidence
            .iter()
            .all(|evidence| evidence.judgement.status != Freshness::MissingFile),
        Entry::Observation(_) => true,
    };
    (
        is_there,
        Reverse(SectionStatus::of(std::slice::from_ref(entry))),
    )
}

/// The observations that a step has made before it failed, e.g. the output of a program.
fn seen(step: &StepResult, error: &StepError) -> Vec<Entry> {
    let observation = |value: &Value| {
        Entry::Observation(Observation {
            provenance: Provenance {
                step: step.id.clone(),
                uses: step.uses.clone(),
                reproducible: false,
            },
            value: value.clone(),
            parts_before: 0,
            parts_cut: 0,
            parts_after: 0,
        })
    };
    error.seen.iter().map(observation).collect()
}

const NAMED: usize = 3;

/// The caveats about the output of `step`, combined into one. They include those of all steps it
/// was computed from. The most serious ones come first.
fn caveat(selection: &Selection<'_>, step: StepIndex) -> Option<Caveat> {
    let used = made_of(selection.plan, step);
    let of = |step: &StepIndex| selection.result.steps[step.index()].caveat.as_ref();
    let theirs = used.iter().filter(|other| **other != step);
    let theirs = theirs.filter_map(|other| {
        let caveat = of(other)?;
        let id = &selection.result.steps[other.index()].id;
        Some(Caveat {
            text: format!("step `{id}`: {}", caveat.text),
            unproven: caveat.unproven || misleads(selection, &used, *other),
            ..caveat.clone()
        })
    });
    let mut all: Vec<Caveat> = of(&step).cloned().into_iter().chain(theirs).collect();
    all.sort_by_key(|caveat| !caveat.unproven);
    let mut texts: Vec<&str> = all.iter().map(|caveat| &*caveat.text).collect();
    let more = texts.len().saturating_sub(NAMED);
    texts.truncate(NAMED);
    let mut text = texts.join("; ");
    if more > 0 {
        text += &format!("; and {}", counted(more, "more step"));
    }
    let gravest = all.first()?.clone();
    Some(Caveat { text, ..gravest })
}

/// True if the incomplete output of `step` makes a result in `used` wrong, rather than just
/// shorter. For example, a count of half the matches is wrong.
fn misleads(selection: &Selection<'_>, used: &BTreeSet<StepIndex>, step: StepIndex) -> bool {
    let needs_whole = |at: &&StepIndex| {
        let planned = selection.plan.step(**at);
        let kind = planned.and_then(|planned| selection.catalog.get(&planned.uses));
        planned
            .zip(kind)
            .is_some_and(|(planned, kind)| kind.needs_whole_lists(&planned.with))
    };
    used.iter()
        .filter(|at| **at != step)
        .filter(needs_whole)
        .any(|at| made_of(selection.plan, *at).contains(&step))
}

/// The values of an output without `select`: the elements of the step kind's main list if it has
/// one, the elements of the value if that is a list, or else the value itself.
fn main_values<'a>(value: &'a Value, main: Option<&str>, fans_out: bool) -> Vec<&'a Value> {
    match value {
        Value::Array(instances) if fans_out => instances
            .iter()
            .flat_map(|instance| main_values(instance, main, false))
            .collect(),
        Value::Array(list) => list.iter().collect(),
        Value::Null => Vec::new(),
        value => match main
            .and_then(|main| value.get(main))
            .and_then(Value::as_array)
        {
            Some(list) => list.iter().collect(),
            None => vec![value],
        },
    }
}

/// Sorts values by the field in `key`, using a stable sort. Numbers come before strings. Values
/// without the field come last, even if the order is descending.
fn sort(values: &mut [&Value], key: &SortKey) {
    values.sort_by(|a, b| {
        let (a, b) = (a.pointer(&key.pointer), b.pointer(&key.pointer));
        let is_missing = |value: Option<&Value>| rank(value) == MISSING;
        if key.descending && !is_missing(a) && !is_missing(b) {
            compare(b, a)
        } else {
            compare(a, b)
        }
    });
}

const MISSING: u8 = 4;

fn rank(value: Option<&Value>) -> u8 {
    match value {
        Some(Value::Bool(_)) => 0,
        Some(Value::Number(_)) => 1,
        Some(Value::String(_)) => 2,
        Some(Value::Array(_) | Value::Object(_)) => 3,
        Some(Value::Null) | None => MISSING,
    }
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (Some(Value::Number(a)), Some(Value::Number(b))) => compare_numbers(a, b),
        (Some(Value::String(a)), Some(Value::String(b))) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sort_puts_missing_keys_last() {
        let values = [
            json!({"n": 2}),
            json!({}),
            json!({"n": 10}),
            json!({"n": "x"}),
        ];
        let sorted = |key: &str| {
            let mut list: Vec<&Value> = values.iter().collect();
            sort(&mut list, &SortKey::parse(key).unwrap());
            list.iter()
                .map(|value| value["n"].to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(sorted("/n"), r#"2 10 "x" null"#);
        assert_eq!(sorted("-/n"), r#""x" 10 2 null"#);
    }

    #[test]
    fn sort_compares_large_integers_exactly() {
        let row = |n: u64| json!({"n": n});
        let values = [row(u64::MAX), row(u64::MAX - 2), row(u64::MAX - 1)];
        let mut list: Vec<&Value> = values.iter().collect();
        sort(&mut list, &SortKey::parse("/n").unwrap());
        assert_eq!(list, [&values[1], &values[2], &values[0]]);
    }
}
