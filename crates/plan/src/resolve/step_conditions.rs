use std::collections::BTreeMap;

use serde_json::Value;
use windlass_base::{Diagnostic, Place};

use super::Resolution;
use super::known_shapes::KnownShapes;
use crate::{Condition, Edge, EdgeReason, Mention, StepDoc, StepIndex};

pub(super) struct Conditions<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl<'a> Conditions<'_, 'a> {
    pub(super) fn condition(&mut self, at: usize, step: &'a StepDoc) -> Option<Condition> {
        let text = step.condition.as_deref()?;
        let condition = match Condition::parse(text) {
            Ok(condition) => condition,
            Err(error) => {
                let place = match error.range.clone() {
                    Some(range) => self.0.places.text_in_step(at, "if", text, range),
                    None => self.0.places.step(at, &["if"]),
                };
                let mut wrong = Diagnostic::error("bad-condition", error.message);
                wrong.help = error.help;
                self.0.report(place, wrong);
                return None;
            }
        };
        for mention in condition.mentions() {
            let place = self
                .0
                .places
                .text_in_step(at, "if", text, mention.range.clone());
            self.mention(at, step, mention, place);
        }
        self.constant(at, &condition);
        Some(condition)
    }

    fn mention(&mut self, at: usize, step: &'a StepDoc, mention: &Mention, place: Option<Place>) {
        let words: Vec<_> = mention.path.iter().map(String::as_str).collect();
        let wrong = match words.as_slice() {
            ["inputs", name, ..] => self.0.input_types(name, &mention.path[2..]).err(),
            ["steps", id, rest @ ..] => {
                if let Some(needs) = self.0.by_id.get(id) {
                    self.0.edges.push(Edge {
                        step: StepIndex::new(at),
                        needs: *needs,
                        reason: EdgeReason::Condition {
                            place: place.clone(),
                        },
                    });
                }
                self.step_mention(id, rest, &mention.path)
            }
            ["item" | "index", ..] if step.for_each.is_none() => {
                let message = format!("`{mention}` is known only in a step with `for_each`");
                Some(Diagnostic::error("no-loop", message).help("add `for_each` to the step"))
            }
            ["item", ..] => {
                let types = KnownShapes(self.0).item_types(step, &mention.path[1..]);
                types.err()
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.0.report(place, wrong);
        }
    }

    fn step_mention(&self, id: &str, rest: &[&str], path: &[String]) -> Option<Diagnostic> {
        if self.0.step(id).is_none() {
            let wrong = self.0.no_such_step(id);
            if self.0.found.is_full() {
                return Some(wrong);
            }
            // `steps.fetch-log` means `steps.fetch` followed by `-log`.
            let dashed = format!("{id}-");
            let meant = self.0.names().iter().find(|name| name.starts_with(&dashed));
            return Some(match meant {
                Some(name) => {
                    wrong.help(format!("a name with `-` needs brackets: `steps['{name}']`"))
                }
                None => wrong,
            });
        }
        match rest {
            ["output", ..] => KnownShapes(self.0).output_types(id, &path[3..]).err(),
            ["status"] => None,
            _ => {
                let message =
                    format!("a condition can only read `output` and `status` of step `{id}`");
                let help = format!("write `steps['{id}'].output` or `steps['{id}'].status`");
                Some(Diagnostic::error("bad-condition", message).help(help))
            }
        }
    }

    /// Warns about a constant condition, which is one that reads no values.
    fn constant(&mut self, at: usize, condition: &Condition) {
        if !condition.mentions().is_empty() {
            return;
        }
        let nothing: BTreeMap<String, Value> = BTreeMap::new();
        if let Ok(holds) = condition.holds(&nothing) {
            let always = if holds { "always" } else { "never" };
            let warning =
                Diagnostic::warning("constant-condition", format!("this step {always} runs"))
                    .help("remove the condition, or the step");
            self.0.report(self.0.places.step(at, &["if"]), warning);
        }
    }
}
