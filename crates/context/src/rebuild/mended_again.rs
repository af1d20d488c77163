//! Rebuilds the list of fixed failures, from the results that showed their tests passing.

use std::collections::BTreeSet;

use windlass_packs::context::{ContextPack, RESOLVED_ITEM, Source, SourceKind};
use windlass_results::{Failure, Results};

use super::Rebuild;
use super::failures_again::{ResultsNow, out_of_reach, results_of};
use super::part_state::PartState;
use super::source_gone::gone;
use crate::compose::outcomes::FailedBefore;
use crate::compose::outcomes::Ran;

/// A result file in its current state.
struct Seen {
    path: String,
    /// True if the file is unchanged.
    is_same: bool,
    /// The tests that ran, or `None` if the file is incomplete or we can't parse it.
    ran: Option<Ran>,
    fails: BTreeSet<String>,
    /// State and reason if we can't read the file, or `None` if we can.
    gone: Option<(PartState, String)>,
}

impl Seen {
    fn of(path: &str, is_same: bool, found: Option<&Results>) -> Self {
        let failures = found.iter().flat_map(|found| &found.failures);
        Self {
            path: path.to_owned(),
            is_same,
            ran: found.and_then(Ran::of),
            fails: failures.map(|failure| failure.id.clone()).collect(),
            gone: None,
        }
    }

    fn gone(path: &str, state: PartState, why: String) -> Self {
        let gone = Some((state, why));
        let unread = Self::of(path, false, None);
        Self { gone, ..unread }
    }
}

impl Rebuild<'_> {
    /// Returns the fixed failures in `kept` whose tests still pass according to the results.
    /// `before` is the pack it was compared with, if that's still stored.
    pub(super) fn mended(
        &mut self,
        kept: &ContextPack,
        sources: &[&Source],
        before: Option<&ContextPack>,
    ) -> Vec<String> {
        let all = kept.delta.as_ref().map(|delta| delta.resolved.clone());
        let all = all.unwrap_or_default();
        if all.is_empty() {
            return all;
        }
        let seen = self.seen(kept, sources);
        if seen.is_empty() {
            self.tell(RESOLVED_ITEM, PartState::NoOrigin, super::NO_ORIGIN);
            return all;
        }
        let then = before.map(FailedBefore::of).unwrap_or_default();
        let (holds, open): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|id| is_shown(&then, &seen, id));
        let Some((state, why)) = why_not(&seen, &open, before.is_some()) else {
            self.read += 1;
            return holds;
        };
        self.tell(RESOLVED_ITEM, state, why);
        match state {
            PartState::Unverified => holds.into_iter().chain(open).collect(),
            _ => holds,
        }
    }

    /// Returns the result files that showed the fixes, in their current state. If we don't know
    /// them, returns all of the pack's result files.
    fn seen(&mut self, kept: &ContextPack, sources: &[&Source]) -> Vec<Seen> {
        let items = kept.provenance.iter().flat_map(|it| &it.items);
        let named = items.map(|origin| &origin.source);
        let named = named.filter(|source| source.kind == SourceKind::Results);
        let own: BTreeSet<_> = match sources {
            [] => named.filter_map(results_of).collect(),
            own => own.iter().filter_map(|source| results_of(source)).collect(),
        };
        let seen = own.iter().map(|then| {
            let path = then.path();
            match self.results_now(then) {
                ResultsNow::Same(said) => Seen::of(path, true, Some(&said.found)),
                ResultsNow::Others(said) => {
                    Seen::of(path, false, said.as_ref().map(|said| &said.found))
                }
                ResultsNow::Gone if then.is_outside() => {
                    Seen::gone(path, PartState::Unverified, out_of_reach(path))
                }
                ResultsNow::Gone => Seen::gone(path, PartState::Missing, gone(path)),
            }
        });
        seen.collect()
    }
}

/// Returns true if some results show that `id` passed and none shows that it fails.
fn is_shown(then: &FailedBefore<'_>, seen: &[Seen], id: &str) -> bool {
    let unknown = Failure {
        id: id.to_owned(),
        ..Failure::default()
    };
    let known = then.failures.iter().find(|failure| failure.id == id);
    let failure = known.copied().unwrap_or(&unknown);
    let has_passed = |it: &Seen| {
        let ran = it.ran.as_ref();
        ran.is_some_and(|ran| then.has_passed_by(&it.path, ran, failure))
    };
    seen.iter().any(has_passed) && !seen.iter().any(|it| it.fails.contains(id))
}

/// Returns the list's state and the reason. `seen` are the result files, and `open` the failures
/// whose tests they don't show as passed.
fn why_not(seen: &[Seen], open: &[String], is_before_known: bool) -> Option<(PartState, String)> {
    let other = seen.iter().find(|it| !it.is_same);
    let Some(first) = open.first() else {
        let other = other?;
        let why = match &other.gone {
            Some((_, why)) => format!("{why}, and others show the same"),
            None => format!("`{}` changed, and shows the same", other.path),
        };
        return Some((PartState::LinesSame, why));
    };
    if let Some(gone) = seen.iter().find_map(|it| it.gone.clone()) {
        return Some(gone);
    }
    let more = match open.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(match other {
        Some(other) => (
            PartState::Changed,
            format!(
                "`{}` changed, and does not show that `{first}`{more} passed",
                other.path
            ),
        ),
        None if is_before_known => (
            PartState::Changed,
            format!("the results do not show that `{first}`{more} passed"),
        ),
        None => (
            PartState::Unverified,
            format!(
                "the pack that the results were compared with is not stored here, and the results alone do not show that `{first}`{more} passed"
            ),
        ),
    })
}
