//! Check that a removed text has no successor that still exists. Successors are called heirs.

use windlass_base::{RepairMethod, is_on};

use super::homeless::Homeless;
use crate::explain::Trace;
use crate::old_text::OldText;
use crate::place::Place;
use crate::replay::{Heir, Located, PutIn, Shares};

/// Maximum similarity of a text to its replacement, in percent, if a line of it may still exist in edited form. The
/// limit is lower because two weak signs then agree.
const IN_PLACE_BESIDE_A_TRACE: u32 = 24;

/// Maximum number of texts to follow before a text is reported as deleted.
const MAX_FOLLOWED: usize = 12;

impl Homeless<'_> {
    /// Returns the known locations of the lines that replaced the text of `old` one for one. Returns `None` if there
    /// are none, or if they were removed later.
    pub(super) fn replaced_in_place(
        &self,
        old: &OldText,
        followed: Option<&Located>,
        trace: &mut Trace,
    ) -> Option<Vec<Place>> {
        if !is_on("evidence.replaced_in_place") {
            return None;
        }
        let (mut places, mut is_there) = (Vec::new(), false);
        for heir in followed?.put_in_place(self.search.snapshot, old) {
            // Uncommitted lines are in the working tree, so they need not be followed.
            if heir.text.commit.is_empty() {
                is_there = true;
                places.push(Place {
                    file: heir.file,
                    lines: heir.text.lines,
                    kept: 0,
                    method: RepairMethod::History,
                });
                continue;
            }
            match self.search.followed(&heir.file, &heir.text, trace) {
                Some(followed) if followed.is_taken_out() => {}
                followed => {
                    is_there = true;
                    places.extend(followed.and_then(|followed| followed.place));
                }
            }
        }
        is_there.then_some(places)
    }

    /// True if no successor of the text exists now. The commits that removed it added nothing that has more than
    /// `limits` of it, or those additions were removed later. Returns `None` if the history is not completely known.
    pub(super) fn has_no_heir(&self, limits: &Shares, trace: &mut Trace) -> Option<bool> {
        let followed = self.followed?;
        let in_place = match followed.place {
            Some(_) if is_on("evidence.beside_a_trace") => {
                limits.in_place.min(IN_PLACE_BESIDE_A_TRACE)
            }
            _ => limits.in_place,
        };
        let limits = &Shares {
            in_place,
            ..*limits
        };
        let put_in = followed.replaced_by(self.search.snapshot, self.old, *limits);
        trace.note("history", || match &put_in {
            Ok(PutIn { more: Some(why), .. }) | Err(why) => why.clone(),
            Ok(put_in) => format!(
                "the commits that took it out put in nothing that has more than {} % of it, {} % in its place, and {} % of its own words",
                put_in.most.anywhere, put_in.most.in_place, put_in.most.words
            ),
        });
        let mut left = MAX_FOLLOWED;
        Some(self.are_over(&put_in.ok()?, limits, &mut left, trace))
    }

    /// True if none of the lines that were added when a text was removed exists now.
    fn are_over(
        &self,
        put_in: &PutIn,
        limits: &Shares,
        left: &mut usize,
        trace: &mut Trace,
    ) -> bool {
        let mut heirs = put_in.heirs.iter();
        put_in.more.is_none() && heirs.all(|heir| self.is_over(heir, limits, left, trace))
    }

    /// True if `heir` and all its successors were removed. At most `left` texts are inspected.
    fn is_over(&self, heir: &Heir, limits: &Shares, left: &mut usize, trace: &mut Trace) -> bool {
        // Uncommitted lines are in the working tree, so they still exist.
        if heir.text.commit.is_empty() || *left == 0 || !is_on("evidence.heirs_followed") {
            return false;
        }
        *left -= 1;
        trace.note("history", || {
            format!(
                "what came in at {}:{}-{} in commit {} is like it",
                heir.file,
                heir.text.lines.start + 1,
                heir.text.lines.end,
                heir.text.commit
            )
        });
        let followed = self.search.followed(&heir.file, &heir.text, trace);
        let Some(followed) = followed.filter(Located::is_taken_out) else {
            return false;
        };
        let put_in = followed.replaced_by(self.search.snapshot, &heir.text, *limits);
        put_in.is_ok_and(|put_in| self.are_over(&put_in, limits, left, trace))
    }
}
