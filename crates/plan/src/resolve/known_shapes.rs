use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use super::Resolution;
use super::reached_shapes::{Reached, no_such_field, output_of};
use crate::document::json_pointer;
use crate::quote::cut;
use crate::schema::{Follow, Shapes};

/// The possible types of a value, or `None` if it could have any type.
pub(super) type Types<'a> = Option<BTreeSet<&'a str>>;

/// The shapes of step outputs, as far as they are known before the run.
pub(super) struct KnownShapes<'r, 'a>(pub(super) &'r Resolution<'a>);

impl<'a> KnownShapes<'_, 'a> {
    pub(super) fn output_types(&self, id: &str, path: &[String]) -> Result<Types<'a>, Diagnostic> {
        Ok(self.output_shapes(id, path)?.types())
    }

    /// Returns the possible shapes at `path` in the output of step `id`.
    ///
    /// If the step does not exist, or if nothing can exist at `path`, the result is an error for
    /// the author.
    pub(super) fn output_shapes(
        &self,
        id: &str,
        path: &[String],
    ) -> Result<Reached<'a>, Diagnostic> {
        let Some((_, step, kind)) = self.0.step(id) else {
            return Err(self.0.no_such_step(id));
        };
        let (mut shapes, mut path) = (Shapes::of_output(kind), path);
        if step.for_each.is_some() {
            let Some((first, rest)) = path.split_first() else {
                return Ok(Reached::List(shapes));
            };
            if json_pointer::index(first).is_none() {
                let message = format!(
                    "step `{id}` has `for_each`: its output is a list, and `{}` is no index",
                    cut(first)
                );
                return Err(Diagnostic::error("unknown-field", message).help(format!(
                    "write `#/steps/{id}/output/0/{first}`, or use the whole list"
                )));
            }
            path = rest;
        }
        for token in path {
            match shapes.follow(token) {
                Follow::To(next) => shapes = next,
                Follow::Unknown => return Ok(Reached::One(Shapes::anything())),
                Follow::Nowhere(fields) => {
                    return Err(no_such_field(&output_of(id, step), token, &fields));
                }
            }
        }
        Ok(Reached::One(shapes))
    }
}
