use std::collections::BTreeSet;

use serde_json::Value;
use windlass_base::Diagnostic;

use super::Resolution;
use super::known_shapes::{KnownShapes, Types};
use crate::document::json_pointer;
use crate::quote::near_boolean;
use crate::reference::{is_spoiled, visit};
use crate::schema::{Follow, Shapes, described, type_of};
use crate::{Edge, EdgeReason, KindSpec, Reference, StepDoc, StepIndex, TakenBy, Target};

pub(super) struct References<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl<'a> References<'_, 'a> {
    pub(super) fn check(&mut self, at: usize, step: &'a StepDoc, kind: Option<&'a KindSpec>) {
        if let Some(with) = &step.with {
            for (name, value) in with {
                self.references_in(at, step, kind, &["with", name], value);
            }
        }
        if let Some(items) = &step.for_each {
            self.references_in(at, step, kind, &["for_each"], items);
        }
    }

    /// Checks the references in a template, where `part` is its path within the step.
    fn references_in(
        &mut self,
        at: usize,
        step: &'a StepDoc,
        kind: Option<&'a KindSpec>,
        part: &[&str],
        template: &'a Value,
    ) {
        // A scalar can't contain any reference, so don't build a pointer for it.
        if !template.is_object() && !template.is_array() {
            return;
        }
        let mut base = String::new();
        for token in part {
            json_pointer::push(&mut base, token);
        }
        let mut seen = Vec::new();
        visit(template, &mut |inside, value| {
            if let Some(reference) = Reference::from_value(value) {
                seen.push((format!("{base}{inside}"), Some(reference)));
            } else if is_spoiled(value) {
                seen.push((format!("{base}{inside}"), None));
            }
        });
        for (pointer, reference) in seen {
            match reference {
                Some(Ok(reference)) => self.reference(at, step, kind, &pointer, &reference),
                Some(Err(error)) => {
                    let place = self.0.places.in_step(at, &format!("{pointer}/$ref"));
                    let wrong = Diagnostic::error("bad-reference", error.to_string())
                        .help("write `#/inputs/NAME` or `#/steps/ID/output/…`");
                    self.0.report(place, wrong);
                }
                None => {
                    let warning = Diagnostic::warning("literal-reference", "this is a literal, not a reference")
                        .help("a reference has the keys `$ref` and, if need be, `$default`, and no others");
                    self.0.report(self.0.places.in_step(at, &pointer), warning);
                }
            }
        }
    }

    fn reference(
        &mut self,
        at: usize,
        step: &'a StepDoc,
        kind: Option<&'a KindSpec>,
        pointer: &str,
        reference: &Reference,
    ) {
        let place = self.0.places.in_step(at, &format!("{pointer}/$ref"));
        // The list in `for_each` is resolved before there are items.
        let in_loop = step.for_each.is_some() && !pointer.starts_with("/for_each");
        let types = match &reference.target {
            Target::Input(name) => self.0.input_types(name, &reference.path),
            Target::Output(id) => KnownShapes(self.0).output_types(id, &reference.path),
            Target::Status(id) => match self.0.step(id) {
                Some(_) => Ok(Some(BTreeSet::from(["string"]))),
                None => Err(self.0.no_such_step(id)),
            },
            Target::Item if in_loop => KnownShapes(self.0).item_types(step, &reference.path),
            Target::Index if in_loop => Ok(Some(BTreeSet::from(["integer"]))),
            Target::Item | Target::Index => Err(no_loop(&reference.text)),
        };
        if let Some(needs) = reference.target.step().and_then(|id| self.0.by_id.get(id)) {
            self.0.edges.push(Edge {
                step: StepIndex::new(at),
                needs: *needs,
                reason: EdgeReason::Ref {
                    taken: Box::new(TakenBy {
                        at: pointer.to_owned(),
                        reference: reference.text.clone(),
                    }),
                    place: place.clone(),
                },
            });
        }
        match types {
            Err(wrong) => self.0.report(place, wrong),
            Ok(found) => {
                let expected = expected_types(kind, pointer);
                self.compare(at, pointer, reference, expected.as_ref(), found.as_ref());
            }
        }
    }

    fn compare(
        &mut self,
        at: usize,
        pointer: &str,
        reference: &Reference,
        expected: Option<&BTreeSet<&str>>,
        found: Option<&BTreeSet<&str>>,
    ) {
        let Some(expected) = expected else { return };
        let fits = |name: &&str| {
            expected.contains(name) || (*name == "integer" && expected.contains("number"))
        };
        if let Some(found) = found.filter(|found| !found.iter().any(fits)) {
            let message = format!(
                "`{}` is {}, and {} is expected here",
                reference.text,
                either(found),
                either(expected)
            );
            let mut wrong = Diagnostic::error("wrong-type", message);
            if expected.contains("array") && found.len() == 1 {
                wrong = wrong.help(format!(
                    "write a list: `[{{ $ref: '{}' }}]`",
                    reference.text
                ));
            }
            let place = self.0.places.in_step(at, &format!("{pointer}/$ref"));
            self.0.report(place, wrong);
        }
        if let Some(default) = reference
            .default
            .as_ref()
            .filter(|value| !fits(&type_of(value)))
        {
            let kind = described(type_of(default));
            let message = format!(
                "the default is {kind}, and {} is expected here",
                either(expected)
            );
            let mut wrong = Diagnostic::error("wrong-type", message);
            if let Some(meant) = default.as_str().and_then(near_boolean)
                && expected.contains("boolean")
            {
                wrong = wrong.help(format!("did you mean `{meant}`?"));
            }
            let place = self.0.places.in_step(at, &format!("{pointer}/$default"));
            self.0.report(place, wrong);
        }
    }
}

/// Returns the types that the step's kind expects at a JSON pointer within the step.
fn expected_types<'a>(kind: Option<&'a KindSpec>, at: &str) -> Types<'a> {
    if at == "/for_each" {
        return Some(BTreeSet::from(["array"]));
    }
    let mut shapes = Shapes::new(&kind?.input_schema);
    for token in json_pointer::tokens(at.strip_prefix("/with")?)? {
        match shapes.follow(&token) {
            Follow::To(next) => shapes = next,
            Follow::Unknown | Follow::Nowhere(_) => return None,
        }
    }
    shapes.types()
}

fn no_loop(text: &str) -> Diagnostic {
    let message = format!("`{text}` is known only in `with` and `if` of a step with `for_each`");
    Diagnostic::error("no-loop", message)
        .help("add `for_each` to the step, or refer to something else")
}

/// Joins types for a message, e.g. `a string or a list`.
///
/// We leave out `null` unless it is the only one.
fn either(types: &BTreeSet<&str>) -> String {
    let named: Vec<_> = types
        .iter()
        .filter(|name| **name != "null" || types.len() == 1)
        .map(|name| described(name))
        .collect();
    named.join(" or ")
}
