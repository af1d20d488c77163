//! Scans a text, both as written and as decoded. Decoding removes the signs of a diff, colors, a
//! prefix on each line, and the escapes of a text within a string.

use std::borrow::Cow;
use std::ops::Range;

use crate::assign::literal::{MAX_LINES, line_start};
use crate::engine::{MAX_SCANS, merge, places_around, scan_places, scan_until_stable};
use crate::mark::{hide, marks_in};
use crate::rules::Found;
use crate::rules::readers::MAX_KEY;
use crate::scanned_text::{Text, is_line_end};
use crate::views::pieces::Pieces;
use crate::views::settle::Shown;
use crate::views::written::{self, Around};
use crate::views::{diff, escapes, prefix};
use crate::{own_rules, repeated};

/// Maximum number of times a replaced text is scanned again. Normally, it's once.
const MAX_RESCANS: usize = 4;

/// Maximum number of searches for other locations of found values, each of which may reveal more
/// values.
const MAX_REPEATED: usize = 4;

/// Maximum length of a text to scan again, in bytes. A text with more than this around its secrets
/// consists of little else, and would take twice as long.
const MAX_RESCANNED: usize = 4 << 20;

/// Maximum distance in bytes that a secret, with the context that identifies it, reaches across
/// line ends.
///
/// A text too large to scan as a whole is scanned this much beyond the part to show. Only whole
/// lines may be shown then, because there's no limit to a secret within a line. Nor is there one
/// for a private key, a list, a table and rows of SQL, as long as their beginning is in the text.
pub const SECRET_REACH: usize = {
    let longest = if MAX_KEY > MAX_LINES {
        MAX_KEY
    } else {
        MAX_LINES
    };
    longest + (2 << 10)
};

/// Returns the secret values in `bytes`, in order and without overlaps.
pub(crate) fn scan(bytes: &[u8]) -> Vec<Found> {
    let marks = marks_in(bytes);
    // Tokens end at borders, so replacing one can expose a second secret beside it. A single
    // redaction has to find both, so we hide secrets already found from the start.
    let mut masked = Cow::Borrowed(bytes);
    let mut found = marks.clone();
    if diff::is_diff(bytes) {
        hide(&marks, masked.to_mut());
        own_rules::find(&Text::new(&masked), &mut found);
        diff::blank_signs(masked.to_mut());
        found = merge(found);
    }
    let mut names = Vec::new();
    found = scan_until_stable(&mut masked, found, &mut names);
    let has_escapes = escapes::has_escapes(bytes);
    if has_escapes || !names.is_empty() {
        for _ in 0..MAX_SCANS {
            let before = found.clone();
            if has_escapes {
                found.extend(scan_without_escapes(&masked));
            }
            found.extend(scan_views(&masked, &names, DEPTH));
            found = merge(found);
            if found == before {
                break;
            }
            found = scan_until_stable(&mut masked, found, &mut Vec::new());
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
            found = scan_until_stable(&mut masked, merge(found), &mut Vec::new());
        }
    }
    found.retain(|found| !is_mark(found));
    own_rules::remove_allowed(bytes, &mut found);
    found
}

/// Adds to `found`, which is hidden in `masked`, all secrets exposed by replacing those.
fn with_exposed(masked: &mut Cow<'_, [u8]>, mut found: Vec<Found>) -> Vec<Found> {
    for _ in 0..MAX_RESCANS {
        let mut shown = Shown::of(masked, &found);
        let Shown { pieces, marks } = &mut shown;
        if diff::is_diff(&pieces.bytes) {
            diff::blank_signs(&mut pieces.bytes);
        }
        let places = places_around(marks, &[], pieces.bytes.len());
        if places.iter().map(Range::len).sum::<usize>() > MAX_RESCANNED {
            break;
        }
        let text = Text::new(&pieces.bytes);
        let more = scan_places(&text, &places, &mut Vec::new());
        if more.is_empty() {
            break;
        }
        found.extend(more.iter().map(|more| pieces.in_original(more)));
        found = scan_until_stable(masked, merge(found), &mut Vec::new());
    }
    found
}

/// Returns the secrets in a text whose escape sequences are replaced or removed.
fn scan_without_escapes(bytes: &[u8]) -> Vec<Found> {
    let parted = Cow::Owned(escapes::parted(bytes));
    let mut found = scan_until_stable(&mut { parted }, Vec::new(), &mut Vec::new());
    let mut plain = escapes::plain(bytes);
    if diff::is_diff(&plain.bytes) {
        diff::blank_signs(&mut plain.bytes);
    }
    found.extend(scan_pieces(&plain, 0));
    found
}

/// Maximum depth of texts within texts.
const DEPTH: usize = 2;

/// Returns the secrets around `names` in lines without their printed prefix, and in multi-line
/// texts written on one line. `names` is in order.
fn scan_views(bytes: &[u8], names: &[usize], depth: usize) -> Vec<Found> {
    let text = Text::new(bytes);
    let mut found = Vec::new();
    let mut written = Around::new(&text);
    let (mut lines_to, mut written_to) = (0, 0);
    let mut last = None;
    for &name in names {
        let line = line_start(&text, name);
        let begins = line == 0 || text.get(line - 1).is_some_and(is_line_end);
        if name >= lines_to
            && begins
            && last.replace(line) != Some(line)
            && let Some((lines, end)) = prefix::without(&text, line)
        {
            lines_to = end;
            found.extend(scan_pieces(&lines, depth));
        }
        if name >= written_to
            && let Some(range) = written.at(name)
        {
            written_to = range.end;
            found.extend(scan_pieces(&written::unescaped(&text, range), depth));
        }
    }
    found
}

/// Returns the secrets in pieces of a text, and in the texts inside them.
fn scan_pieces(pieces: &Pieces, depth: usize) -> Vec<Found> {
    let mut names = Vec::new();
    let mut masked = Cow::Borrowed(&*pieces.bytes);
    let mut found = scan_until_stable(&mut masked, Vec::new(), &mut names);
    if depth > 0 {
        found.extend(scan_views(&masked, &names, depth - 1));
    }
    found
        .iter()
        .map(|found| pieces.in_original(found))
        .collect()
}
