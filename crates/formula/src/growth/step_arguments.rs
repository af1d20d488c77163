//! Builds the arguments of machine steps and context packs, and checks them against the step kind.

use serde_json::{Map, Value};
use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, listed, near};
use windlass_plan::{Catalog, KindSpec, Schema, Target, find_references, is_reference};

use super::{Growth, Here, spot};
use crate::NeedKind;
use crate::document::{Located, StepDoc};
use crate::draft::{Spot, UnitId, What};

/// Maximum number of mismatches reported per step. A list of the wrong shape may have one for each
/// of its items.
const MAX_PROBLEMS: usize = 20;
const PACK: &str = "pack";

pub(super) struct StepArguments<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> StepArguments<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    /// Returns the arguments of a machine step.
    ///
    /// We replace references to variables with their values, but references to steps have to stay
    /// until the molecule runs.
    pub(super) fn arguments(&mut self, doc: &StepDoc) -> Option<Map<String, Value>> {
        let here = self.here;
        let Some(part) = &doc.arguments else {
            if let Some(uses) = &doc.uses {
                // The step kind may have required arguments.
                self.check_kind(uses, &Value::Object(Map::new()), spot(here.source, uses));
            }
            return doc.uses.is_some().then(Map::new);
        };
        let at = spot(here.source, part);
        let Some(uses) = &doc.uses else {
            let message = format!("step `{}` has `with`, but no `uses`", cut(&doc.id));
            self.growth
                .refuse(at, message, "add `uses = \"…\"`, or remove `with`");
            return None;
        };
        let mut with = Value::Object(part.value.clone());
        self.fill_inputs(&mut with, at);
        self.check_kind(uses, &with, at);
        match with {
            Value::Object(with) => Some(with),
            _ => None,
        }
    }

    /// Returns the arguments of a step's context pack, or `None` if `pack` is missing or invalid.
    pub(super) fn pack(&mut self, doc: &StepDoc) -> Option<Map<String, Value>> {
        let here = self.here;
        let part = doc.pack.as_ref()?;
        let at = spot(here.source, part);
        let given = match &part.value {
            Value::Bool(true) => Map::new(),
            Value::Object(given) => given.clone(),
            _ => return None,
        };
        if doc.uses.is_some() {
            let message = format!(
                "step `{}` is performed by the machine, which gets no context pack",
                cut(&doc.id)
            );
            let help = "remove `pack`, or use `uses = \"pack\"` to build one for later steps";
            self.growth.refuse(at, message, help);
            return None;
        }
        // Unlike those of other step kinds, the arguments of a pack are mostly prose, so we fill in
        // placeholders too.
        let mut pack = Value::Object(here.names.fill_map(Some(&given)));
        self.fill_inputs(&mut pack, at);
        // By default, the goal is derived from the step. It's still required by the schema, so add
        // something for the check.
        let mut whole = pack.clone();
        if let Value::Object(fields) = &mut whole {
            fields.entry("goal").or_insert_with(|| PACK.into());
        }
        let kind = Located {
            value: PACK.to_owned(),
            ..Located::default()
        };
        self.check_kind(&kind, &whole, at);
        match pack {
            Value::Object(pack) => Some(pack),
            _ => None,
        }
    }

    /// Replaces references to variables with their values.
    ///
    /// We do not fill in placeholders such as `{{name}}`, but issue a warning, since the author
    /// probably expected a value.
    fn fill_inputs(&mut self, value: &mut Value, at: Spot) {
        let here = self.here;
        if is_reference(value) {
            let Some(Ok(reference)) = windlass_plan::Reference::from_value(value) else {
                return;
            };
            let Target::Input(name) = &reference.target else {
                return;
            };
            match (here.names.variable(name), reference.default) {
                (Some(Some(given)), _) => *value = self.growth.as_data(name, given),
                (_, Some(default)) => *value = default,
                // The caller may still supply the value.
                (Some(None), None) if self.growth.open => {}
                (known, None) => {
                    let what = if known.is_some() {
                        "has no value"
                    } else {
                        "is not a variable of the formula"
                    };
                    let message = format!("`{}`: `{}` {what}", cut(&reference.text), cut(name));
                    let mut diagnostic = Diagnostic::error("unknown-variable", message);
                    diagnostic.help = near(name, here.names.known())
                        .filter(|near| near != name)
                        .map(|near| format!("did you mean `{near}`?"));
                    self.growth.report(at, diagnostic);
                }
            }
            return;
        }
        match value {
            Value::Object(fields) => fields
                .values_mut()
                .for_each(|value| self.fill_inputs(value, at)),
            Value::Array(items) => items
                .iter_mut()
                .for_each(|value| self.fill_inputs(value, at)),
            Value::String(text) if here.names.fill(text) != *text => {
                let message = format!(
                    "`{}` stays unchanged: names are not filled into arguments",
                    cut(text)
                );
                let help = "write `{ \"$ref\" = \"#/inputs/NAME\" }` in place of the whole value";
                self.growth.report(
                    at,
                    Diagnostic::warning("name-in-argument", message).help(help),
                );
            }
            _ => {}
        }
    }

    fn check_kind(&mut self, uses: &Located<String>, with: &Value, at: Spot) {
        let here = self.here;
        let Some(catalog) = self.growth.catalog else {
            return;
        };
        let Some(kind) = catalog.get(uses) else {
            let unknown = unknown_kind(uses, catalog);
            self.growth.report(spot(here.source, uses), unknown);
            return;
        };
        if !kind.asks.is_empty() {
            self.growth
                .report(spot(here.source, uses), not_permitted(kind));
        }
        let mismatches = Schema::new(&kind.input_schema).check(with, true, MAX_PROBLEMS);
        for mismatch in mismatches.into_iter().take(MAX_PROBLEMS) {
            let mut diagnostic = Diagnostic::error(mismatch.rule, mismatch.message);
            diagnostic.help = mismatch.help;
            self.growth.report(at, diagnostic);
        }
        for problem in kind.check(with, &mut 1_000).into_iter().take(MAX_PROBLEMS) {
            let mut diagnostic = Diagnostic::error("wrong-input", problem.message);
            diagnostic.help = problem.help;
            self.growth.report(at, diagnostic);
        }
    }

    /// Makes a step need the steps mentioned in its `with` and `pack`.
    pub(super) fn refer(&mut self, unit: UnitId, doc: &StepDoc) {
        let here = self.here;
        if let Some(part) = &doc.arguments {
            let with = Value::Object(part.value.clone());
            self.refer_from(unit, &with, spot(here.source, part));
        }
        if let Some(part) = &doc.pack {
            self.refer_from(unit, &part.value, spot(here.source, part));
        }
    }

    fn refer_from(&mut self, unit: UnitId, value: &Value, at: Spot) {
        let here = self.here;
        for found in find_references(value) {
            match found.reference.as_ref().map(|reference| &reference.target) {
                Ok(Target::Output(step) | Target::Status(step)) => {
                    // The edge comes first. We also attach the reference, because its name must be
                    // replaced with an ID once we know which step it leads to.
                    self.growth
                        .draft
                        .need(unit, here.scope, step.clone(), NeedKind::Ref, at);
                    self.growth
                        .attach(unit, What::Reference(step.clone()), at, here.scope, None);
                }
                Ok(Target::Input(_)) => {}
                Ok(Target::Item | Target::Index) => {
                    let message = "`#/item` and `#/index` have no meaning here";
                    self.growth.refuse(
                        at,
                        message,
                        "use a `loop`, whose body gets its number through `var`",
                    );
                }
                Err(why) => {
                    let why = why.to_string();
                    self.growth
                        .report(at, Diagnostic::error("bad-reference", why));
                }
            }
        }
    }
}

fn unknown_kind(uses: &str, catalog: &Catalog) -> Diagnostic {
    let (message, help) = match catalog.why_not(uses) {
        Some(why) => (why.message.clone(), why.help.clone()),
        None => {
            let help = match near(uses, catalog.names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known step kinds: {}", listed(catalog.names())),
            };
            (format!("there is no step kind `{}`", cut(uses)), Some(help))
        }
    };
    let mut unknown = Diagnostic::error("unknown-step-kind", message);
    unknown.help = help;
    unknown
}

/// Builds the error for a plugin that asks for permissions.
///
/// A formula has no way to grant any, but a runbook does.
fn not_permitted(kind: &KindSpec) -> Diagnostic {
    let asks: Vec<&str> = kind.asks.iter().map(|one| one.as_str()).collect();
    let message = format!(
        "`{}` needs permissions that a formula cannot grant: {}",
        kind.name,
        asks.join(", ")
    );
    Diagnostic::error("not-permitted", message)
        .help("use it in a runbook, and call the runbook with `uses = \"runbook\"`")
}
