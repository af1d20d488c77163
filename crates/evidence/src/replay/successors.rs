//! Finds lines that may have replaced a removed text.
//!
//! The commits that removed the text may have added other lines at the same time. If these are
//! similar to the text or contain it in another form, they may be its successors, and the text
//! cannot be reported as deleted.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use windlass_base::is_on;

use super::file_steps::FileStep;
use super::sweep::gap_around;
use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::other_forms::OtherForms;
use crate::params;
use crate::text::{Part, Range, Text};
use crate::vestige::{Rewritten, first_word, own_name};

/// Share of a removed text that the same commits added again, in percent of its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Share that is similar to lines added anywhere.
    pub(crate) anywhere: u32,
    /// Share that is similar to lines added in the place of the text.
    ///
    /// Slight similarity counts here, such as that of a line in which words were inserted.
    pub(crate) in_place: u32,
}

pub(super) struct Successors<'a> {
    old: &'a OldText,
    /// Other forms of the text. Few texts need them, so they are computed on first use.
    other_forms: OnceCell<OtherForms>,
    name: Option<Vec<u8>>,
    /// Share that unrelated lines may have as well, in percent.
    limit: u32,
    /// Number of line pairs that may still be compared.
    pairs: usize,
    pub(super) most: Shares,
}

impl<'a> Successors<'a> {
    pub(super) fn new(old: &'a OldText, limit: u32) -> Self {
        Self {
            old,
            other_forms: OnceCell::new(),
            name: own_name(old),
            limit,
            pairs: params::MAX_PAIRS,
            most: Shares::default(),
        }
    }

    /// Checks that none of the lines which `commit` added to one file may be the text.
    ///
    /// # Errors
    /// Describes the lines that may be the text. There is also an error if there are too many lines
    /// to compare.
    pub(super) fn rule_out(&mut self, step: &FileStep, commit: &str) -> Result<(), String> {
        let Some((file, text)) = &step.to else {
            return Ok(());
        };
        if self.is_anywhere(step, text)? || self.is_replaced(step, text) {
            return Err(format!("commit {commit} put lines like it into `{file}`"));
        }
        match self.has_other_form(step, text) {
            true => Err(format!("`{file}` has it in another form")),
            false => Ok(()),
        }
    }

    fn is_anywhere(&mut self, step: &FileStep, text: &Text) -> Result<bool, String> {
        let wanted = self.old.part();
        // Each window has room for twice the text, and the next one begins one length of the text
        // later, so that we don't cut a successor in two.
        let reach = wanted.lines.len() * 2 + params::MAX_DISTANCE;
        let is_added = |at: usize| step.is_added(at);
        let mut next = 0;
        for at in (0..text.len()).filter(|at| is_added(*at)) {
            if at < next {
                continue;
            }
            next = at + wanted.lines.len();
            let there = Range::new(at, (at + reach).min(text.len()));
            let there = Part::new(text, there);
            let count = wanted.lines.len() * there.lines.len();
            // Give up once this gets too expensive. We can't rule out lines that we haven't
            // compared.
            let too_much = "the commits that took it out put too much in";
            self.pairs = self.pairs.checked_sub(count).ok_or(too_much)?;
            let share = Alignment::of(wanted, there, is_added).share_of_one(wanted);
            if !is_chance(wanted, share) {
                self.most.anywhere = share.max(self.most.anywhere);
            }
        }
        Ok(self.most.anywhere > self.limit)
    }

    /// Returns true if lines that took the place of the text may be it, or if an added line begins
    /// with its name.
    fn is_replaced(&mut self, step: &FileStep, text: &Text) -> bool {
        let places = places_of(self.old, step);
        for lines in &places {
            let share = self.share_in_place(Part::new(text, *lines), |at| step.is_added(at));
            self.most.in_place = share.max(self.most.in_place);
        }
        let mut added = (0..text.len()).filter(|at| step.is_added(*at));
        let is_named =
            |name: &Vec<u8>| added.any(|at| first_word(&text.bytes(at)).as_ref() == Some(name));
        self.most.in_place > self.limit
            || (!places.is_empty() && self.name.as_ref().is_some_and(is_named))
    }

    fn has_other_form(&self, step: &FileStep, text: &Text) -> bool {
        let letters = step.letters_that_came();
        if letters.is_empty() || !is_on("evidence.other_forms") {
            return false;
        }
        let forms = self.other_forms.get_or_init(|| OtherForms::of(self.old));
        let is_added = |at: &usize| step.is_added(*at);
        forms.are_in(letters)
            || forms.are_reworded_in(text, (0..text.len()).filter(is_added))
            || forms.are_renamed_in(text, |at| step.is_added(at))
    }

    /// Returns how much of the text is in the lines that took its place, in percent.
    fn share_in_place(&self, there: Part<'_>, is_added: impl Fn(usize) -> bool) -> u32 {
        let wanted = self.old.part();
        let alignment = match is_on("evidence.vestiges") {
            true => Alignment::with_vestiges(wanted, there, &is_added),
            false => Alignment::of(wanted, there, &is_added),
        };
        let share = alignment.share_of_one(wanted);
        match is_on("evidence.rewritten") {
            true => share.max(rewritten(self.old, there, is_added)),
            false => share,
        }
    }
}

/// Returns true if lines with this similarity are found in any large commit. If a text has only a
/// single line, just a very similar line is evidence.
fn is_chance(text: Part<'_>, likeness: u32) -> bool {
    let telling = text.telling();
    likeness < params::MIN_ALIKE && telling.take(2).count() < 2
}

/// Returns the ranges that took the place of removed lines which equal lines of the text.
fn places_of(old: &OldText, step: &FileStep) -> Vec<Range> {
    let (Some((_, from)), Some((_, to))) = (&step.from, &step.to) else {
        return Vec::new();
    };
    let keys = old.part().telling().map(|at| old.text.keys()[at]);
    let keys: BTreeSet<u64> = keys.collect();
    let (mut places, mut done) = (Vec::new(), 0);
    for (at, key) in from.keys().iter().enumerate() {
        if at >= done && step.carried(at).is_none() && keys.contains(key) {
            let (gap, place) = gap_around(step, from, to, at);
            // The other lines of the gap have the same place.
            done = gap.end;
            places.push(place);
        }
    }
    places
}

/// Returns how much of a short text may have been rewritten to the few lines that replaced it, in
/// percent.
fn rewritten(text: &OldText, there: Part<'_>, is_added: impl Fn(usize) -> bool) -> u32 {
    let old: Vec<usize> = text.part().telling().collect();
    let mut new: Vec<usize> = there.telling().collect();
    new.retain(|at| is_added(*at));
    if old.len() > params::MAX_SHORT_TEXT || new.len() > old.len() * 2 + 1 {
        return 0;
    }
    let known = Rewritten::of(text, &old);
    let lines = new.iter().map(|at| there.text.bytes(*at));
    let lines: BTreeSet<usize> = lines
        .flat_map(|line| known.to(text, &line).collect::<Vec<_>>())
        .collect();
    let weight: u32 = lines.iter().map(|at| text.text.weight(*at)).sum();
    text.percent(weight)
}
