//! Picks the parts of a pack that fit a budget.
//!
//! We always show the goal, the definition of done, the list of contract documents, and the
//! failures. If there are many failures, only the first have their output, and we just name the
//! others.
//! Everything else is in a fixed order ([`Group`]). At first, a group can only use its share,
//! because a single long document would crowd out all groups after it otherwise. Then we hand out
//! what's left in the same order.
//!
//! We pick parts by estimated sizes, since measuring each combination would take too long. Then we
//! print the result, and correct the estimate a few times.

mod chosen_chunks;
mod failure_names;
mod pack_outline;
mod trimmed_view;

use std::convert::Infallible;

use self::pack_outline::{Extent, Outline};
use crate::budget::{Budget, Measure, least_budget};
use crate::context::{BudgetReport, ContextPack};
use windlass_site::{ErrorKind, Explain};

/// Usual number of corrections of the estimate.
const ROUNDS: usize = 4;
/// Maximum number of corrections. We only go on after [`ROUNDS`] while a tenth of the budget isn't
/// used: if we stopped earlier, a larger budget could show less than a smaller one.
const MOST_ROUNDS: usize = 16;

/// Measures packs in the format that they're printed in.
pub trait Scale {
    /// The size of a whole pack when printed.
    fn whole(&self, pack: &ContextPack) -> usize;
    /// Estimates how much larger a pack gets with `text` in it.
    fn piece(&self, text: &str) -> usize;
}

/// The budget has no room for the parts that we always show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {max}{} is too small: the goal, the definition of done, the documents and the failures alone take {least}",
    of_profile(self.profile.as_deref())
)]
pub struct TooSmall {
    /// The budget given, in the unit of its limit.
    pub max: usize,
    /// The smallest budget that's enough.
    pub least: usize,
    /// The profile that the budget comes from. This is `None` if the caller gave the budget.
    pub profile: Option<String>,
}

fn of_profile(profile: Option<&str>) -> String {
    profile.map_or_else(String::new, |name| {
        format!(", that of the profile `{name}`,")
    })
}

/// Groups of optional parts. They get room in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Constraints, decisions, tools, conflicts, notes on sources, and facts. They're binding and
    /// short, so they come first.
    Rules,
    /// The first lines of each failure's output, which tend to have the assertion or the panic.
    Failures,
    /// The text of documents with high priority.
    Contract,
    /// The rest of the failures' output.
    Evidence,
    /// The list of changed files, without diffs.
    Changes,
    /// The list of relevant files, with the reasons.
    Files,
    /// Inputs and artifacts. These are just references with summaries.
    References,
    /// The diffs of changed files.
    Diffs,
    /// The text of relevant files.
    FileText,
    /// The text of documents with medium priority.
    Documents,
    /// Memory records with their text. Documents are binding, so they come first.
    Memory,
    /// The text of documents with low priority, and fields that other tools have added.
    Background,
}

impl Group {
    /// The percentage of the room that the group may use in the first pass, before every group has
    /// had its share. The shares add up to more than 100, since most packs don't have all groups.
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

/// Cuts a whole pack down to the parts that fit `budget`.
///
/// # Errors
/// Returns an error if the parts we always show don't fit. It says which budget would be enough.
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
        // The report about the omitted parts takes some room, too. A small pack may therefore be
        // shorter as a whole than without its optional parts.
        let whole = least_for(&outline.view(&all, Extent::Whole), budget, None, scale);
        return Err(TooSmall {
            max: budget.limit.max(),
            least: part.min(whole),
            profile: budget.profile.clone(),
        });
    }
    let mut best = least;
    // `aim` is in estimated units. Each round corrects it by the real size of the result.
    let room = budget.limit.max() - used(&best);
    let mut aim = room;
    // `fits` is the largest estimate so far whose result fit, and `too_much` the smallest one whose
    // result didn't.
    let (mut fits, mut too_much) = (0, None);
    for round in 0..MOST_ROUNDS {
        if round >= ROUNDS && used(&best) >= budget.limit.max() - budget.limit.max() / 10 {
            break;
        }
        let (shape, estimate) = outline.chosen(aim, scale);
        let view = weighed(outline.view(&shape, Extent::Part), budget, size, scale);
        let taken = used(&view);
        let next = if taken <= budget.limit.max() {
            // Close enough: at most 2.5 % of the budget isn't used.
            let is_close = budget.limit.max() - taken <= budget.limit.max() / 40;
            if taken >= used(&best) {
                best = view;
            }
            if is_close {
                break;
            }
            fits = fits.max(aim);
            // Only go nine tenths of the way, so that an estimate that's a bit too small doesn't
            // overshoot.
            aim + (budget.limit.max() - taken) * 9 / 10
        } else {
            too_much = Some(too_much.map_or(aim, |least: usize| least.min(aim)));
            // If we've picked everything, a part of `aim` isn't used, and lowering it may not
            // remove anything. So start from the estimate for what we picked.
            estimate.saturating_sub((taken - budget.limit.max()) * 11 / 10 + 1)
        };
        // If the estimate is bad, the corrections can alternate between too much and almost
        // nothing. Bisect in that case.
        aim = match too_much {
            Some(least) if next <= fits || next >= least => fits.midpoint(least),
            _ => next,
        };
    }
    Ok(best)
}

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

/// The size as stated in the report of the view itself.
fn used(view: &ContextPack) -> usize {
    view.budget.as_ref().map_or(0, |budget| budget.used)
}

/// Adds the report to a view.
///
/// The report states the size of a text that it's a part of, so a longer number makes the text
/// longer. We repeat this until the number is right, usually once or twice.
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
    // The number may alternate between two values, e.g. 999 and 1000. The larger one is safe, since
    // the output never exceeds it.
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
