//! Location of most of a text after it was followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath};
use windlass_repo::Snapshot;

use super::heirs::{Heir, PutIn, Shares};
use super::rest::{Rest, Weights};
use super::stands::{
    SAME, Stands, heaviest_cluster, is_commented_out, is_in_order, lost, proof, stands, weight,
    whole_at,
};
use super::track::Line;
use super::{Followed, line_for_line, taken_out};
use crate::old_text::OldText;
use crate::place::Place;
use crate::text::{Range, Text};

/// Share of a removed text that may have come in elsewhere at the same time, in percent: lines that many texts
/// have.
const MAX_DOUBTFUL: u32 = 50;

/// Share of it that may be somewhere, edited.
const MAX_EDITED: u32 = 15;

/// The same where the commits that took it out put in nothing like it.
const MAX_EVOLVED: u32 = 34;

/// Share of it that may have left unseen for its history to be known.
const MAX_UNSEEN: u32 = 10;

/// Share of a text that may be left out of its place, as it is far from the rest.
const MAX_STRAYS: u32 = 15;

/// Share of a text that has to be unchanged for its first and last line to be the ends of its place, whatever was put in
/// between.
const MIN_SPREAD: u32 = 80;

/// Minimum number of letters and digits of the lines that only a text had for them to tell where it is.
const MIN_OWN: u32 = 20;

/// Fate of the lines of a text.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// Location of most of it; `kept` is the share that is there unchanged, or like it was.
    pub(crate) place: Option<Place>,
    /// Share of it that is there unchanged, in percent.
    pub(crate) same: u32,
    pub(crate) followed: Followed,
    /// The commit that last moved it to another file, edited it or took it out; empty for changes that are not
    /// committed, nothing where it was only shifted.
    pub(crate) commit: Option<String>,
    /// All lines of that file at which unchanged lines of it are, those far from the rest as well.
    pub(crate) reach: Option<Range>,
    /// First line, if every line that says something is unchanged, as far from the others as it was.
    pub(crate) whole_at: Option<usize>,
    /// Share of it that is unchanged in other files than the place, in percent.
    pub(crate) in_other_files: u32,
    /// True if its lines are too far apart to be one place.
    pub(crate) torn: bool,
    /// True if nearly all of it is at its place unchanged and in order, whatever was put in between.
    pub(crate) is_spread: bool,
    /// True if every line that says something is in order with the same put before it, with nothing lost and nothing put in
    /// between: it was commented out.
    pub(crate) is_commented_out: bool,
    /// True if every line that says something is where it was among the others: unchanged, or edited one line for one.
    pub(crate) is_line_for_line: bool,
    /// True if none of its lines that say something is anywhere as it was.
    pub(crate) is_unchanged_nowhere: bool,
    /// Number of letters and digits of lines unique to it in the old file that are at the place unchanged.
    pub(crate) proof: u32,
    /// Number of lines these are.
    pub(crate) own_lines: usize,
    /// Number of letters and digits of such lines that are there neither unchanged nor edited.
    pub(crate) lost: u32,
    /// Fate of the rest, in percent.
    pub(crate) rest: Rest,
    /// The same in words.
    pub(crate) said: String,
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
                let stands = stands(old, at, text_of(file)?, *now as usize, line.is_same())?;
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
        // The first of equals by name wins.
        let best = weighed.max_by_key(|(weight, file)| (*weight, std::cmp::Reverse(*file)));
        let mut found = Self {
            commit: last_commit(old, lines, commits),
            rest: rest.shares(old),
            is_unchanged_nowhere: files.values().all(|stands| weight(old, stands).0 == 0),
            ..Self::default()
        };
        if let Some((_, file)) = best.filter(|((_, alike), _)| *alike > 0) {
            found.place_in(old, file, &files[file]);
            found.is_line_for_line = found.rest == Rest::default()
                && line_for_line::is_enough(old, found.same)
                && text_of(file)
                    .is_some_and(|text| line_for_line::is_all(old, text, lines, &files[file]));
            let others = files.iter().filter(|(other, _)| **other != file);
            let weight_there = others.map(|(_, stands)| weight(old, stands).0).sum();
            found.in_other_files = old.percent(weight_there);
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
            Some(place) => {
                let others = match self.in_other_files {
                    0 => String::new(),
                    share => format!("; {share} % of it stands unchanged in other files"),
                };
                format!(
                    "{place} has {} % of it unchanged, and {} % with what was edited{others}; {left}",
                    self.same, place.kept
                )
            }
            None => format!("no line of it can be followed: {left}"),
        }
    }

    /// True if most of it left while nothing equal came in anywhere, and nothing of it is known to be unchanged.
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

    /// Lines that came in when it was taken out; those that have more than `limits` of it may be its successors.
    ///
    /// # Errors
    /// Where that is unknown; in words.
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

    /// Lines that replaced it one for one when it was taken out.
    pub(crate) fn put_in_place(&self, snapshot: &Snapshot, old: &OldText) -> Vec<Heir> {
        taken_out::put_in_place(snapshot, old, &self.followed)
    }

    /// True if lines of it were taken out or edited beside a copy of the whole, which stayed.
    pub(crate) fn was_lost_beside_a_copy(&self, snapshot: &Snapshot, old: &OldText) -> bool {
        taken_out::was_lost_beside_a_copy(snapshot, old, &self.followed)
    }

    /// The files to which lines of it went, and those into which a commit that took lines of it out, or edited them, put all of it.
    pub(crate) fn files_it_may_be_in(
        &self,
        snapshot: &Snapshot,
        old: &OldText,
    ) -> BTreeSet<RepoPath> {
        let mut files = taken_out::files_with_all_of_it(snapshot, old, &self.followed);
        let lines = self.followed.lines.iter();
        files.extend(lines.filter_map(|line| Some(line.at.as_ref()?.0.clone())));
        files
    }

    /// The files that came in when it was taken out.
    pub(crate) fn files_added(
        &self,
        snapshot: &Snapshot,
        old: &OldText,
    ) -> Vec<(RepoPath, Arc<Text>)> {
        taken_out::files_added(snapshot, old, &self.followed)
    }

    /// True if it is known of nearly every line that is not at the place that it left, and went nowhere else.
    pub(crate) fn is_all_that_is_left(&self) -> bool {
        let rest = &self.rest;
        rest.unseen == 0 && rest.doubtful + rest.copied + rest.evolved <= MAX_UNSEEN
    }

    /// True if more of it is somewhere, unchanged or edited, than may be left of what is gone.
    pub(crate) fn has_a_trace(&self) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| place.kept > MAX_EDITED)
    }

    /// True if every line that its old file had only in the text was followed to `place`, unchanged. Where the others went tells
    /// nothing then: a twin had them as well, and it is unknown which of two equal lines stayed.
    pub(crate) fn has_all_its_own(&self, old: &OldText, place: &Place) -> bool {
        let own = (old.lines.start..old.lines.end).zip(&self.followed.lines);
        let mut own = own.filter(|(at, _)| !old.text.is_trivial(*at) && old.text.alike(*at) == 1);
        let is_there = |line: &Line| {
            let at = line.at.as_ref().filter(|_| line.is_same());
            at.is_some_and(|(file, now)| *file == place.file && place.lines.contains(*now as usize))
        };
        let mut letters = 0;
        own.all(|(at, line)| {
            letters += old.text.letters(at);
            is_there(line)
        }) && letters >= MIN_OWN
    }

    /// True if more of it than may be strays are lines that its old file had only there, followed unchanged to its file outside of `place`.
    pub(crate) fn has_its_own_beside(&self, old: &OldText, place: &Place) -> bool {
        let lines = (old.lines.start..old.lines.end).zip(&self.followed.lines);
        let is_beside = |(at, line): &(usize, &Line)| {
            let there = line.at.as_ref().filter(|_| line.is_same());
            old.text.alike(*at) == 1
                && there.is_some_and(|(file, now)| {
                    *file == place.file && !place.lines.contains(*now as usize)
                })
        };
        let beside = lines.filter(is_beside);
        let weight = beside.map(|(at, _)| old.text.weight(at)).sum();
        old.percent(weight) > MAX_STRAYS
    }

    /// True if it is lost among copies that were written beside it.
    pub(crate) fn is_among_copies(&self) -> bool {
        self.rest.copied > MAX_DOUBTFUL
    }

    /// True if every line of it was seen to leave, whatever is in its place now.
    pub(crate) fn left_as_a_whole(&self) -> bool {
        self.place.is_none() && self.rest.unseen == 0
    }

    /// True if nearly all of it could be followed, to its place or its end.
    pub(crate) fn is_seen(&self) -> bool {
        self.rest.unseen <= MAX_UNSEEN
    }
}

/// The newest commit that did something to a line which says something.
fn last_commit(old: &OldText, lines: &[Line], commits: &BTreeMap<u32, String>) -> Option<String> {
    let telling = (old.lines.start..)
        .zip(lines)
        .filter(|(at, _)| !old.text.is_trivial(*at));
    let last = telling.map(|(_, line)| line.when).max()?;
    commits.get(&last).cloned()
}
