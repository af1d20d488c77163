//! Resolves a runbook into a plan.
//!
//! We want to report all errors in one pass, so nothing here stops at the first one. An invalid
//! part is reported and replaced by something harmless, such as a placeholder for a name, and the
//! following checks have to cope with that. [`Resolution`] holds the state; each module adds one
//! aspect of the plan.

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

/// Parses, checks and resolves the runbook `name`.
///
/// If there is a plan, the findings beside it are just warnings.
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

/// Like [`load_runbook`], for a parsed document.
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

/// Like [`load_runbook`], for a generated runbook. There is no text, so the findings have no
/// positions.
///
/// # Errors
/// Returns all errors and warnings.
pub fn resolve_runbook(
    runbook: &Runbook,
    catalog: &Catalog,
) -> Result<(Plan, Diagnostics), Diagnostics> {
    Resolution::new(runbook, None, catalog, Findings::default()).run()
}

/// Steps by ID. A long plan needs many lookups, and hashing is faster than comparing names.
#[expect(
    clippy::disallowed_types,
    reason = "asked by name alone: nothing depends on its order"
)]
type ById<'a> = std::collections::HashMap<&'a str, StepIndex>;

struct Resolution<'a> {
    runbook: &'a Runbook,
    catalog: &'a Catalog,
    places: Places<'a>,
    /// False if invalid parts were removed from the runbook, so that we do not report them as
    /// missing or unused.
    whole: bool,
    found: Findings,
    /// The steps and their kinds, with the `finally` steps at the end. An unknown kind is `None`.
    steps: Vec<(&'a StepDoc, Option<&'a KindSpec>)>,
    by_id: ById<'a>,
    /// The IDs of all steps, sorted. Every suggestion needs them, so we keep the list.
    names: OnceCell<Vec<&'a str>>,
    edges: Vec<Edge>,
    used_inputs: BTreeSet<&'a str>,
    /// The remaining effort for suggestions, in pairs of letters.
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
            // `index_ids` reports duplicate names. Until then, the first step wins.
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
        // The removed parts may have used an input or a step.
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

    fn step(&self, id: &str) -> Option<(StepIndex, &'a StepDoc, Option<&'a KindSpec>)> {
        let index = self.by_id.get(id).copied()?;
        let (step, kind) = self.steps.get(index.index())?;
        Some((index, step, *kind))
    }

    fn use_input(&mut self, name: &str) -> Option<InputType> {
        let (name, input) = self.runbook.inputs.as_ref()?.get_key_value(name)?;
        self.used_inputs.insert(name);
        Some(input.kind_or_guess())
    }

    /// Returns the possible types of an input, or of a part of it.
    ///
    /// This also marks the input as used.
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

    /// Parses an identifier. An invalid one is reported, and we return a placeholder so that its
    /// part can still be checked.
    fn ident(
        &mut self,
        text: &str,
        what: &str,
        place: Option<windlass_base::Place>,
        at: usize,
    ) -> Ident {
        match Ident::parse(text) {
            Ok(id) => return id,
            // The ID was missing or invalid, which has been reported, and `fill_in` has made it
            // empty.
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

    /// Maximum number of names to compare for a suggestion.
    ///
    /// Once findings are only counted, this is zero, since nobody sees their suggestions.
    fn candidates(&self) -> usize {
        if self.found.is_full() {
            0
        } else {
            MAX_CANDIDATES
        }
    }

    /// Finds the most similar name, unless we have already spent too much time on suggestions.
    ///
    /// A document with thousands of unknown names would otherwise take minutes.
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

    fn names(&self) -> &[&'a str] {
        self.names.get_or_init(|| {
            let mut names: Vec<_> = self.by_id.keys().copied().collect();
            names.sort_unstable();
            names
        })
    }

    fn no_such_step(&self, id: &str) -> Diagnostic {
        let names = self.names().iter().copied().take(self.candidates());
        let help = match self.near(id, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the steps are {}", listed(names)),
        };
        Diagnostic::error("unknown-step", format!("there is no step `{}`", cut(id))).help(help)
    }

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

/// Maximum effort for suggestions, in pairs of letters.
///
/// Each pair takes a few nanoseconds, so this is well below a second.
const MAX_COMPARISONS: usize = 20_000_000;

const MAX_CANDIDATES: usize = 1000;

/// Replaces an invalid identifier, so that we can go on and find more errors.
///
/// There is always a reported error in that case, so the placeholder never ends up in a plan.
fn placeholder(at: usize) -> Ident {
    #[expect(
        clippy::expect_used,
        reason = "an underscore and digits, for any document"
    )]
    Ident::parse(&format!("_{at}")).expect("is an identifier")
}

#[cfg(test)]
pub(crate) mod tests;
