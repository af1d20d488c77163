//! Where most of a text stands after it was followed.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath};
use windlass_repo::Snapshot;

use super::heirs::{PutIn, Shares};
use super::track::{Leave, Line};
use super::{Followed, taken_out};
use crate::alignment::{Alignment, Part};
use crate::old_text::OldText;
use crate::place::Place;
use crate::text::{Range, Text};

/// How much of a text that was taken out may have come in elsewhere at the same time, in percent: lines that many texts
/// have.
const MAX_DOUBTFUL: u32 = 50;

/// How little of it may stand somewhere, edited.
const MAX_EDITED: u32 = 15;

/// The same where the commits that took it out put in nothing like it.
const MAX_EVOLVED: u32 = 34;

/// How much of it may have left unseen for its history to be known.
const MAX_UNSEEN: u32 = 10;

/// How much of a text may be left out of its place, as it stands far from the rest.
const MAX_STRAYS: u32 = 15;

/// How much of a text has to stand unchanged for its first and last line to be the ends of its place, whatever was put in
/// between.
const MIN_SPREAD: u32 = 80;

/// The fewest letters and digits of the lines that only a text had for them to tell where it is.
const MIN_OWN: u32 = 20;

/// The fewest letters and digits of one of these lines for it to count as one.
const MIN_OWN_LINE: u32 = 6;

/// How many bytes are put before a line that is commented out, at most.
const MAX_PREFIX: usize = 4;

/// What became of the lines of a text.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// Where most of it stands; `kept` is how much of it stands there unchanged, or like it was.
    pub(crate) place: Option<Place>,
    /// How much of it stands there unchanged, in percent.
    pub(crate) same: u32,
    /// What this is made of.
    pub(crate) followed: Followed,
    /// The commit that last moved it to another file, edited it or took it out; empty for changes that are not
    /// committed, nothing where it was only shifted.
    pub(crate) commit: Option<String>,
    /// All lines of that file at which unchanged lines of it stand, those far from the rest as well.
    pub(crate) reach: Option<Range>,
    /// Where it begins, if every line that says something stands unchanged, as far from the others as it did.
    pub(crate) whole_at: Option<usize>,
    /// Whether its lines stand too far apart to be one place.
    pub(crate) torn: bool,
    /// Whether nearly all of it stands at its place unchanged and in order, whatever was put in between.
    pub(crate) is_spread: bool,
    /// Whether every line that says something stands in order with the same put before it, with nothing lost and nothing put in
    /// between: it was commented out.
    pub(crate) is_commented_out: bool,
    /// Whether none of its lines that say something stands anywhere as it was.
    pub(crate) is_unchanged_nowhere: bool,
    /// How many letters and digits of lines that its old file had only there stand at the place unchanged.
    pub(crate) proof: u32,
    /// How many lines these are.
    pub(crate) own_lines: usize,
    /// How many letters and digits of such lines stand there neither unchanged nor edited.
    pub(crate) lost: u32,
    /// What became of the rest, in percent.
    pub(crate) rest: Rest,
    /// The same in words.
    pub(crate) said: String,
}

/// How alike a line is that was followed as the same all the way, in permille.
const SAME: u32 = 1000;

/// A line of the text that stands somewhere.
#[derive(Debug, Clone, Copy)]
struct Stands {
    old: usize,
    new: usize,
    /// How alike the two are, in permille.
    alike: u32,
}

impl Located {
    /// `followed` is what became of the lines of `old`; `text_of` reads the files as they are now.
    pub(crate) fn of<'t>(
        old: &OldText,
        followed: Followed,
        text_of: impl Fn(&RepoPath) -> Option<&'t Text>,
    ) -> Self {
        let Followed { lines, commits, .. } = &followed;
        let mut files: BTreeMap<&RepoPath, Vec<Stands>> = BTreeMap::new();
        let mut rest = Weights::default();
        for (at, line) in (old.lines.start..).zip(lines) {
            let there = line.at.as_ref().and_then(|(file, now)| {
                let stands = stands(old, at, text_of(file)?, *now as usize, line.same)?;
                Some((file, stands))
            });
            match there {
                Some((file, stands)) => {
                    rest.evolved += (stands.alike == 0) as u32 * old.text.weight(at);
                    files.entry(file).or_default().push(stands);
                }
                None => rest.count(line, old.text.weight(at)),
            }
        }
        let weighed = files
            .iter()
            .map(|(file, stands)| (weight(old, stands), *file));
        // Of equals the first by name.
        let best = weighed.max_by_key(|(weight, file)| (*weight, std::cmp::Reverse(*file)));
        let mut found = Self {
            commit: last_commit(old, lines, commits),
            rest: rest.shares(old),
            is_unchanged_nowhere: files.values().all(|stands| weight(old, stands).0 == 0),
            ..Self::default()
        };
        if let Some((_, file)) = best.filter(|((_, alike), _)| *alike > 0) {
            found.place_in(old, file, &files[file]);
            found.is_commented_out = found.rest == Rest::default()
                && text_of(file).is_some_and(|text| is_commented_out(old, text, &files[file]));
        }
        found.said = found.told();
        found.followed = followed;
        found
    }

    fn place_in(&mut self, old: &OldText, file: &RepoPath, all: &[Stands]) {
        let heaviest = heaviest_cluster(old, all);
        let strays = weight(old, all).0 - weight(old, &heaviest).0;
        let cluster = match old.percent(strays) > MAX_STRAYS {
            true => all,
            false => &heaviest,
        };
        let (same, alike) = weight(old, cluster);
        let news = || cluster.iter().map(|stands| stands.new);
        let (Some(first), Some(last)) = (news().min(), news().max()) else {
            return;
        };
        let place = Place {
            file: file.clone(),
            lines: Range {
                start: first,
                end: last + 1,
            },
            kept: old.percent(alike),
            method: RepairMethod::History,
        };
        let telling = |stands: &&Stands| !old.text.is_trivial(stands.old);
        let unchanged = all.iter().filter(telling).filter(|one| one.alike == SAME);
        let reach = unchanged.fold(place.lines, |reach, one| reach.with(one.new));
        let is_too_long = |lines: Range| lines.len() > old.lines.len() * 4 + 16;
        self.reach = Some(reach);
        (self.proof, self.own_lines) = proof(old, cluster);
        self.lost = lost(old, cluster);
        self.whole_at = whole_at(old, all);
        self.same = old.percent(same);
        if place.is_torn_by(reach) {
            // Nearly all of it, with other lines put in between, is one place still.
            let (same, alike) = weight(old, all);
            let is_whole = old.percent(same) >= MIN_SPREAD && is_in_order(all);
            self.torn = !is_whole || is_too_long(reach);
            if !self.torn {
                self.is_spread = true;
                self.same = old.percent(same);
                self.place = Some(Place {
                    lines: reach,
                    kept: old.percent(alike),
                    ..place
                });
                return;
            }
        }
        self.torn |= is_too_long(place.lines);
        self.is_spread = self.same >= MIN_SPREAD && is_in_order(all);
        self.place = Some(place);
    }

    fn told(&self) -> String {
        let when = match self.commit.as_deref() {
            None => String::new(),
            Some("") => "; it last changed without being committed".to_owned(),
            Some(commit) => format!("; it last changed in commit {commit}"),
        };
        let rest = &self.rest;
        let left = format!(
            "{} % of it left while nothing equal came, {} % while something did, {} % as a copy came beside it, {} % unseen, and {} % are no longer like it{when}",
            rest.clean, rest.doubtful, rest.copied, rest.unseen, rest.evolved
        );
        match &self.place {
            Some(place) => format!(
                "{place} has {} % of it unchanged, and {} % with what was edited; {left}",
                self.same, place.kept
            ),
            None => format!("no line of it can be followed: {left}"),
        }
    }

    /// Whether most of it left while nothing equal came in anywhere, and nothing of it is known to be unchanged.
    pub(crate) fn is_taken_out(&self) -> bool {
        self.most_left() && !self.has_a_trace()
    }

    /// The same, but for what may be left of it, edited.
    fn most_left(&self) -> bool {
        let rest = &self.rest;
        self.is_unchanged_nowhere
            && rest.unseen == 0
            && rest.doubtful + rest.copied + rest.evolved <= MAX_DOUBTFUL
    }

    /// What came in when it was taken out; what has more than `limits` of it may be what became of it.
    ///
    /// # Errors
    /// Where nobody can say; in words.
    pub(crate) fn replaced_by(
        &self,
        snapshot: &Snapshot,
        old: &OldText,
        limits: Shares,
    ) -> Result<PutIn, String> {
        let place = self.place.as_ref();
        if self.rest.unseen > 0 {
            return Err("not all of it was seen to leave".to_owned());
        }
        if !self.most_left() || place.is_some_and(|place| place.kept > MAX_EVOLVED) {
            return Ok(PutIn {
                more: Some("not all of it is known to have left".to_owned()),
                ..PutIn::default()
            });
        }
        taken_out::put_in(snapshot, old, &self.followed, limits)
    }

    /// Whether lines of it were taken out or edited beside a copy of the whole, which stayed.
    pub(crate) fn was_lost_beside_a_copy(&self, snapshot: &Snapshot, old: &OldText) -> bool {
        taken_out::was_lost_beside_a_copy(snapshot, old, &self.followed)
    }

    /// The files that came in when it was taken out.
    pub(crate) fn files_added(
        &self,
        snapshot: &Snapshot,
        old: &OldText,
    ) -> Vec<(RepoPath, Arc<Text>)> {
        taken_out::files_added(snapshot, old, &self.followed)
    }

    /// Whether it is known of nearly every line that does not stand at the place that it left, and went nowhere else.
    pub(crate) fn is_all_that_is_left(&self) -> bool {
        let rest = &self.rest;
        rest.unseen == 0 && rest.doubtful + rest.copied + rest.evolved <= MAX_UNSEEN
    }

    /// Whether more of it stands somewhere, unchanged or edited, than may be left of what is gone.
    pub(crate) fn has_a_trace(&self) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| place.kept > MAX_EDITED)
    }

    /// Whether every line that its old file had only in the text was followed to `place`, unchanged. Where the others went tells
    /// nothing then: a twin had them as well, and which of two equal lines stayed nobody can say.
    pub(crate) fn has_all_its_own(&self, old: &OldText, place: &Place) -> bool {
        let own = (old.lines.start..old.lines.end).zip(&self.followed.lines);
        let mut own = own.filter(|(at, _)| !old.text.is_trivial(*at) && old.text.alike(*at) == 1);
        let is_there = |line: &Line| {
            let at = line.at.as_ref().filter(|_| line.same);
            at.is_some_and(|(file, now)| *file == place.file && place.lines.contains(*now as usize))
        };
        let mut letters = 0;
        own.all(|(at, line)| {
            letters += old.text.letters(at);
            is_there(line)
        }) && letters >= MIN_OWN
    }

    /// Whether more of it than may be strays are lines that its old file had only there, followed unchanged to its file outside of `place`.
    pub(crate) fn has_its_own_beside(&self, old: &OldText, place: &Place) -> bool {
        let lines = (old.lines.start..old.lines.end).zip(&self.followed.lines);
        let is_beside = |(at, line): &(usize, &Line)| {
            let there = line.at.as_ref().filter(|_| line.same);
            old.text.alike(*at) == 1
                && there.is_some_and(|(file, now)| {
                    *file == place.file && !place.lines.contains(*now as usize)
                })
        };
        let beside = lines.filter(is_beside);
        let weight = beside.map(|(at, _)| old.text.weight(at)).sum();
        old.percent(weight) > MAX_STRAYS
    }

    /// Whether it is lost among copies that were written beside it.
    pub(crate) fn is_among_copies(&self) -> bool {
        self.rest.copied > MAX_DOUBTFUL
    }

    /// Whether every line of it was seen to leave, whatever stands in its place now.
    pub(crate) fn left_as_a_whole(&self) -> bool {
        self.place.is_none() && self.rest.unseen == 0
    }

    /// Whether nearly all of it could be followed, to its place or its end.
    pub(crate) fn is_seen(&self) -> bool {
        self.rest.unseen <= MAX_UNSEEN
    }
}

/// What became of the lines of a text that stand nowhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// They left, and no equal line came in.
    pub(crate) clean: u32,
    /// They left, and an equal line came in, which may be another one.
    pub(crate) doubtful: u32,
    /// A copy was written beside them, and either may be it.
    pub(crate) copied: u32,
    /// They left with a commit that could not be looked at as a whole.
    pub(crate) unseen: u32,
    /// They were edited, until nothing like them was left.
    pub(crate) evolved: u32,
}

/// The same in weights of lines.
type Weights = Rest;

impl Weights {
    fn count(&mut self, line: &Line, weight: u32) {
        let left = match line.left {
            // It does not stand where it was followed to.
            _ if line.at.is_some() => &mut self.unseen,
            Leave::Unseen => &mut self.unseen,
            Leave::Doubtful => &mut self.doubtful,
            Leave::Copied => &mut self.copied,
            Leave::Clean => &mut self.clean,
        };
        *left += weight;
    }

    fn shares(self, old: &OldText) -> Rest {
        // Not even a little of what was not seen may be lost to rounding.
        let unseen = old.percent(self.unseen).max(u32::from(self.unseen > 0));
        Rest {
            clean: old.percent(self.clean),
            doubtful: old.percent(self.doubtful),
            copied: old.percent(self.copied),
            evolved: old.percent(self.evolved),
            unseen,
        }
    }
}

/// Where line `at` of the text stands, checked against the text as it is now.
fn stands(old: &OldText, at: usize, text: &Text, now: usize, same: bool) -> Option<Stands> {
    let is_same = text.keys().get(now)? == &old.text.keys()[at];
    let one = |text, at| Part {
        text,
        lines: Range {
            start: at,
            end: at + 1,
        },
    };
    let alike = match (is_same, same) {
        (true, true) => SAME,
        // Equal again, or taken for the line because it is like it.
        (true, false) => SAME - 1,
        // It does not stand where it is said to.
        (false, true) => return None,
        (false, false) => {
            let pairs = Alignment::of(one(&old.text, at), one(text, now), |_| true).pairs;
            pairs.first().map_or(0, |(.., alike)| *alike)
        }
    };
    Some(Stands {
        old: at,
        new: now,
        alike,
    })
}

/// How much of the text `stands` are: unchanged, and with what is like it.
fn weight(old: &OldText, stands: &[Stands]) -> (u32, u32) {
    let (mut same, mut alike) = (0, 0);
    for line in stands {
        let weight = old.text.weight(line.old);
        alike += weight * line.alike / 1000;
        if line.alike == SAME {
            same += weight;
        }
    }
    (same, alike)
}

/// Where the text begins, if all its lines that say something stand unchanged and as far from each other as they did.
fn whole_at(old: &OldText, all: &[Stands]) -> Option<usize> {
    let telling = |at: &usize| !old.text.is_trivial(*at);
    let wanted = (old.lines.start..old.lines.end).filter(telling);
    let unchanged = all
        .iter()
        .filter(|one| one.alike == SAME && telling(&one.old));
    let starts = unchanged
        .clone()
        .map(|one| (one.new + old.lines.start).checked_sub(one.old));
    let first = starts.clone().next()??;
    let is_whole = unchanged.count() == wanted.count() && starts.flatten().all(|at| at == first);
    is_whole.then_some(first)
}

/// How many letters and digits those of the lines have that stand unchanged and that their old file had only there; and how many lines
/// these are.
fn proof(old: &OldText, all: &[Stands]) -> (u32, usize) {
    let is_unique = |at: usize| old.text.alike(at) == 1;
    let unchanged = all
        .iter()
        .filter(|one| one.alike == SAME && is_unique(one.old));
    let letters = unchanged.map(|one| old.text.letters(one.old));
    let lines = letters.clone().filter(|letters| *letters >= MIN_OWN_LINE);
    (letters.sum(), lines.count())
}

/// How many letters and digits those of the lines have that their old file had only there and that are neither of `all` nor like one of
/// these.
fn lost(old: &OldText, all: &[Stands]) -> u32 {
    let own = (old.lines.start..old.lines.end).filter(|at| old.text.alike(*at) == 1);
    let stands = |at: &usize| all.iter().any(|one| one.old == *at && one.alike > 0);
    own.filter(|at| !stands(at))
        .map(|at| old.text.letters(at))
        .sum()
}

/// Whether the lines follow each other as they did, next to each other, each with the same few bytes before it; blanks do not
/// count.
fn is_commented_out(old: &OldText, text: &Text, all: &[Stands]) -> bool {
    let squeezed = |text: &Text, at: usize| {
        let mut bytes = text.bytes(at);
        bytes.retain(|byte| !byte.is_ascii_whitespace());
        bytes
    };
    let mut prefix: Option<Vec<u8>> = None;
    let telling = all.iter().filter(|one| !old.text.is_trivial(one.old));
    let is_same = telling.clone().all(|one| {
        let (before, now) = (squeezed(&old.text, one.old), squeezed(text, one.new));
        let Some(put) = now.strip_suffix(&before[..]) else {
            return false;
        };
        (1..=MAX_PREFIX).contains(&put.len()) && *prefix.get_or_insert_with(|| put.to_vec()) == put
    });
    let mut ends = telling;
    let (first, last) = (ends.clone().next(), ends.next_back());
    let is_close = first.zip(last).is_some_and(|(first, last)| {
        last.old > first.old && last.new.checked_sub(first.new) == Some(last.old - first.old)
    });
    is_same && is_close && is_in_order(all)
}

/// Whether the lines follow each other as they did.
fn is_in_order(all: &[Stands]) -> bool {
    let mut news: Vec<(usize, usize)> = all.iter().map(|one| (one.old, one.new)).collect();
    news.sort_unstable();
    news.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// The lines that stand together, where the text weighs most; the first of equals.
fn heaviest_cluster(old: &OldText, all: &[Stands]) -> Vec<Stands> {
    let gap = old.lines.len().max(8);
    let mut sorted = all.to_vec();
    sorted.sort_by_key(|stands| stands.new);
    let mut clusters: Vec<Vec<Stands>> = Vec::new();
    for stands in sorted {
        match clusters.last_mut() {
            Some(last) if last.last().is_some_and(|last| stands.new - last.new <= gap) => {
                last.push(stands);
            }
            _ => clusters.push(vec![stands]),
        }
    }
    let heaviest = clusters.into_iter().rev();
    heaviest
        .max_by_key(|cluster| weight(old, cluster))
        .unwrap_or_default()
}

/// The newest commit that did something to a line which says something.
fn last_commit(old: &OldText, lines: &[Line], commits: &BTreeMap<u32, String>) -> Option<String> {
    let telling = (old.lines.start..)
        .zip(lines)
        .filter(|(at, _)| !old.text.is_trivial(*at));
    let last = telling.map(|(_, line)| line.when).max()?;
    commits.get(&last).cloned()
}
