//! Which view of a pack fits a limit: the richest that does.

use windlass_base::{Entry, Limit, ResponseMode};
use windlass_repo::Snapshot;

use crate::excerpt::{Block, blocks};
use crate::planner::Planner;
use crate::view::{Says, View, ViewError, ViewOptions};
use crate::{Pack, PackSection};

/// Decides what of `pack` is shown within the limit, and prints it.
///
/// # Errors
/// When not even the smallest view fits, or the cursor does not fit the pack.
pub fn view<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<(View<'a>, crate::Styled), ViewError> {
    let given = options.limit.max();
    let mut least = match fitting(pack, snapshot, options)? {
        Ok(fitting) => return Ok(fitting),
        Err(least) => least,
    };
    // What a view takes depends a little on the limit, since it names it.
    loop {
        let limit = match options.limit {
            Limit::Chars(_) => Limit::Chars(least),
            Limit::Tokens(_) => Limit::Tokens(least),
        };
        match fitting(pack, snapshot, &ViewOptions { limit, ..*options })? {
            Ok(_) => return Err(ViewError::TooSmall { given, least }),
            Err(more) => least = more.max(least.saturating_add(1)),
        }
    }
}

/// What is shown of a pack, and that as it is printed.
pub(crate) type Fitting<'a> = (View<'a>, crate::Styled);

/// The best view that fits; about what the poorest takes, if none does.
fn fitting<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<Result<Fitting<'a>, usize>, ViewError> {
    let drafts = drafts(pack, snapshot, options)?;
    let planner = |says| Planner {
        pack,
        options,
        says,
        drafts: &drafts,
    };
    let poorest = planner(says_least(options.mode));
    let floor = poorest.skeleton();
    for says in levels(options.mode) {
        if let Some(fitting) = planner(says).fit(floor) {
            return Ok(Ok(fitting));
        }
    }
    if let Some(fitting) = poorest.fit(floor) {
        return Ok(Ok(fitting));
    }
    if options.from.is_some() {
        // A page that shows nothing leads nowhere.
        return Ok(Err(poorest.first_entry().0));
    }
    let says = Says {
        text: false,
        ..poorest.says
    };
    Ok(planner(says).fit_some_sections())
}

/// The least a view says beside its sections.
fn says_least(mode: ResponseMode) -> Says {
    Says {
        purpose: false,
        notes: false,
        text: mode != ResponseMode::Minimal,
        next_actions: 0,
    }
}

/// What a view may say beyond that, the richest first: what is dropped first matters least.
fn levels(mode: ResponseMode) -> Vec<Says> {
    let say = |purpose, notes, text, next_actions| Says {
        purpose,
        notes,
        text,
        next_actions,
    };
    let mut levels = Vec::new();
    if mode == ResponseMode::Full {
        levels.push(say(true, true, true, 6));
    }
    if mode != ResponseMode::Minimal {
        levels.extend([say(true, false, true, 3), say(false, false, true, 1)]);
    }
    levels
}

/// A section with all that could be shown of it.
pub(crate) struct Draft<'a> {
    /// Its place in the pack.
    pub(crate) at: usize,
    pub(crate) section: &'a PackSection,
    /// The first entry that may be shown.
    pub(crate) offset: usize,
    pub(crate) entries: Vec<(&'a Entry, Vec<Block>)>,
}

fn drafts<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<Vec<Draft<'a>>, ViewError> {
    let wanted = |at: &usize| {
        options
            .from
            .is_none_or(|cursor| usize::from(cursor.section) == *at)
    };
    let chosen: Vec<usize> = (0..pack.sections.len()).filter(wanted).collect();
    let offset = options.from.map_or(0, |cursor| cursor.offset as usize);
    let past = |at: &usize| offset > 0 && offset >= pack.sections[*at].entries.len();
    if options.from.is_some() && (chosen.is_empty() || chosen.iter().any(past)) {
        return Err(ViewError::PastTheEnd);
    }
    let draft = |at: usize| {
        let section = &pack.sections[at];
        // A page of a section may be as long as the budget lets it be.
        let most = if options.from.is_some() {
            usize::MAX
        } else {
            section.limit
        };
        let shown = section.entries[offset..]
            .iter()
            .take(most.min(options.limit.max()));
        let text = options.mode != ResponseMode::Minimal;
        let with_text = |entry| {
            (
                entry,
                if text {
                    blocks(snapshot, entry, options.text)
                } else {
                    Vec::new()
                },
            )
        };
        Draft {
            at,
            section,
            offset,
            entries: shown.map(with_text).collect(),
        }
    };
    Ok(chosen.into_iter().map(draft).collect())
}
