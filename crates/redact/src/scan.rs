//! Scans a text, both as written and without terminal escape sequences.
//!
//! One pass is not enough: hiding a secret may expose another, and a found value may occur
//! elsewhere. We therefore scan until no secret is left, for a limited number of rounds.

use std::borrow::Cow;
use std::ops::Range;

use crate::assign::literal::MAX_LINES;
use crate::engine::{MAX_SCANS, merge, places_around, scan_places, scan_until_stable};
use crate::mark::marks_in;
use crate::rules::Found;
use crate::rules::readers::MAX_KEY;
use crate::scanned_text::Text;
use crate::views::escapes;
use crate::views::settle::Shown;
use crate::{own_rules, repeated};

/// Maximum number of scans of a text with its secrets replaced. Usually, one is enough.
const MAX_RESCANS: usize = 4;

/// Maximum number of searches for other locations of found values. Each search may reveal further
/// values.
const MAX_REPEATED: usize = 4;

/// Maximum length of text to scan again, in bytes.
///
/// A text with more than this around its secrets consists of little else, and a second scan would
/// double the time.
const MAX_RESCANNED: usize = 4 << 20;

/// Maximum reach of a secret and its identifying context across line ends, in bytes.
///
/// In a text too large for a whole scan, this much is scanned before and after the part to show.
/// Only whole lines may then be shown, because a secret can be any length within a line. A private
/// key, a list, a table and rows of SQL can exceed the limit. They are found as long as their
/// beginning is in the scanned text.
pub const SECRET_REACH: usize = {
    let longest = if MAX_KEY > MAX_LINES {
        MAX_KEY
    } else {
        MAX_LINES
    };
    longest + (2 << 10)
};

/// Finds the secret values in `bytes`, in order and without overlaps.
pub(crate) fn scan(bytes: &[u8]) -> Vec<Found> {
    let marks = marks_in(bytes);
    // A token ends at the end of a word, so replacing one can expose a second secret beside it. A
    // single redaction has to find both, so everything found (marks included) is hidden before the
    // next scan.
    let mut masked = Cow::Borrowed(bytes);
    let mut found = scan_until_stable(&mut masked, marks.clone());
    // Hiding a secret in one view may expose another one in the other view, so we alternate until
    // nothing new is found.
    if escapes::has_escapes(bytes) {
        for _ in 0..MAX_SCANS {
            let before = found.clone();
            found.extend(scan_without_escapes(&masked));
            found = merge(found);
            if found == before {
                break;
            }
            found = scan_until_stable(&mut masked, found);
        }
    }
    let is_mark = |found: &Found| {
        let at = marks.partition_point(|mark| mark.range.start < found.range.start);
        marks.get(at).is_some_and(|mark| mark.range == found.range)
    };
    if found != marks {
        for _ in 0..MAX_REPEATED {
            found = with_exposed(&mut masked, found);
            let others = repeated::other_locations(bytes, &found, is_mark);
            if others.is_empty() {
                break;
            }
            found.extend(others);
            found = scan_until_stable(&mut masked, merge(found));
        }
    }
    found.retain(|found| !is_mark(found));
    own_rules::remove_allowed(bytes, &mut found);
    found
}

/// Adds the secrets only exposed after replacing those in `found` with marks. `masked` has them
/// already hidden.
fn with_exposed(masked: &mut Cow<'_, [u8]>, mut found: Vec<Found>) -> Vec<Found> {
    for _ in 0..MAX_RESCANS {
        let shown = Shown::of(masked, &found);
        let Shown { pieces, marks } = &shown;
        let places = places_around(marks, &[], pieces.bytes.len());
        if places.iter().map(Range::len).sum::<usize>() > MAX_RESCANNED {
            break;
        }
        let text = Text::new(&pieces.bytes);
        let more = scan_places(&text, &places);
        if more.is_empty() {
            break;
        }
        found.extend(more.iter().map(|more| pieces.in_original(more)));
        found = scan_until_stable(masked, merge(found));
    }
    found
}

/// Scans a text with its escape sequences replaced, and once more with them removed. Each view
/// misses some secrets of the other: see [`escapes`].
fn scan_without_escapes(bytes: &[u8]) -> Vec<Found> {
    let mut parted = Cow::Owned(escapes::parted(bytes));
    let mut found = scan_until_stable(&mut parted, Vec::new());
    let plain = escapes::plain(bytes);
    let in_plain = scan_until_stable(&mut Cow::Borrowed(&plain.bytes), Vec::new());
    found.extend(in_plain.iter().map(|found| plain.in_original(found)));
    found
}
