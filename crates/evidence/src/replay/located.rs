//! Location of a text, put together from the locations to which its lines were followed.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{RepairMethod, RepoPath, is_on};
use windlass_repo::Snapshot;

use super::rest::{Rest, Weights};
use super::stands::{
    SAME, Stands, heaviest_cluster, is_in_order, lost, proof, stands, weight, whole_at,
};
use super::successors::Shares;
use super::track::Line;
use super::{Followed, line_for_line, taken_out};
use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::text::{Range, Text};

/// Fate of a text, derived from the fates of its lines.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// Location of most of the text. Its `kept` is how much of the text is there, unchanged or
    /// similar.
    pub(crate) place: Option<Place>,
    /// Share of the text that is unchanged at the location, in percent.
    pub(crate) same: u32,
    pub(crate) followed: Followed,
    /// Commit that last edited or removed lines of the text, or moved them to another file. `None`
    /// if they were only shifted, and empty if the change is uncommitted.
    pub(crate) commit: Option<String>,
    /// Range of all unchanged lines of the text in that file, including those far from the rest.
    pub(crate) reach: Option<Range>,
    /// First line of the whole text, if all its non-trivial lines are unchanged and as far apart as
    /// before.
    pub(crate) whole_at: Option<usize>,
    /// Share of the text that is unchanged in other files, in percent.
    pub(crate) in_other_files: u32,
    /// True if the lines are too far apart for a single location.
    pub(crate) torn: bool,
    /// True if nearly all of the text is at the location, unchanged and in order, whatever was
    /// inserted in between.
    pub(crate) is_spread: bool,
    /// True if all non-trivial lines are as far apart as before, each of them unchanged or edited
    /// line for line.
    pub(crate) is_line_for_line: bool,
    /// True if no line is unchanged anywhere, apart from trivial ones.
    pub(crate) is_unchanged_nowhere: bool,
    /// Letters and digits in the lines that were unique in the old file and are unchanged at the
    /// location.
    pub(crate) proof: u32,
    /// Number of these lines, not counting very short ones.
    pub(crate) own_lines: usize,
    /// Letters and digits in the lines that were unique in the old file and are not at the
    /// location, even in edited form.
    pub(crate) lost: u32,
    /// True if the text had unique lines, but none of them is unchanged at the location. What is
    /// left there are lines that many texts contain.
    pub(crate) is_common: bool,
    /// Fates of the lines that have no location, in percent of the text.
    pub(crate) rest: Rest,
    /// Description of all this, for explanations.
    pub(crate) said: String,
}

impl Located {
    /// Puts together what happened to the lines of `old`.
    ///
    /// `text_of` reads the current contents of a file, against which each followed line is
    /// verified.
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
                // If the current line doesn't fit, the track is wrong, and we treat the line as one
                // without a location.
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
        // Of two files with the same weight, we take the first by name.
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
        }
        found.said = found.told();
        found.followed = followed;
        found
    }

    fn place_in(&mut self, old: &OldText, file: &RepoPath, all: &[Stands]) {
        // A few lines may have ended up far from the rest, e.g. a moved import. We leave them out
        // of the location unless they're a considerable part of the text.
        let heaviest = heaviest_cluster(old, all);
        let strays = weight(old, all).0 - weight(old, &heaviest).0;
        let cluster = match old.percent(strays) > params::MAX_STRAYS {
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
            lines: Range::new(first, last + 1),
            kept: old.percent(alike),
            method: RepairMethod::History,
        };
        let telling = |stands: &&Stands| !old.text.is_trivial(stands.old);
        let unchanged = all.iter().filter(telling).filter(|one| one.alike == SAME);
        // In contrast to `place`, this includes the lines that were left out above.
        let reach = unchanged.fold(place.lines, |reach, one| reach.with(one.new));
        let is_too_long = |lines: Range| lines.len() > old.lines.len() * 4 + 16;
        self.reach = Some(reach);
        (self.proof, self.own_lines) = proof(old, cluster);
        self.lost = lost(old, cluster);
        let is_unique = |at: usize| old.text.alike(at) == 1;
        self.is_common = self.proof == 0 && same > 0 && old.part().telling().any(is_unique);
        self.whole_at = whole_at(old, all);
        self.same = old.percent(same);
        if place.is_torn_by(reach) {
            // If nearly all of the text is there, it has a single location in spite of what was
            // inserted.
            let (same, alike) = weight(old, all);
            let is_whole = is_on("evidence.spread")
                && old.percent(same) >= params::NEARLY_ALL
                && is_in_order(all);
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
        self.is_spread =
            is_on("evidence.spread") && self.same >= params::NEARLY_ALL && is_in_order(all);
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

    /// Returns true if the text was removed: nothing of it is unchanged anywhere, few lines were
    /// added that equal its own, and hardly anything of it was followed to a location.
    pub(crate) fn is_taken_out(&self) -> bool {
        self.most_left() && !self.has_a_trace()
    }

    /// Checks the same as [`Self::is_taken_out`], but ignores lines that may exist in edited form.
    fn most_left(&self) -> bool {
        let rest = &self.rest;
        self.is_unchanged_nowhere
            && rest.unseen == 0
            && rest.doubtful + rest.copied + rest.evolved <= params::HALF
    }

    /// Returns how much of the text was added again by the commits that removed it. That may be up
    /// to `limit` percent.
    ///
    /// # Errors
    /// Returns the reason if something that they added may be the text, or if this is unknown.
    pub(crate) fn added_again(
        &self,
        snapshot: &Snapshot,
        old: &OldText,
        limit: u32,
    ) -> Result<Shares, String> {
        let place = self.place.as_ref();
        if self.rest.unseen > 0 {
            return Err("not all of it was seen to leave".to_owned());
        }
        if !self.most_left() || place.is_some_and(|place| place.kept > params::MAX_UNRELATED) {
            return Err("not all of it is known to have left".to_owned());
        }
        taken_out::added_again(snapshot, old, &self.followed, limit)
    }

    /// Returns true if lines of the text were removed or edited while a copy of all of it remained
    /// in the same file.
    pub(crate) fn was_lost_beside_a_copy(&self, snapshot: &Snapshot, old: &OldText) -> bool {
        taken_out::was_lost_beside_a_copy(snapshot, old, &self.followed)
    }

    /// Returns the files to which lines of the text moved, and those to which a commit that changed
    /// its lines added all of it.
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

    /// Returns true if nearly every line that is not at the location is known to be removed, rather
    /// than lost track of.
    pub(crate) fn is_all_that_is_left(&self) -> bool {
        let rest = &self.rest;
        rest.unseen == 0 && rest.doubtful + rest.copied + rest.evolved <= params::NEGLIGIBLE
    }

    /// Returns true if more of the text was followed to a location than a deleted text may leave
    /// behind.
    pub(crate) fn has_a_trace(&self) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| place.kept > params::MAX_STRAYS)
    }

    /// Returns true if the text cannot be told from copies that were inserted next to it.
    pub(crate) fn is_among_copies(&self) -> bool {
        self.rest.copied > params::HALF
    }

    /// Returns true if every line is known to be removed, whatever replaced it.
    pub(crate) fn left_as_a_whole(&self) -> bool {
        self.place.is_none() && self.rest.unseen == 0
    }

    /// Returns true if nearly every line was followed, to a location or to its removal.
    pub(crate) fn is_seen(&self) -> bool {
        self.rest.unseen <= params::NEGLIGIBLE
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
