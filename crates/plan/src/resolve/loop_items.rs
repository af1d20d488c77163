use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::{Diagnostic, counted};

use super::known_shapes::{KnownShapes, Types};
use super::reached_shapes::no_such_field;
use crate::document::json_pointer;
use crate::quote::cut;
use crate::reference::is_spoiled;
use crate::schema::{Follow, Shapes, type_of};
use crate::{InputType, Reference, StepDoc, Target};

/// Maximum number of literal items to check.
const MAX_ITEMS: usize = 1_000;

impl<'a> KnownShapes<'_, 'a> {
    /// Returns the types of `#/item`, or of a part of it. With `may_lack`, it's fine if some items
    /// don't have that part.
    pub(super) fn item_types(
        &self,
        step: &'a StepDoc,
        path: &[String],
        may_lack: bool,
    ) -> Result<Types<'a>, Diagnostic> {
        let Some(items) = &step.for_each else {
            return Ok(None);
        };
        match (Reference::from_value(items), items) {
            (Some(Ok(reference)), _) => self.types_in_list(&reference, path),
            (None, Value::Array(items)) => types_in_items(items, path, may_lack),
            _ => Ok(None),
        }
    }

    /// Returns the types of the items in the list referred to by `list`.
    fn types_in_list(&self, list: &Reference, path: &[String]) -> Result<Types<'a>, Diagnostic> {
        let is_empty = |default: &Value| default.as_array().is_some_and(Vec::is_empty);
        if !list.default.as_ref().is_none_or(is_empty) {
            return Ok(None);
        }
        let mut shapes = match &list.target {
            Target::Output(id) => {
                // If the step or field doesn't exist, the check of the list itself reports it.
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

/// Returns the types of the items in a literal list.
fn types_in_items<'a>(
    items: &[Value],
    path: &[String],
    may_lack: bool,
) -> Result<Types<'a>, Diagnostic> {
    let (mut types, mut lack) = (BTreeSet::new(), Vec::new());
    let looked_at = &items[..items.len().min(MAX_ITEMS)];
    for (at, item) in looked_at.iter().enumerate() {
        match part(item, path) {
            Part::Is(value) => {
                types.insert(type_of(value));
            }
            Part::Unknown => return Ok(None),
            Part::Missing => lack.push(at),
        }
    }
    let Some(first) = lack.first() else {
        // If we haven't checked all items, any type is possible.
        return Ok((looked_at.len() == items.len() && !items.is_empty()).then_some(types));
    };
    if may_lack && lack.len() < items.len() {
        return Ok(None);
    }
    let name = path.join("/");
    let message = match lack.len() {
        all if all == items.len() => format!("no item of `for_each` has `{}`", cut(&name)),
        1 => format!("item {first} of `for_each` has no `{}`", cut(&name)),
        count => format!(
            "{} of `for_each` have no `{}`, the first is item {first}",
            counted(count, "item"),
            cut(&name)
        ),
    };
    Err(Diagnostic::error("unknown-field", message)
        .help("write `$default` beside the reference, or give every item that field"))
}

/// The value at a path, which may be unknown because of references in the literal.
enum Part<'v> {
    Is(&'v Value),
    /// We only know the value once the step runs.
    Unknown,
    Missing,
}

fn part<'v>(value: &'v Value, path: &[String]) -> Part<'v> {
    let mut here = value;
    let mut tokens = path.iter();
    loop {
        if Reference::from_value(here).is_some() || is_spoiled(here) {
            return Part::Unknown;
        }
        let Some(token) = tokens.next() else {
            return Part::Is(here);
        };
        let next = match here {
            Value::Object(fields) => fields.get(token),
            Value::Array(list) => json_pointer::index(token).and_then(|index| list.get(index)),
            _ => None,
        };
        match next {
            Some(next) => here = next,
            None => return Part::Missing,
        }
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
