//! Selects the parts of a pack that fit a budget.
//!
//! The goal, the definition of done, the list of contract documents and the failures are always
//! shown. If there are many failures, we show the first of them with their output and the others by
//! name.
//!
//! Everything else follows in a fixed order ([`Group`]). At first a group may only use its share of
//! the budget, so that a single long document doesn't crowd out all later groups. After that, the
//! remaining room is handed out in the same order.
//!
//! Sizes are estimated while selecting. We then print the result, compare its real size to the
//! budget, and correct the estimate a few times.

mod chosen_chunks;
mod failure_names;
mod pack_outline;
mod trimmed_view;

use std::convert::Infallible;

use self::pack_outline::{Extent, Outline};
use crate::budget::{Budget, Measure, least_budget};
use crate::context::{BudgetReport, ContextPack};
use windlass_site::{ErrorKind, Explain};

/// Number of times we correct the estimate by the size of the printed pack.
const ROUNDS: usize = 4;
/// Number of corrections if at least a tenth of the budget is still unused. Stopping earlier could
/// make a larger budget show less than a smaller one.
const MOST_ROUNDS: usize = 16;

/// Measures printed packs.
pub trait Scale {
    /// Returns the size of the printed `pack`.
    fn whole(&self, pack: &ContextPack) -> usize;
    /// Estimates the size that `text` adds to a printed pack.
    fn piece(&self, text: &str) -> usize;
}

/// Error for a budget too small for the mandatory parts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {max}{} is too small: the goal, the definition of done, the documents and the failures alone take {least}",
    of_profile(self.profile.as_deref())
)]
pub struct TooSmall {
    /// The given budget, in the unit of the limit.
    pub max: usize,
    /// The smallest budget that would suffice.
    pub least: usize,
    /// The profile that set the budget, or `None` if the caller did.
    pub profile: Option<String>,
}

fn of_profile(profile: Option<&str>) -> String {
    profile.map_or_else(String::new, |name| {
        format!(", that of the profile `{name}`,")
    })
}

/// Groups of optional parts, in the order in which they get room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Constraints, decisions, tools, conflicts, notes on sources, and facts. They come first
    /// because they're binding and short.
    Rules,
    /// The first lines of each failure's output, which usually contain the assertion or the panic.
    Failures,
    /// Text of documents with high priority.
    Contract,
    /// The rest of the failures' output.
    Evidence,
    /// The list of changed files.
    Changes,
    /// The list of relevant files, with reasons.
    Files,
    /// Inputs and artifacts, which are only references with summaries.
    References,
    /// Diffs of changed files.
    Diffs,
    /// Text of relevant files.
    FileText,
    /// Text of documents with medium priority.
    Documents,
    /// Memory records and their text. Documents come first because they're binding.
    Memory,
    /// Text of documents with low priority, and fields added by other tools.
    Background,
}

impl Group {
    /// Returns the percentage of the room available to the group before all groups have had their
    /// shares.
    fn share(self) -> usize {
        match self {
            Self::Rules | Self::Failures => 60,
            Self::Contract => 35,
            Self::Evidence | Self::FileText => 25,
            Self::Changes | Self::Files | Self::References => 10,
            Self::Memory => 10,
            Self::Diffs => 20,
            Self::Documents => 15,
            Self::Background => 5,
        }
    }
}

/// Returns the part of the whole `pack` that fits into `budget`.
///
/// # Errors
/// Returns an error if the mandatory parts do not fit.
pub fn trim(
    pack: &ContextPack,
    budget: &Budget,
    scale: &dyn Scale,
) -> Result<ContextPack, TooSmall> {
    let outline = Outline::of(pack);
    let all = outline.everything();
    let whole = weighed(outline.view(&all, Extent::Whole), budget, None, scale);
    if used(&whole) <= budget.limit.max() {
        return Ok(whole);
    }
    let size = Some(used(&whole));
    let nothing = outline.nothing();
    let least = weighed(outline.view(&nothing, Extent::Part), budget, size, scale);
    if used(&least) > budget.limit.max() {
        let part = least_for(&outline.view(&nothing, Extent::Part), budget, size, scale);
        // The report about the cut takes room too, so a small pack may be shorter as a whole than
        // without its optional parts.
        let whole = least_for(&outline.view(&all, Extent::Whole), budget, None, scale);
        return Err(TooSmall {
            max: budget.limit.max(),
            least: part.min(whole),
            profile: budget.profile.clone(),
        });
    }
    let mut best = least;
    // Room for the selection, in estimated units. Each round corrects it by the size of the printed
    // pack.
    let room = budget.limit.max() - used(&best);
    let mut aim = room;
    // The largest estimate known to fit, and the smallest known not to.
    let (mut fits, mut too_much) = (0, None);
    for round in 0..MOST_ROUNDS {
        if round >= ROUNDS && used(&best) >= budget.limit.max() - budget.limit.max() / 10 {
            break;
        }
        let (shape, estimate) = outline.chosen(aim, scale);
        let view = weighed(outline.view(&shape, Extent::Part), budget, size, scale);
        let taken = used(&view);
        let next = if taken <= budget.limit.max() {
            let is_close = budget.limit.max() - taken <= budget.limit.max() / 40;
            if taken >= used(&best) {
                best = view;
            }
            if is_close {
                break;
            }
            fits = fits.max(aim);
            aim + (budget.limit.max() - taken) * 9 / 10
        } else {
            too_much = Some(too_much.map_or(aim, |least: usize| least.min(aim)));
            // If everything was selected, part of `aim` is unused, and lowering it might not remove
            // anything. Correct the room that was actually used instead.
            estimate.saturating_sub((taken - budget.limit.max()) * 11 / 10 + 1)
        };
        // With a bad estimate, the corrections can alternate between too much and almost nothing.
        // Bisect between the known bounds in that case.
        aim = match too_much {
            Some(least) if next <= fits || next >= least => fits.midpoint(least),
            _ => next,
        };
    }
    Ok(best)
}

/// Returns the smallest sufficient budget for `view`.
fn least_for(view: &ContextPack, budget: &Budget, size: Option<usize>, scale: &dyn Scale) -> usize {
    let weigh = |max: usize| -> Result<usize, Infallible> {
        let budget = Budget {
            limit: budget.limit.with_max(max),
            profile: budget.profile.clone(),
        };
        Ok(used(&weighed(view.clone(), &budget, size, scale)))
    };
    let Ok(least) = least_budget(budget.limit.max(), weigh);
    least
}

/// Returns the size stated in the budget report of `view`.
fn used(view: &ContextPack) -> usize {
    view.budget.as_ref().map_or(0, |budget| budget.used)
}

/// Returns `view` with its budget report. The report is part of the measured text, so we repeat
/// until its number matches.
fn weighed(
    mut view: ContextPack,
    budget: &Budget,
    whole: Option<usize>,
    scale: &dyn Scale,
) -> ContextPack {
    let mut used = budget.limit.max();
    for _ in 0..4 {
        view.budget = Some(BudgetReport {
            unit: Measure::of(budget.limit),
            max: budget.limit.max(),
            used,
            whole: whole.unwrap_or(used),
            profile: budget.profile.clone(),
        });
        let taken = scale.whole(&view);
        if taken == used {
            break;
        }
        used = taken;
    }
    // The number may alternate between two values. State the larger, which the output never
    // exceeds.
    if let Some(report) = &mut view.budget {
        report.used = report.used.max(used);
    }
    view
}

impl Explain for TooSmall {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn help(&self) -> Option<String> {
        let Self { least, .. } = self;
        Some(match self.profile {
            Some(_) => format!(
                "raise `--max-tokens` to {least} or more, or use a larger `--profile` (default: `routine`)"
            ),
            None => format!("raise the budget to {least} or more"),
        })
    }
}
