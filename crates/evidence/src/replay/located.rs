//! Location of a text that results from following its lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath, is_on};
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

/// Maximum share of a removed text, in percent, that the same commits added elsewhere. These are lines that many texts
/// contain.
const MAX_DOUBTFUL: u32 = 50;

/// Maximum share of a removed text that may still exist in edited form, in percent.
const MAX_EDITED: u32 = 15;

/// The same share if the commits that removed the text added nothing similar.
const MAX_EVOLVED: u32 = 34;

/// Maximum share of a text whose fate is unknown, in percent. Above it, the history of the text is unknown.
const MAX_UNSEEN: u32 = 10;

/// Maximum share of a text, in percent, that may be far from the rest and is then not part of the location.
const MAX_STRAYS: u32 = 15;

/// Minimum unchanged share of a text, in percent, for its first and last line to be the ends of its location even if
/// much was inserted between them.
const MIN_SPREAD: u32 = 80;

/// Minimum number of letters and digits in lines unique to a text that prove its location.
const MIN_OWN: u32 = 20;

/// What happened to the lines of a text, taken together.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// Location of most of the text. Its `kept` is the share of the text that is there, unchanged or similar.
    pub(crate) place: Option<Place>,
    /// Share of the text that is unchanged at the location, in percent.
    pub(crate) same: u32,
    pub(crate) followed: Followed,
    /// Commit that last edited or removed the text, or moved it to another file. Empty for uncommitted changes, and
    /// `None` if the text was only shifted.
    pub(crate) commit: Option<String>,
    /// Range of all unchanged lines of the text in that file, including lines far from the rest.
    pub(crate) reach: Option<Range>,
    /// First line of the text, if all its non-trivial lines are unchanged at their former distances.
    pub(crate) whole_at: Option<usize>,
    /// Share of the text that is unchanged in other files, in percent.
    pub(crate) in_other_files: u32,
    /// True if the lines are too far apart for a single location.
    pub(crate) torn: bool,
    /// True if nearly all of the text is at the location, unchanged and in order. Lines may have been inserted in
    /// between.
    pub(crate) is_spread: bool,
    /// True if all non-trivial lines are adjacent, in order and have the same prefix, because the text was commented
    /// out.
    pub(crate) is_commented_out: bool,
    /// True if every non-trivial line is at its former position relative to the others, either unchanged or edited line
    /// for line.
    pub(crate) is_line_for_line: bool,
    /// True if no non-trivial line exists unchanged anywhere.
    pub(crate) is_unchanged_nowhere: bool,
    /// Number of letters and digits in those lines unique to the text in the old file that are unchanged at the
    /// location.
    pub(crate) proof: u32,
    /// Number of the lines that `proof` counts.
    pub(crate) own_lines: usize,
    /// Number of letters and digits in lines unique to the text that are not at the location, even in edited form.
    pub(crate) lost: u32,
    /// What happened to the other lines, in percent of the text.
    pub(crate) rest: Rest,
    /// Description of the result.
    pub(crate) said: String,
}

impl Located {
    /// Combines what happened to the lines of `old` according to `followed`. `text_of` reads the current files.
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
        // If two files have the same weight, the first by name is preferred.
        let best = weighed.max_by_key(|(weight, file)| (*weight, std::cmp::Reverse(*file)));
        let mut found = Self {
            commit: last_commit(old, lines, commits),
            rest: rest.shares(old),
            is_unchanged_nowhere: files.values().all(|stands| weight(old, stands).0 == 0),
            ..Self::default()
        };
        if let Some((_, file)) = best.filter(|((_, alike), _)| *alike > 0) {
            found.place_in(old, file, &files[file]);
            found.is_line_for_line = is_on("evidence.line_for_line")
                && found.rest == Rest::default()
                && line_for_line::is_enough(old, found.same)
                && text_of(file)
                    .is_some_and(|text| line_for_line::is_all(old, text, lines, &files[file]));
            let others = files.iter().filter(|(other, _)| **other != file);
            let weight_there = others.map(|(_, stands)| weight(old, stands).0).sum();
            found.in_other_files = old.percent(weight_there);
            found.is_commented_out = is_on("evidence.commented_out")
                && found.rest == Rest::default()
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
            // If nearly the whole text is there, it is a single location even with insertions in between.
            let (same, alike) = weight(old, all);
            let is_whole =
                is_on("evidence.spread") && old.percent(same) >= MIN_SPREAD && is_in_order(all);
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
        self.is_spread = is_on("evidence.spread") && self.same >= MIN_SPREAD && is_in_order(all);
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

    /// True if most of the text was removed, no equal line was added anywhere, and no line of it is known to be
    /// unchanged.
    pub(crate) fn is_taken_out(&self) -> bool {
        self.most_left() && !self.has_a_trace()
    }

    /// Checks the same as [`Self::is_taken_out`], but ignores lines that may exist in edited form.
    fn most_left(&self) -> bool {
        let rest = &self.rest;
        self.is_unchanged_nowhere
            && rest.unseen == 0
            && rest.doubtful + rest.copied + rest.evolved <= MAX_DOUBTFUL
    }

    /// Returns the lines that were added when the text was removed. Those that have more than `limits` of it may be its
    /// successors.
    ///
    /// # Errors
    /// Returns the reason if these lines are unknown.
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

    /// Returns the lines that replaced the text one for one when it was removed.
    pub(crate) fn put_in_place(&self, snapshot: &Snapshot, old: &OldText) -> Vec<Heir> {
        taken_out::put_in_place(snapshot, old, &self.followed)
    }

    /// True if lines of the text were removed or edited while a copy of the whole text in the same file stayed.
    pub(crate) fn was_lost_beside_a_copy(&self, snapshot: &Snapshot, old: &OldText) -> bool {
        taken_out::was_lost_beside_a_copy(snapshot, old, &self.followed)
    }

    /// Returns the files to which lines of the text moved. Also returns the files to which a commit that removed or
    /// edited its lines added all of it.
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

    /// Returns the files that were added when the text was removed.
    pub(crate) fn files_added(
        &self,
        snapshot: &Snapshot,
        old: &OldText,
    ) -> Vec<(RepoPath, Arc<Text>)> {
        taken_out::files_added(snapshot, old, &self.followed)
    }

    /// True if nearly every line that is not at the location is known to be removed, and is not elsewhere.
    pub(crate) fn is_all_that_is_left(&self) -> bool {
        let rest = &self.rest;
        rest.unseen == 0 && rest.doubtful + rest.copied + rest.evolved <= MAX_UNSEEN
    }

    /// True if more of the text exists, unchanged or edited, than a deleted text may leave behind.
    pub(crate) fn has_a_trace(&self) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| place.kept > MAX_EDITED)
    }

    /// True if every line unique to the text in its old file was followed unchanged to `place`. The other lines then
    /// prove nothing. Another text also contained them, and it is unknown which of two equal lines stayed.
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

    /// True if unique lines that make up a relevant share of the text were followed unchanged to the file of `place`,
    /// but outside of `place`.
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

    /// True if the text cannot be distinguished from copies that were inserted next to it.
    pub(crate) fn is_among_copies(&self) -> bool {
        self.rest.copied > MAX_DOUBTFUL
    }

    /// True if every line is known to be removed. What replaced it does not matter.
    pub(crate) fn left_as_a_whole(&self) -> bool {
        self.place.is_none() && self.rest.unseen == 0
    }

    /// True if nearly every line was followed, either to the location or to its removal.
    pub(crate) fn is_seen(&self) -> bool {
        self.rest.unseen <= MAX_UNSEEN
    }
}

/// Returns the newest commit that changed a non-trivial line.
fn last_commit(old: &OldText, lines: &[Line], commits: &BTreeMap<u32, String>) -> Option<String> {
    let telling = (old.lines.start..)
        .zip(lines)
        .filter(|(at, _)| !old.text.is_trivial(*at));
    let last = telling.map(|(_, line)| line.when).max()?;
    commits.get(&last).cloned()
}
