//! Counts steps before they're built.
//!
//! A small formula can grow to a huge number of steps. Counting first lets us refuse it without
//! building them.

use super::{Growth, MAX_DEPTH, spot};
use crate::SourceRole;
use crate::document::{Located, StepDoc};
use crate::loop_range::number;
use crate::merge::Merged;

impl Growth<'_, '_> {
    /// Returns a lower bound for the number of steps that `docs` turn into, where `source` is the
    /// document they come from.
    ///
    /// If a template's name or a loop's number depends on variables, it counts as one step.
    pub(super) fn least_steps<'d>(
        &mut self,
        source: u32,
        docs: impl IntoIterator<Item = &'d Located<StepDoc>>,
    ) -> usize {
        self.least_at(0, source, docs)
    }

    fn least_at<'d>(
        &mut self,
        depth: usize,
        source: u32,
        docs: impl IntoIterator<Item = &'d Located<StepDoc>>,
    ) -> usize {
        let docs = docs.into_iter();
        docs.fold(0, |sum, doc| {
            sum.saturating_add(self.least_of(depth + 1, source, doc))
        })
    }

    fn least_of(&mut self, depth: usize, source: u32, doc: &StepDoc) -> usize {
        // We don't report the depth here, because building the steps does so.
        if depth > MAX_DEPTH {
            return 0;
        }
        if let Some(part) = &doc.repeat {
            let count = part.count.as_ref().and_then(|count| number(&count.0).ok());
            let count = count.map_or(1, |count| usize::try_from(count).unwrap_or_default());
            return count.saturating_mul(self.least_at(depth, source, &part.body));
        }
        match &doc.expand {
            Some(name) if name.contains('{') => 1,
            Some(name) => {
                let place = self.place(spot(source, name));
                let formula = self.formula(name, SourceRole::Expansion, place);
                formula.map_or(0, |formula| self.least_of_template(depth, &formula))
            }
            None => {
                1_usize.saturating_add(self.least_at(depth, source, doc.children.iter().flatten()))
            }
        }
    }

    /// Counts the steps of a template.
    ///
    /// We count each template once and remember the result. Otherwise, a chain of templates that
    /// each use the next one twice would take exponential time.
    pub(super) fn least_of_template(&mut self, depth: usize, formula: &Merged) -> usize {
        if let Some(known) = self.least.get(&formula.name) {
            return *known;
        }
        // If the template contains itself, we find this zero instead of counting forever. The error
        // is reported when the template is built.
        self.least.insert(formula.name.clone(), 0);
        let parts = formula.template.iter();
        let steps = parts.fold(0_usize, |sum, part| {
            sum.saturating_add(self.least_of(depth + 1, part.source, &part.item))
        });
        self.least.insert(formula.name.clone(), steps);
        steps
    }
}
