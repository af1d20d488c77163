//! Single cases: which are to be looked at, what was expected of each and what was shown, and the command that measures it again.

use super::{fails, why};
use crate::results::{CaseResult, Choice, Results};
use crate::{BUILT_IN, OURS};

/// Whose cases are to be looked at: ours, and those of programs that are measured. What plain tools miss is nobody's to mend.
pub(super) fn looked_at(results: &Results) -> Vec<&str> {
    let mut systems = results.systems();
    systems.retain(|name| *name == OURS || !BUILT_IN.contains(name));
    systems
}

/// The cases of `system` that are not as they should be: those that failed first.
pub(super) fn failing<'a>(results: &'a Results, system: &'a str) -> Vec<&'a CaseResult> {
    let cases = results.chosen(Choice::of(system));
    let mut failing: Vec<&CaseResult> = cases.filter(|case| fails(case)).collect();
    failing.sort_by_key(|case| case.failure.is_none());
    failing
}

/// The cases that have one name, where no other was measured: whoever asked for it wants to see it.
pub(super) fn only_one(results: &Results) -> Option<&str> {
    let name = &results.cases.first()?.case;
    let is_it = |case: &CaseResult| case.case == *name;
    results.cases.iter().all(is_it).then_some(name)
}

/// In what it is not as it should be, and how it failed, in words.
pub(super) fn reasons(case: &CaseResult) -> String {
    let failure = case.failure.as_ref();
    let failure = failure.map(|why| format!("failed: {why}"));
    let own = why(case).into_iter().map(str::to_owned);
    own.chain(failure).collect::<Vec<_>>().join("; ")
}

/// What was shown, a line each, and how much came behind that which counts for nothing.
pub(super) fn shown(case: &CaseResult) -> Vec<String> {
    let more = match case.left_off {
        0 => None,
        more => Some(format!("and {more} more, which count for nothing")),
    };
    case.shown.iter().cloned().chain(more).collect()
}

/// The first of `lines`, `most` of them, and how many more there are.
pub(super) fn first(lines: &[String], most: usize) -> Vec<String> {
    let mut first: Vec<String> = lines.iter().take(most).cloned().collect();
    if let Some(more) = lines.len().checked_sub(most).filter(|more| *more > 0) {
        first.push(format!("and {more} more"));
    }
    first
}

/// The command that measures the case again.
pub(super) fn command(results: &Results, case: &CaseResult) -> String {
    results.reproduce(Some(&case.archetype), Some(&case.case), &[&*case.system])
}
