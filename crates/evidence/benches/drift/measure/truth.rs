//! True location of a span. It is known if both of git's tracking methods agree.

use std::collections::BTreeSet;

use windlass_base::LineSpan;

use super::edits::{Label, Truth};
use super::rewrapped::{Found, NewWords};
use super::tracking::{Line, Tracking};

pub(crate) struct States<'a> {
    pub(crate) old: &'a dyn Fn(&str) -> Option<&'a [String]>,
    pub(crate) new: &'a dyn Fn(&str) -> Option<&'a [String]>,
    /// Words in the lines that only the new state has.
    pub(super) new_words: &'a NewWords,
}

/// Returns what happened to the lines `span` of `file`. Returns `None` if the two methods do not
/// agree.
pub(crate) fn truth(
    tracking: &Tracking,
    states: &States<'_>,
    file: &str,
    span: LineSpan,
) -> Option<Truth> {
    let old = (states.old)(file)?;
    let text = old.get(span.start() as usize - 1..span.end() as usize)?;
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let followed = Followed::of(tracking, file, said(old, span));
    if followed.is_nowhere() {
        if let Some(truth) = edited(tracking, (file, old), span, &text) {
            return Some(truth);
        }
        return gone(tracking, states, (file, old), span, &text);
    }
    let places = followed.agreed(states, &text)?;
    let (now, inner) = bounds(&places)?;
    if has_copies(old, &text) && !came_with_a_neighbour(tracking, file, old, span, &now, inner) {
        return None;
    }
    let new = (states.new)(&now)?;
    let there = |(first, last): (u32, u32)| new.get(first as usize - 1..last as usize);
    let whole = |at: u32| there((at, at + span.count() - 1)).is_some_and(|lines| lines == text);
    // Lines without letters or digits at the ends of a span are not tracked.
    let lead = text.iter().take_while(|line| !says(line)).count() as u32;
    let exact = inner.0.checked_sub(lead).filter(|at| *at > 0 && whole(*at));
    Some(match exact {
        Some(at) => Truth {
            label: match (now == file, at == span.start()) {
                (true, true) => Label::Unchanged,
                (true, false) => Label::MovedSameFile,
                (false, _) => Label::MovedOtherFile,
            },
            inner: (at, at + span.count() - 1),
            outer: (at, at + span.count() - 1),
            file: now,
        },
        None => {
            let outer = outer(tracking, file, span, &now, inner, old.len() as u32);
            Truth {
                label: Label::Edited,
                outer: with_brought_back(tracking, &text, (&now, new), inner, outer),
                file: now,
                inner,
            }
        }
    })
}

/// True if a line has letters or digits. Only such lines are tracked.
fn says(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

fn said(old: &[String], span: LineSpan) -> impl Iterator<Item = u32> {
    (span.start()..=span.end())
        .filter(|line| old.get(*line as usize - 1).is_some_and(|text| says(text)))
}

struct Followed {
    blamed: BTreeSet<Line>,
    replayed: BTreeSet<Line>,
    /// True if the first method finds several locations for one of its lines.
    several: bool,
}

impl Followed {
    fn of(tracking: &Tracking, file: &str, lines: impl Iterator<Item = u32>) -> Self {
        let mut followed = Self {
            blamed: BTreeSet::new(),
            replayed: BTreeSet::new(),
            several: false,
        };
        for line in lines {
            let (by_blame, by_replay) = tracking.line(&(file.to_owned(), line));
            followed.several |= by_blame.len() > 1;
            followed.blamed.extend(by_blame);
            followed.replayed.extend(by_replay);
        }
        followed
    }

    fn is_nowhere(&self) -> bool {
        self.blamed.is_empty() && self.replayed.is_empty()
    }

    /// Returns the location of `text` if both methods agree on it.
    fn agreed(self, states: &States<'_>, text: &[&str]) -> Option<BTreeSet<Line>> {
        if !self.replayed.is_empty() || self.several {
            return (self.blamed == self.replayed).then_some(self.replayed);
        }
        // One method is enough if the whole text is at the location that it finds.
        let (file, (first, last)) = bounds(&self.blamed)?;
        let whole = (states.new)(&file)?.get(first as usize - 1..last as usize)?;
        let whole = whole.iter().map(|line| line.trim());
        whole.eq(trimmed(text)).then_some(self.blamed)
    }
}

/// Returns the truth for a span of which every line was edited line for line. Returns `None` if a
/// line was removed, or if the span had a copy.
fn edited(
    tracking: &Tracking,
    (file, old): (&str, &[String]),
    span: LineSpan,
    text: &[&str],
) -> Option<Truth> {
    let lines: Vec<u32> = said(old, span).collect();
    let places = lines
        .iter()
        .map(|line| tracking.edited(&(file.to_owned(), *line)).cloned());
    let places = places.collect::<Option<BTreeSet<Line>>>()?;
    let (now, inner) = bounds(&places)?;
    let length = lines.last()? - lines.first()?;
    if inner.1 - inner.0 != length || has_copies(old, text) {
        return None;
    }
    Some(Truth {
        label: Label::Edited,
        outer: outer(tracking, file, span, &now, inner, old.len() as u32),
        file: now,
        inner,
    })
}

/// Returns what happened to a span if both methods lose all of its lines.
///
/// It was edited if its words are in other lines. Returns `None` if it was restored, or moved in a
/// way that neither method sees.
fn gone(
    tracking: &Tracking,
    states: &States<'_>,
    (file, old): (&str, &[String]),
    span: LineSpan,
    text: &[&str],
) -> Option<Truth> {
    let lives = tracking.changed.iter().any(|file| {
        let before = (states.old)(file).unwrap_or_default();
        let was_there = |at: usize| tracking.was_there(&(file.clone(), at as u32 + 1));
        (states.new)(file).is_some_and(|lines| holds(lines, text, before, was_there))
    });
    if lives {
        return None;
    }
    match states.new_words.find(text) {
        Found::Nowhere => {}
        Found::Several => return None,
        Found::At(file, lines) => {
            return Some(Truth {
                label: Label::Edited,
                file,
                inner: lines,
                outer: lines,
            });
        }
    }
    // If every line was edited, both methods consider the text deleted.
    if is_edited_in_place(tracking, states, file, old, span) {
        return None;
    }
    let mut lines = said(old, span);
    let was_replaced = lines.any(|line| tracking.was_replaced(&(file.to_owned(), line)));
    Some(Truth {
        label: match was_replaced {
            true => Label::Replaced,
            false => Label::Deleted,
        },
        file: String::new(),
        inner: (0, 0),
        outer: (0, 0),
    })
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect()
}

fn letters(line: &str) -> usize {
    line.chars().filter(|c| c.is_alphanumeric()).count()
}

fn has_copies(lines: &[String], text: &[&str]) -> bool {
    let wanted: Vec<String> = text.iter().map(|line| squeezed(line)).collect();
    let all: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    all.windows(wanted.len())
        .filter(|window| *window == wanted)
        .nth(1)
        .is_some()
}

/// True if, by both methods, a tracked line was next to `span` and is next to `inner` now.
/// Otherwise a comparison can only guess which of several equal texts is the span, and both methods
/// make the same guess.
fn came_with_a_neighbour(
    tracking: &Tracking,
    file: &str,
    old: &[String],
    span: LineSpan,
    now: &str,
    inner: (u32, u32),
) -> bool {
    const NEAR: u32 = 8;
    let is_unique = |text: &String| old.iter().filter(|line| *line == text).count() == 1;
    let says = |line: &u32| {
        let text = old.get(*line as usize - 1);
        text.is_some_and(|text| letters(text) >= 8 && is_unique(text))
    };
    let before = (span.start().saturating_sub(NEAR).max(1)..span.start())
        .rev()
        .find(says);
    let after = (span.end() + 1..=(span.end() + NEAR).min(old.len() as u32)).find(says);
    let stays = |line: u32| {
        let (blamed, replayed) = tracking.line(&(file.to_owned(), line));
        let there = replayed.filter(|place| blamed.contains(place) && place.0 == now);
        there.is_some_and(|(_, at)| at + NEAR + 1 >= inner.0 && at <= inner.1 + NEAR + 1)
    };
    before.is_some_and(stays) || after.is_some_and(stays)
}

/// Extends `outer` by new lines near `inner` that equal a lost line of the text. Neither method
/// follows lines that were removed and restored.
fn with_brought_back(
    tracking: &Tracking,
    text: &[&str],
    (file, lines): (&str, &[String]),
    inner: (u32, u32),
    outer: (u32, u32),
) -> (u32, u32) {
    let reach = text.len() as u32 * 2 + 8;
    let wanted: BTreeSet<String> = text
        .iter()
        .filter(|line| letters(line) >= 8)
        .map(|line| squeezed(line))
        .collect();
    let near = inner.0.saturating_sub(reach).max(1)..=(inner.1 + reach).min(lines.len() as u32);
    let back = near.filter(|at| {
        wanted.contains(&squeezed(&lines[*at as usize - 1]))
            && !tracking.was_there(&(file.to_owned(), *at))
    });
    back.fold(outer, |(first, last), at| (first.min(at), last.max(at)))
}

fn trimmed<'a>(text: &[&'a str]) -> Vec<&'a str> {
    let first = text.iter().position(|line| says(line)).unwrap_or(0);
    let last = text.iter().rposition(|line| says(line)).unwrap_or(0);
    text[first..=last].iter().map(|line| line.trim()).collect()
}

/// True if `lines` contain the text, or if a third of it is close together in new lines. A line is
/// new if the file did not have it `before`, or if neither method traces it back, as for restored
/// lines.
fn holds(
    lines: &[String],
    text: &[&str],
    before: &[String],
    was_there: impl Fn(usize) -> bool,
) -> bool {
    if lines.len() >= text.len() && lines.windows(text.len()).any(|window| window == text) {
        return true;
    }
    let says = |line: &&str| letters(line) >= 4;
    let old: BTreeSet<String> = before.iter().map(|line| squeezed(line)).collect();
    let wanted: BTreeSet<String> = text
        .iter()
        .filter(|line| says(line))
        .map(|line| squeezed(line))
        .collect();
    let is_new =
        |at: usize, line: &String| wanted.contains(line) && (!old.contains(line) || !was_there(at));
    let came: Vec<(usize, String)> = (lines.iter().enumerate())
        .map(|(at, line)| (at, squeezed(line)))
        .filter(|(at, line)| is_new(*at, line))
        .collect();
    let reach = text.len() * 2 + 8;
    (0..came.len()).any(|first| {
        let near = came[first..]
            .iter()
            .take_while(|(at, _)| at - came[first].0 < reach);
        let found: BTreeSet<&String> = near.map(|(_, line)| line).collect();
        found.len() * 3 >= wanted.len()
    })
}

/// True if a third of the text has similar new lines between the lines that surrounded it.
fn is_edited_in_place(
    tracking: &Tracking,
    states: &States<'_>,
    file: &str,
    old: &[String],
    span: LineSpan,
) -> bool {
    let place = |line: u32| tracking.line(&(file.to_owned(), line)).1;
    let before = (1..span.start()).rev().find_map(place);
    let after = (span.end() + 1..=old.len() as u32).find_map(place);
    let Some(now) = before
        .as_ref()
        .or(after.as_ref())
        .map(|(now, _)| now.clone())
    else {
        return false;
    };
    let lines = (states.new)(&now).unwrap_or_default();
    let first = before.map_or(1, |(_, line)| line + 1);
    let last = match after {
        Some((there, line)) if there == now && line > first => line - 1,
        Some((there, _)) if there == now => return false,
        _ => lines.len() as u32,
    };
    let is_new = |at: &u32| !tracking.was_there(&(now.clone(), *at));
    let gap: Vec<Vec<&str>> = (first..=last)
        .filter(is_new)
        .filter_map(|at| Some(words(lines.get(at as usize - 1)?)))
        .collect();
    let text = &old[span.start() as usize - 1..span.end() as usize];
    let like = text.iter().filter(|line| {
        let own = words(line);
        gap.iter().any(|other| are_alike(&own, other))
    });
    let said: usize = text.iter().map(|line| letters(line)).sum();
    like.map(|line| letters(line)).sum::<usize>() * 3 >= said
}

pub(crate) fn words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words
}

/// True if two lines have half of their words in common.
pub(crate) fn are_alike(one: &[&str], other: &[&str]) -> bool {
    let mut left = other.to_vec();
    let shared = one.iter().filter(|word| {
        let at = left.iter().position(|other| other == *word);
        at.map(|at| left.swap_remove(at)).is_some()
    });
    let shared = shared.count();
    shared > 0 && shared * 4 >= one.len() + other.len()
}

/// Returns the file and the range of lines that `places` cover. Returns `None` if they are in
/// several files.
fn bounds(places: &BTreeSet<Line>) -> Option<(String, (u32, u32))> {
    let (first, last) = (places.first()?, places.last()?);
    (first.0 == last.0).then(|| (first.0.clone(), (first.1, last.1)))
}

fn outer(
    tracking: &Tracking,
    file: &str,
    span: LineSpan,
    now: &str,
    inner: (u32, u32),
    count: u32,
) -> (u32, u32) {
    // The location may reach up to the nearest tracked lines on both sides. The lines in between
    // are new, and we can't tell if they belong to it.
    let place = |line: u32| {
        let (_, replayed) = tracking.line(&(file.to_owned(), line));
        replayed.filter(|(at, _)| at == now).map(|(_, line)| line)
    };
    let before = (1..span.start()).rev().find_map(place);
    let after = (span.end() + 1..=count).find_map(place);
    (
        before
            .filter(|line| *line < inner.0)
            .map_or(1, |line| line + 1),
        after
            .filter(|line| *line > inner.1)
            .map_or(u32::MAX, |line| line - 1),
    )
}
