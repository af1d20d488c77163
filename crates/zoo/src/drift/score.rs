//! What became of a span in truth, and whether the verdict says so.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_base::{Freshness, Judgement, LineSpan, RepairOutcome};

use super::truth::{Line, Tracking};

/// What became of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Label {
    Unchanged,
    MovedSameFile,
    MovedOtherFile,
    Edited,
    /// Taken out by commits that put nothing in its place.
    Deleted,
    /// Taken out by commits that put other lines in its place, none of which is a line of it by either method.
    Replaced,
}

impl Label {
    pub(crate) const ALL: [Self; 6] = [
        Self::Unchanged,
        Self::MovedSameFile,
        Self::MovedOtherFile,
        Self::Edited,
        Self::Deleted,
        Self::Replaced,
    ];

    /// Whether nothing is left of the span.
    pub(crate) fn is_gone(self) -> bool {
        matches!(self, Self::Deleted | Self::Replaced)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::MovedSameFile => "moved, same file",
            Self::MovedOtherFile => "moved, other file",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Replaced => "replaced",
        }
    }

    /// What it says of a place.
    pub(crate) fn means(self) -> &'static str {
        match self {
            Self::Unchanged => "it stands where it stood, as it was",
            Self::MovedSameFile => "it stands elsewhere in its file, as it was",
            Self::MovedOtherFile => "it stands in another file, as it was",
            Self::Edited => "some of its lines are left, and others came or went",
            Self::Deleted => "it was taken out by commits that put nothing in its place",
            Self::Replaced => {
                "it was taken out by commits that put other lines in its place, none of which is one of its own"
            }
        }
    }
}

/// Where a span is, in truth.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    pub(crate) label: Label,
    pub(crate) file: String,
    /// The lines that are left of it.
    pub(crate) inner: (u32, u32),
    /// The most that can be meant: up to the lines that stood around it.
    pub(crate) outer: (u32, u32),
}

impl Truth {
    /// What became of the span and where it is, in words: also the most lines that can be meant, where these are more.
    pub(crate) fn told(&self) -> String {
        let (label, file) = (self.label.word(), &self.file);
        if self.label.is_gone() {
            return label.to_owned();
        }
        let within = match self.outer == self.inner {
            true => String::new(),
            false => format!(" (within {})", lines(self.outer)),
        };
        format!("{label}, at {file}:{}{within}", lines(self.inner))
    }
}

/// Lines as places have them: `14-33`; to the end of the file where nobody says which is the last.
fn lines((first, last): (u32, u32)) -> String {
    match last {
        u32::MAX => format!("{} to the end", first.max(1)),
        last => LineSpan::new(first.max(1), last.max(1))
            .map_or_else(|_| format!("{first}-{last}"), |span| span.to_string()),
    }
}

/// How a verdict fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Score {
    Correct,
    Near,
    GaveUp,
    FalselyGone,
    Wrong,
}

impl Score {
    pub(crate) const ALL: [Self; 5] = [
        Self::Correct,
        Self::Near,
        Self::GaveUp,
        Self::FalselyGone,
        Self::Wrong,
    ];

    /// What it is called where somebody asks for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Near => "near",
            Self::GaveUp => "gaveup",
            Self::FalselyGone => "falselygone",
            Self::Wrong => "wrong",
        }
    }

    /// What it is called in tables.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Near => "near",
            Self::GaveUp => "gave up",
            Self::FalselyGone => "falsely gone",
            Self::Wrong => "wrong place",
        }
    }

    /// What it says of a verdict.
    pub(crate) fn means(self) -> &'static str {
        match self {
            Self::Correct => "what was said is so: the very lines, or that it is gone",
            Self::Near => {
                "another place, but nearly: it has half of the lines that are left and reaches at most two lines beyond those that stood around \
                 them, or both share half of what they span together"
            }
            Self::GaveUp => "nothing was claimed: neither a place, nor that it is gone",
            Self::FalselyGone => "it was said to be gone, and is there",
            Self::Wrong => {
                "another place was said, or that it stands as it was where it does not; counted with falsely gone as `false`"
            }
        }
    }
}

/// The texts of both states.
pub(crate) struct States<'a> {
    pub(crate) old: &'a dyn Fn(&str) -> Option<&'a [String]>,
    pub(crate) new: &'a dyn Fn(&str) -> Option<&'a [String]>,
}

/// What became of lines `span` of `file`; `None` when the two methods do not agree.
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
    // Lines that say nothing at the ends are not tracked.
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

/// Whether a line has something to say, which alone is tracked.
fn says(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// The lines of `span` that say something.
fn said(old: &[String], span: LineSpan) -> impl Iterator<Item = u32> {
    (span.start()..=span.end())
        .filter(|line| old.get(*line as usize - 1).is_some_and(|text| says(text)))
}

/// Where the lines of a span went.
struct Followed {
    blamed: BTreeSet<Line>,
    replayed: BTreeSet<Line>,
    /// Whether a line of it went to several places by the first method.
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

    /// Where both methods say that `text` is.
    fn agreed(self, states: &States<'_>, text: &[&str]) -> Option<BTreeSet<Line>> {
        if !self.replayed.is_empty() || self.several {
            return (self.blamed == self.replayed).then_some(self.replayed);
        }
        // One method alone counts where the whole text came with it.
        let (file, (first, last)) = bounds(&self.blamed)?;
        let whole = (states.new)(&file)?.get(first as usize - 1..last as usize)?;
        let whole = whole.iter().map(|line| line.trim());
        whole.eq(trimmed(text)).then_some(self.blamed)
    }
}

/// What became of a span none of whose lines is anywhere, by both methods; `None` where it was brought back, or moved in a way that neither
/// sees.
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
    // Where every line was edited, both see the text deleted.
    if lives || is_edited_in_place(tracking, states, file, old, span) {
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

/// Whether `text` stands more than once in `lines`.
fn has_copies(lines: &[String], text: &[&str]) -> bool {
    let wanted: Vec<String> = text.iter().map(|line| squeezed(line)).collect();
    let all: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    all.windows(wanted.len())
        .filter(|window| *window == wanted)
        .nth(1)
        .is_some()
}

/// Whether a line that says something stood next to `span` and stands next to `inner` now, by both methods. Which of
/// several equal texts is which, a comparison only guesses otherwise, and both methods guess alike.
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

/// `outer` with lines near `inner` that are new and say what a lost line of the text said: what was taken out and brought
/// back is followed by neither method.
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

/// Whether the text stands in `lines`, or a third of what it says stands there close together in lines that are new: the
/// file did not have them `before`, or neither method says that they were there, as when they were brought back.
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

/// Whether a third of the text has lines like it, none of which was there before, between the lines that stood around it.
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

/// The words of a line, sorted.
fn words(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words
}

/// Whether half of the words of two lines are the same.
fn are_alike(one: &[&str], other: &[&str]) -> bool {
    let mut left = other.to_vec();
    let shared = one.iter().filter(|word| {
        let at = left.iter().position(|other| other == *word);
        at.map(|at| left.swap_remove(at)).is_some()
    });
    let shared = shared.count();
    shared > 0 && shared * 4 >= one.len() + other.len()
}

/// The file and lines that `places` span; nothing when they are in several files.
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

/// Whether `judgement` says what became of the span.
pub(crate) fn score(truth: &Truth, judgement: &Judgement, captured: (&str, LineSpan)) -> Score {
    // Whoever says that nothing happened says more than where it stands.
    if judgement.status == Freshness::Fresh && truth.label != Label::Unchanged {
        return Score::Wrong;
    }
    let claimed = if judgement.status == Freshness::Fresh {
        Some((captured.0.to_owned(), captured.1))
    } else {
        let repair = judgement.repair.as_ref();
        let new = repair.and_then(|repair| repair.evidence.as_ref());
        new.map(|new| (new.file.to_string(), new.span))
    };
    let Some((file, span)) = claimed else {
        return match (judgement.outcome(), truth.label) {
            (Some(RepairOutcome::Gone), label) if label.is_gone() => Score::Correct,
            (Some(RepairOutcome::Gone), _) => Score::FalselyGone,
            _ => Score::GaveUp,
        };
    };
    if truth.label.is_gone() || file != truth.file {
        return Score::Wrong;
    }
    let (first, last) = (span.start(), span.end());
    if (first, last) == truth.inner {
        return Score::Correct;
    }
    let shared = (last.min(truth.inner.1) + 1).saturating_sub(first.max(truth.inner.0));
    let inner = truth.inner.1 - truth.inner.0 + 1;
    let all = last.max(truth.inner.1) - first.min(truth.inner.0) + 1;
    let within = first + 2 >= truth.outer.0 && last <= truth.outer.1.saturating_add(2);
    match () {
        () if shared * 2 >= inner && within => Score::Near,
        () if shared * 2 >= all => Score::Near,
        () => Score::Wrong,
    }
}
