//! What is said of a text that its own file does not have any more.

use windlass_base::{Repair, RepairMethod, RepairOutcome, SourceHash};

use super::Search;
use super::homes::Home;
use super::verdict::{Found, claim};
use crate::agreement::Word;
use crate::elsewhere::{Elsewhere, had_copies};
use crate::explain::Trace;
use crate::in_file::{InFile, MIN_INFORMATION};
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::Located;

/// How much of a text may be left in its own file when it is said to be in another, in percent.
const MAX_LEFT: u32 = 9;

/// How much of a text has to be like a place in another file.
const MIN_ALIKE_ELSEWHERE: u32 = 75;

/// How much better than the second best a place in another file has to be.
const MARGIN: u32 = 15;

/// How little of a text may be found anywhere when it is said to be gone.
const MAX_TRACE: u32 = 24;

/// The fewest letters and digits of a text that is looked for in other files: what says less is written anew
/// too often.
const MIN_INFORMATION_ELSEWHERE: u32 = 40;

/// The fewest letters and digits of a text that is said to be gone.
const MIN_INFORMATION_GONE: u32 = 20;

impl Search<'_> {
    /// The verdict on a text that its own file does not have, as far as can be proven.
    pub(super) fn without_a_home(
        &self,
        old: &OldText,
        hash: SourceHash,
        looks: &[(InFile, &Home)],
        elsewhere: &Elsewhere,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Found {
        let left = looks
            .iter()
            .map(|(look, _)| look.carried)
            .max()
            .unwrap_or(0);
        let in_homes = || looks.iter().flat_map(|(look, _)| look.candidates.clone());
        let says_enough = old.text.information(old.lines) >= MIN_INFORMATION_ELSEWHERE;
        if let Some(best) = elsewhere.places.first()
            && best.kept >= MIN_ALIKE_ELSEWHERE
        {
            let second = elsewhere.places.get(1).map_or(0, |second| second.kept);
            let at_home = in_homes().map(|place| place.kept).max().unwrap_or(0);
            let stands_out = best.kept >= second.max(at_home) + MARGIN;
            if elsewhere.complete && says_enough && stands_out && left <= MAX_LEFT {
                let copies = had_copies(self.snapshot, old, &self.pointer.file);
                trace.note("other_files", || {
                    let copies = match copies {
                        Some(true) => "other files had it already",
                        Some(false) => "no other file had it before",
                        None => "nobody can say which files had it before",
                    };
                    format!("{best} has {} % of it; {copies}", best.kept)
                });
                let is_refuted = followed.is_some_and(|followed| {
                    followed.is_taken_out()
                        || matches!(followed.on(best, &self.pointer.file), Word::Against(_))
                });
                if copies == Some(false)
                    && !is_refuted
                    && let Some(text) = self.text_of(&best.file)
                {
                    return claim(best, &text, hash).into();
                }
            }
            return self
                .ambiguous_with(elsewhere.places.iter().cloned().chain(in_homes()).collect());
        }
        let candidates: Vec<Place> = in_homes()
            .chain(elsewhere.places.iter().cloned())
            .filter(|place| place.kept > MAX_TRACE)
            .collect();
        let is_cut_out = looks.len() == self.expected_homes(self.renamed(old, followed).as_ref())
            && looks.iter().all(|(look, _)| look.cut_out);
        let mut nearest = looks.iter().filter_map(|(look, _)| look.nearest.as_ref());
        let is_like_nothing = nearest.all(|place| place.kept <= MAX_TRACE)
            && followed.is_none_or(|followed| !followed.has_a_trace());
        let no_trace = candidates.is_empty() && is_like_nothing && elsewhere.complete && left == 0;
        let information = old.text.information(old.lines);
        let was_taken_out = followed.is_some_and(Located::is_taken_out);
        let is_proven = (is_cut_out && information >= MIN_INFORMATION_GONE)
            || (was_taken_out && information >= MIN_INFORMATION);
        if no_trace && is_proven {
            trace.note("verdict", || {
                "its place is closed, or its file gone, and nothing like it came anywhere else"
                    .to_owned()
            });
            return Repair {
                outcome: RepairOutcome::Gone,
                method: Some(RepairMethod::NothingLikeIt),
                confidence: 100,
                ..Repair::unproven()
            }
            .into();
        }
        trace.note("verdict", || "nothing is proven".to_owned());
        self.unproven_with(candidates)
    }
}
