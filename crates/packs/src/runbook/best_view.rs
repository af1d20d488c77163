//! Finds the view that shows the most of a pack within a limit.
//!
//! We try several levels of detail, from the richest to the poorest, and take the first that fits.
//! A view with calls must also be useful to a caller who follows them, so we make sure that the
//! budgets in these calls are large enough.

use windlass_base::ResponseMode;
use windlass_repo::Snapshot;

use crate::runbook::entry_drafts::drafts;
use crate::runbook::planner::Planner;
use crate::runbook::render::render;
use crate::runbook::runbook_view::{Asked, Fitting, Says, View, ViewError, ViewOptions};
use crate::{Format, Pack};

/// Picks the part of `pack` that fits the limit, and prints it. If nothing fits, the error states a
/// limit that is large enough.
///
/// # Errors
/// Returns an error if not even the smallest view fits, or if the cursor doesn't match the pack.
pub fn view<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<(View<'a>, crate::Styled), ViewError> {
    if options.format == Format::Html {
        // Only the text of a web page counts, and not its markup. So pick the view as if it were
        // printed as text.
        let options = ViewOptions {
            format: Format::Text { width: None },
            ..*options
        };
        let (view, _) = view(pack, snapshot, &options)?;
        let page = render(&view, Format::Html);
        return Ok((view, page));
    }
    let given = options.limit.max();
    let mut least = match settled(pack, snapshot, options)? {
        Ok(fitting) => return Ok(fitting),
        Err(least) => least,
    };
    // Calls in the view repeat a limit that was given explicitly, so the size depends on the limit
    // a little. The reader may take our advice with or without setting it explicitly, so raise it
    // until a view fits in both cases.
    let asked = Asked {
        limit: true,
        ..options.asked
    };
    loop {
        let mut enough = true;
        for asked in [asked, options.asked] {
            let again = ViewOptions {
                limit: options.limit.with_max(least),
                asked,
                ..*options
            };
            if let Err(more) = settled(pack, snapshot, &again)? {
                least = more.max(least.saturating_add(1));
                enough = false;
                break;
            }
        }
        if enough {
            return Err(ViewError::TooSmall { given, least });
        }
    }
}

/// Maximum number of attempts if a page takes more than we estimated.
const ROUNDS: usize = 8;

/// Additional room for a page, in characters or tokens. The budget in the page's own calls may have
/// more digits than we estimated.
const PAGE_SLACK: usize = 16;

/// Finds the best view that fits, and whose calls lead to pages that fit as well. If there's none,
/// the error is the approximate size of the smallest view.
fn settled<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<Result<Fitting<'a>, usize>, ViewError> {
    let mut page = 0;
    for _ in 0..ROUNDS {
        let fitting = fitting(pack, snapshot, options, page)?;
        let Ok((view, _)) = &fitting else {
            return Ok(fitting);
        };
        let least = pages_take(view, snapshot, options)?;
        if least <= page.max(options.limit.max()) {
            return Ok(fitting);
        }
        page = least.saturating_add(PAGE_SLACK);
    }
    fitting(pack, snapshot, options, page)
}

/// The size of the largest page that the view's calls lead to, with as little as possible on each
/// page.
fn pages_take(
    view: &View<'_>,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<usize, ViewError> {
    let mut most = 0;
    for from in view.cursors() {
        let page = ViewOptions {
            from: Some(from),
            asked: Asked {
                limit: true,
                ..options.asked
            },
            ..*options
        };
        let mut drafts = drafts(view.pack, snapshot, &page, 1)?;
        // Without entries, the page for a section is just a message.
        drafts.retain(|draft| !draft.entries.is_empty() || draft.section.entries.is_empty());
        let planner = Planner {
            pack: view.pack,
            options: &page,
            says: minimal_extras(page.mode),
            drafts: &drafts,
            page: 0,
        };
        most = most.max(planner.first_entry().0);
    }
    Ok(most)
}

/// Finds the best view that fits and whose calls have a budget of at least `page`. If there's none,
/// the error is the approximate size of the smallest view.
fn fitting<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
    page: usize,
) -> Result<Result<Fitting<'a>, usize>, ViewError> {
    let drafts = drafts(pack, snapshot, options, usize::MAX)?;
    let planner = |says| Planner {
        pack,
        options,
        says,
        drafts: &drafts,
        page,
    };
    let poorest = planner(minimal_extras(options.mode));
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
        // A page without entries would continue at itself, so this is an error.
        return Ok(Err(poorest.first_entry().0));
    }
    let says = Says {
        text: false,
        ..poorest.says
    };
    let without = Says {
        rest: false,
        ..says
    };
    let some = planner(says).fit_some_sections();
    Ok(some.or_else(|_| planner(without).fit_some_sections()))
}

/// The extras that even the smallest view has.
fn minimal_extras(mode: ResponseMode) -> Says {
    Says {
        purpose: false,
        warnings: false,
        notes: false,
        text: mode != ResponseMode::Minimal,
        next_actions: 0,
        rest: true,
    }
}

/// The extras to try, from the richest view to the poorest. The least important ones are dropped
/// first.
fn levels(mode: ResponseMode) -> Vec<Says> {
    let say = |purpose, notes, text, next_actions| Says {
        purpose,
        warnings: true,
        notes,
        text,
        next_actions,
        rest: true,
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
