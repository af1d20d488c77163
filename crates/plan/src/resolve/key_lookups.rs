use std::collections::BTreeSet;

use serde_json::Value;

use super::Resolution;
use super::known_shapes::KnownShapes;
use super::reached_shapes::Reached;
use crate::quote::cut;
use crate::{KindSpec, Lookup, Reference, Target};

pub(super) struct Lookups<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl<'a> Lookups<'_, 'a> {
    /// Reports keys that cannot exist in the value that a step looks them up in.
    ///
    /// We skip the fields in `wrong`, since they have already been reported.
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
            let what = format!("the value of `{}` (`{}`)", lookup.of, cut(&reference.text));
            let place = self.0.places.in_step(at, &format!("/with/{}", lost.at));
            self.0.report(place, lost.diagnostic(&what, ""));
        }
    }

    /// Returns the reference in the field that is searched, and the possible shapes of its value.
    ///
    /// We only know the shapes of step outputs. If the reference has a default, its value could
    /// have any shape, so we give up unless the default is an empty list.
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
        // If the step or the field is missing, the check of references reports it.
        let reached = shapes.output_shapes(id, &reference.path).ok()?;
        Some((reference, reached))
    }
}
