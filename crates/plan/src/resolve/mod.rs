//! Resolves a runbook into a plan and reports all errors in it.

mod declared_inputs;
mod key_lookups;
mod known_shapes;
mod loop_items;
mod planned_outputs;
mod planned_steps;
mod plugin_permissions;
mod policy_references;
mod reached_shapes;
mod runbook_places;
mod step_conditions;
mod step_references;
mod step_timing;
mod unused_parts;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

use windlass_base::{Diagnostic, Diagnostics, Ident};

use self::declared_inputs::Inputs;
use self::known_shapes::Types;
use self::planned_outputs::Outputs;
use self::planned_steps::Steps;
use self::plugin_permissions::PluginPermissions;
use self::policy_references::PolicyReferences;
use self::runbook_places::Places;
use self::unused_parts::Unused;
use crate::document::json_pointer;
use crate::quote::{cut, listed, near};
use crate::runbook::read_runbook;
use crate::schema::described;
use crate::{
    Catalog, Document, Edge, Findings, InputType, KindSpec, Plan, PlanParts, Runbook, StepDoc,
    StepIndex,
};

/// Parses, checks and resolves the runbook `name`. Findings returned with a plan are warnings.
///
/// # Errors
/// Returns all errors and warnings, in text order.
pub fn load_runbook(
    name: &str,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<(Plan, Diagnostics), Diagnostics> {
    resolve_document(&Document::parse(name, bytes)?, catalog)
}

/// Checks and resolves a document as a runbook. Findings returned with a plan are warnings.
///
/// # Errors
/// Returns all errors and warnings, in text order.
pub fn resolve_document(
    document: &Document,
    catalog: &Catalog,
) -> Result<(Plan, Diagnostics), Diagnostics> {
    let mut found = Findings::default();
    let runbook = read_runbook(document, &mut found)?;
    Resolution::new(&runbook, Some(document), catalog, found).run()
}

/// Resolves a generated runbook. Its findings have no positions, because there's no text.
///
/// # Errors
/// Returns all errors and warnings.
pub fn resolve_runbook(
    runbook: &Runbook,
    catalog: &Catalog,
) -> Result<(Plan, Diagnostics), Diagnostics> {
    Resolution::new(runbook, None, catalog, Findings::default()).run()
}

/// Steps by name. Long plans have many lookups, and hashing is faster than comparing names.
#[expect(
    clippy::disallowed_types,
    reason = "asked by name alone: nothing depends on its order"
)]
type ById<'a> = std::collections::HashMap<&'a str, StepIndex>;

/// A runbook being resolved, with the findings so far.
struct Resolution<'a> {
    runbook: &'a Runbook,
    catalog: &'a Catalog,
    places: Places<'a>,
    /// False if we reported and removed invalid parts of the runbook.
    whole: bool,
    found: Findings,
    /// Steps, with their kinds if known. The `finally` steps come last.
    steps: Vec<(&'a StepDoc, Option<&'a KindSpec>)>,
    by_id: ById<'a>,
    /// Sorted ids of all steps. Cached because we need them for every suggestion.
    names: OnceCell<Vec<&'a str>>,
    edges: Vec<Edge>,
    used_inputs: BTreeSet<&'a str>,
    /// Effort left for name suggestions, in pairs of letters.
    comparisons_left: Cell<usize>,
}

impl<'a> Resolution<'a> {
    fn new(
        runbook: &'a Runbook,
        document: Option<&'a Document>,
        catalog: &'a Catalog,
        found: Findings,
    ) -> Self {
        let finally = runbook.finally.iter().flatten();
        let steps: Vec<_> = runbook
            .steps
            .iter()
            .chain(finally)
            .map(|step| (step, catalog.get(&step.uses)))
            .collect();
        let mut by_id = ById::with_capacity(steps.len());
        for (at, (step, _)) in steps.iter().enumerate() {
            by_id.entry(step.id.as_str()).or_insert(StepIndex::new(at));
        }
        Self {
            runbook,
            catalog,
            places: Places::new(document),
            whole: !found.has_errors(),
            found,
            steps,
            by_id,
            names: OnceCell::new(),
            edges: Vec::new(),
            used_inputs: BTreeSet::new(),
            comparisons_left: Cell::new(MAX_COMPARISONS),
        }
    }

    fn run(mut self) -> Result<(Plan, Diagnostics), Diagnostics> {
        let runbook = self.runbook;
        let id = self.ident(&runbook.id, "runbook", self.places.root(&["id"]), 0);
        let mut parts = PlanParts::new(id);
        parts.title = runbook.title.clone().unwrap_or_else(|| runbook.id.clone());
        parts.purpose = runbook.purpose.clone().unwrap_or_default();
        parts.inputs = Inputs(&mut self).plan();
        parts.policy = PolicyReferences(&mut self).policy();
        parts.permissions = runbook.permissions.clone().unwrap_or_default();
        parts.steps = Steps::new(&mut self).plan();
        parts.outputs = Outputs::new(&mut self).plan(&parts.steps);
        if self.whole {
            Unused(&mut self).report(&parts);
            PluginPermissions(&mut self).report_unused(&parts);
        }
        parts.edges = std::mem::take(&mut self.edges);
        let end = self.places.end();
        let plan = Plan::checked(parts, &mut self.found);
        self.found.finish(end).unless_errors(plan)
    }

    fn report(&mut self, place: Option<windlass_base::Place>, finding: Diagnostic) {
        self.found.push_at(place, finding);
    }

    /// Returns the step `id`.
    fn step(&self, id: &str) -> Option<(StepIndex, &'a StepDoc, Option<&'a KindSpec>)> {
        let index = self.by_id.get(id).copied()?;
        let (step, kind) = self.steps.get(index.index())?;
        Some((index, step, *kind))
    }

    /// Marks an input as used and returns its type.
    fn use_input(&mut self, name: &str) -> Option<InputType> {
        let (name, input) = self.runbook.inputs.as_ref()?.get_key_value(name)?;
        self.used_inputs.insert(name);
        Some(input.kind_or_guess())
    }

    /// Returns the types of an input, or of a part of it.
    fn input_types(&mut self, name: &str, path: &[String]) -> Result<Types<'a>, Diagnostic> {
        let Some(kind) = self.use_input(name) else {
            return Err(self.no_such_input(name));
        };
        match (kind, path) {
            (kind, []) => Ok(Some(BTreeSet::from([kind.as_str()]))),
            (InputType::Array, [index]) if json_pointer::index(index).is_some() => {
                Ok(Some(BTreeSet::from(["string"])))
            }
            (kind, [token, ..]) => {
                let message = format!(
                    "input `{name}` is {}: it has no `{}`",
                    described(kind.as_str()),
                    cut(token)
                );
                Err(Diagnostic::error("unknown-field", message)
                    .help(format!("write `#/inputs/{name}`")))
            }
        }
    }

    /// Parses an identifier. Reports it if it's invalid, and returns a placeholder instead.
    fn ident(
        &mut self,
        text: &str,
        what: &str,
        place: Option<windlass_base::Place>,
        at: usize,
    ) -> Ident {
        match Ident::parse(text) {
            Ok(id) => return id,
            Err(_) if text.is_empty() && !self.whole => {}
            Err(error) => {
                let message = format!("`{}` cannot be the id of a {what}: {error}", cut(text));
                let bad = Diagnostic::error("bad-id", message)
                    .help("use letters, digits, `_`, `.` and `-`, at most 128 of them");
                self.report(place, bad);
            }
        }
        placeholder(at)
    }

    /// Returns the number of names to compare for a suggestion.
    fn candidates(&self) -> usize {
        if self.found.is_full() {
            0
        } else {
            MAX_CANDIDATES
        }
    }

    /// Returns the most similar name, or `None` if comparing them would take too long.
    fn near<'n>(
        &self,
        given: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<&'n str> {
        let letters: usize = names.clone().map(str::len).sum();
        let cost = letters.saturating_mul(given.len());
        let left = self.comparisons_left.get().checked_sub(cost)?;
        self.comparisons_left.set(left);
        near(given, names)
    }

    /// Returns the ids of all steps, sorted.
    fn names(&self) -> &[&'a str] {
        self.names.get_or_init(|| {
            let mut names: Vec<_> = self.by_id.keys().copied().collect();
            names.sort_unstable();
            names
        })
    }

    /// Returns the error for an unknown step.
    fn no_such_step(&self, id: &str) -> Diagnostic {
        let names = self.names().iter().copied().take(self.candidates());
        let help = match self.near(id, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the steps are {}", listed(names)),
        };
        Diagnostic::error("unknown-step", format!("there is no step `{}`", cut(id))).help(help)
    }

    /// Returns the error for an unknown input.
    fn no_such_input(&self, name: &str) -> Diagnostic {
        let inputs = self.runbook.inputs.iter().flatten().take(self.candidates());
        let names = inputs.map(|(name, _)| name.as_str());
        let help = match self.near(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.clone().next().is_none() => {
                format!("add it: `inputs: {{ {}: {{ type: string }} }}`", cut(name))
            }
            None => format!("the inputs are {}", listed(names)),
        };
        let message = format!("there is no input `{}`", cut(name));
        Diagnostic::error("unknown-input", message).help(help)
    }
}

/// Maximum effort for name suggestions, in pairs of letters. Each pair takes a few nanoseconds.
const MAX_COMPARISONS: usize = 20_000_000;

/// Maximum number of names to compare with an unknown one, because each comparison is slow.
const MAX_CANDIDATES: usize = 1000;

/// Returns a placeholder for an invalid identifier. It never ends up in a plan, because its error
/// prevents that.
fn placeholder(at: usize) -> Ident {
    #[expect(
        clippy::expect_used,
        reason = "an underscore and digits, for any document"
    )]
    Ident::parse(&format!("_{at}")).expect("is an identifier")
}

#[cfg(test)]
pub(crate) mod tests;
