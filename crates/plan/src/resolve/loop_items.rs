use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::Diagnostic;

use super::known_shapes::{KnownShapes, Types};
use super::reached_shapes::no_such_field;
use crate::quote::cut;
use crate::schema::{Follow, Shapes};
use crate::{InputType, Reference, StepDoc, Target};

impl<'a> KnownShapes<'_, 'a> {
    /// Returns the types of `#/item` or of a part of it.
    ///
    /// They are unknown if the list is literal.
    pub(super) fn item_types(
        &self,
        step: &'a StepDoc,
        path: &[String],
    ) -> Result<Types<'a>, Diagnostic> {
        match step.for_each.as_ref().and_then(Reference::from_value) {
            Some(Ok(reference)) => self.types_in_list(&reference, path),
            _ => Ok(None),
        }
    }

    fn types_in_list(&self, list: &Reference, path: &[String]) -> Result<Types<'a>, Diagnostic> {
        let is_empty = |default: &Value| default.as_array().is_some_and(Vec::is_empty);
        if !list.default.as_ref().is_none_or(is_empty) {
            return Ok(None);
        }
        let mut shapes = match &list.target {
            Target::Output(id) => {
                // If the step or the field is missing, the check of the list itself reports it.
                let reached = self.output_shapes(id, &list.path);
                match reached.ok().and_then(|reached| reached.items()) {
                    Some(shapes) => shapes,
                    None => return Ok(None),
                }
            }
            Target::Input(name) if list.path.is_empty() => {
                let inputs = self.0.runbook.inputs.as_ref();
                let input = inputs.and_then(|inputs| inputs.get(name));
                let is_list = input.is_some_and(|input| input.kind_or_guess() == InputType::Array);
                return match path {
                    [token, ..] if is_list => Err(nothing_inside(name, token)),
                    [] if is_list => Ok(Some(BTreeSet::from(["string"]))),
                    _ => Ok(None),
                };
            }
            _ => return Ok(None),
        };
        for token in path {
            match shapes.follow(token) {
                Follow::To(next) => shapes = next,
                Follow::Unknown => return Ok(None),
                Follow::Nowhere(fields) => {
                    let what = format!("an item of `{}`", cut(&list.text));
                    return Err(no_such_field(&what, token, &fields));
                }
            }
        }
        Ok(Shapes::types(&shapes))
    }
}

fn nothing_inside(name: &str, token: &str) -> Diagnostic {
    let message = format!(
        "the items of input `{}` are strings: they have no `{}`",
        cut(name),
        cut(token)
    );
    Diagnostic::error("unknown-field", message).help("write `#/item`")
}
