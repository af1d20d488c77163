//! What of a pack is shown within a budget.
//!
//! The goal, the definition of done, which documents are the contract, and what fails are always shown: of many failures the first
//! with what was said of them, the others by name. All else follows in one stated order ([`Group`]): first within a share of the budget, so that nothing starves what comes later, then with whatever
//! room is left.

mod chosen_chunks;
mod failure_names;
mod pack_outline;
mod trimmed_view;

use std::convert::Infallible;

use self::pack_outline::{Extent, Outline};
use crate::budget::{Budget, Measure, least_budget};
use crate::context::{BudgetReport, ContextPack};
use windlass_site::{ErrorKind, Explain};

/// How often the estimate is corrected by what is really printed.
const ROUNDS: usize = 4;
/// The same while a tenth of the budget or more is left: who gives more is not to see less.
const MOST_ROUNDS: usize = 16;

/// How a pack is printed and counted.
pub trait Scale {
    /// What `pack` takes, printed as it is, with everything around it.
    fn whole(&self, pack: &ContextPack) -> usize;
    /// What `text` takes, about, somewhere in a pack.
    fn piece(&self, text: &str) -> usize;
}

/// What always is shown does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {max}{} is too small: the goal, the definition of done, the documents and what fails take {least} by themselves",
    of_profile(self.profile.as_deref())
)]
pub struct TooSmall {
    /// What was given.
    pub max: usize,
    /// The least that is enough.
    pub least: usize,
    /// The profile it is of, where it was not given as a number.
    pub profile: Option<String>,
}

fn of_profile(profile: Option<&str>) -> String {
    profile.map_or_else(String::new, |name| {
        format!(", that of the profile `{name}`,")
    })
}

/// What stands together in the order in which a budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Constraints, decisions, tools, conflicts, notes on sources one by one, facts: they bind, and are short.
    Rules,
    /// The first lines of what was said of failures: the assertion or the panic.
    Failures,
    /// Text of documents of high priority.
    Contract,
    /// What else was said of failures.
    Evidence,
    /// Which files differ.
    Changes,
    /// Which files matter, and why.
    Files,
    /// Inputs, and artifacts as references: summaries, not what they stand for.
    References,
    /// What differs in files.
    Diffs,
    /// Text of files that matter.
    FileText,
    /// Text of documents of medium priority.
    Documents,
    /// Records of the memory, and their text: documents come before them.
    Memory,
    /// Text of documents of low priority, and fields of other tools.
    Background,
}

impl Group {
    /// The share of the room, in percent, that it may take before all others had theirs.
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

/// Shows of `pack`, which is whole, what fits into `budget`.
///
/// # Errors
/// When what is always shown does not fit.
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
        // All of a small pack takes less than a part of it and what is said of the rest.
        let whole = least_for(&outline.view(&all, Extent::Whole), budget, None, scale);
        return Err(TooSmall {
            max: budget.limit.max(),
            least: part.min(whole),
            profile: budget.profile.clone(),
        });
    }
    let mut best = least;
    // What is estimated to fit, corrected by what it takes.
    let room = budget.limit.max() - used(&best);
    let mut aim = room;
    // The most that is known to fit, and the least that is known not to.
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
            // Where all of it is chosen, there may be room left that a smaller aim takes from nothing.
            estimate.saturating_sub((taken - budget.limit.max()) * 11 / 10 + 1)
        };
        // An estimate that is far off leads from too much to next to nothing and back: between the two lies what fits.
        aim = match too_much {
            Some(least) if next <= fits || next >= least => fits.midpoint(least),
            _ => next,
        };
    }
    Ok(best)
}

/// The least budget that is enough for `view`.
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

/// What a view that was weighed takes.
fn used(view: &ContextPack) -> usize {
    view.budget.as_ref().map_or(0, |budget| budget.used)
}

/// `view` with what it says of itself. The number it takes is a part of what is counted.
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
    // It may go to and fro between two numbers: the larger holds.
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
                "give `--max-tokens {least}` or more, or a larger `--profile`; `routine` holds where neither is given"
            ),
            None => format!("raise the budget to {least} or more"),
        })
    }
}
