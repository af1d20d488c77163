use std::collections::BTreeSet;

use serde_json::Value;

use super::Resolution;
use super::known_shapes::KnownShapes;
use super::reached_shapes::Reached;
use crate::quote::cut;
use crate::{KindSpec, Lookup, Reference, Target};

/// The keys in the input of a step that are looked up in what others give.
pub(super) struct Lookups<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl<'a> Lookups<'_, 'a> {
    /// Reports keys in the input of a step that nothing can have of what they are looked up in. What is wrong with
    /// the fields in `wrong` was told.
    pub(super) fn check(
        &mut self,
        at: usize,
        kind: &'a KindSpec,
        with: &Value,
        wrong: &BTreeSet<String>,
    ) {
        for lookup in kind.lookups(with) {
            let Some((reference, reached)) = self.brought(with, &lookup) else {
                continue;
            };
            let Err(lost) = reached.go(&lookup.ways) else {
                continue;
            };
            if wrong.contains(lost.at) {
                continue;
            }
            if self.0.found.is_full() {
                self.0.found.count_error();
                continue;
            }
            let what = format!("what `{}` brings (`{}`)", lookup.of, cut(&reference.text));
            let place = self.0.places.in_step(at, &format!("/with/{}", lost.at));
            self.0.report(place, lost.told(&what, ""));
        }
    }

    /// What a field of the input brings, where that is known: the output of a step, and nothing else in its stead.
    fn brought(&self, with: &Value, lookup: &Lookup<'_>) -> Option<(Reference, Reached<'a>)> {
        let reference = Reference::from_value(with.get(lookup.of)?)?.ok()?;
        let is_empty = |default: &Value| default.as_array().is_some_and(Vec::is_empty);
        if !reference.default.as_ref().is_none_or(is_empty) {
            return None;
        }
        let Target::Output(id) = &reference.target else {
            return None;
        };
        let shapes = KnownShapes(self.0);
        // That there is no such step or field is told of the reference.
        let reached = shapes.output_shapes(id, &reference.path).ok()?;
        Some((reference, reached))
    }
}
