//! Evaluates conditions while a molecule runs.
//!
//! A condition may ask about steps and their outputs, files and environment variables. Everything
//! outside of the ledger goes through [`World`], which also decides what a condition may see.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;
use windlass_formula::{
    CompareOp, Comparison, CookedFormula, CookedStep, LookAt, RunIf, StepSet, TestOver, WaitMode,
    WaitsFor,
};

use super::{MolStep, Molecule, StepOutput, StoredOutput};
use crate::LedgerError;
use crate::bead::BeadStatus;
use crate::event::Outcome;
use crate::state::State;

/// The environment that a molecule's conditions may ask about.
pub trait World {
    /// Returns true if the file at `path`, relative to the repository, exists.
    fn file_exists(&self, path: &str) -> bool;
    /// True if the user trusts the molecule's formula to read environment variables. The results of
    /// conditions go into a shared log, and with enough conditions, one could find out the value.
    fn may_ask(&self, molecule: &str, cooked: &CookedFormula) -> bool;
    /// The value of an environment variable, or an empty string if it is not set.
    fn variable(&self, name: &str) -> String;
    /// Returns status and outcome of a bead in another ledger, or `None` if we cannot look there.
    /// That is the default.
    fn bead_elsewhere(&self, _id: &str) -> Option<(BeadStatus, Option<Outcome>)> {
        None
    }
    /// Loads an output that is stored apart from the log.
    ///
    /// # Errors
    /// Returns [`LedgerError::NoOutput`] if it cannot be found or does not match its digest.
    fn output(&self, stored: &StoredOutput) -> Result<Value, LedgerError> {
        Err(LedgerError::no_output(stored, "it is not stored here"))
    }
}

pub(crate) struct MolView<'a> {
    pub(crate) state: &'a State,
    pub(crate) molecule: &'a Molecule,
    pub(crate) cooked: &'a CookedFormula,
    pub(crate) world: &'a dyn World,
    /// A step to treat as completed, by id, with its output. This lets us test a condition on an
    /// output before we record the completion.
    pub(crate) supposed: Option<(&'a str, &'a StepOutput)>,
}

/// The subject of a condition: a step, or a molecule made from a step's output.
struct Subject<'a> {
    status: &'static str,
    output: Cow<'a, StepOutput>,
}

impl<'a> MolView<'a> {
    /// True if the condition holds. A condition that we cannot evaluate does not hold, so callers
    /// should ask for the [`Self::obstacle`] first if that makes a difference.
    pub(crate) fn holds(&self, looks_at: &LookAt) -> bool {
        match looks_at {
            LookAt::Steps { steps, test } => {
                let mut subjects = steps.iter().filter_map(|id| self.subject(id));
                !steps.is_empty() && subjects.all(|subject| self.fits(&subject, test))
            }
            LookAt::Set { set, over, test } => {
                let subjects = self.set(set);
                let fitting = subjects.iter().filter(|subject| self.fits(subject, test));
                let count = fitting.count();
                match over {
                    // Without any steps, `all` would hold trivially.
                    TestOver::All => !subjects.is_empty() && count == subjects.len(),
                    TestOver::Any => count > 0,
                    TestOver::Count { op, number } => {
                        let count = u32::try_from(count).unwrap_or(u32::MAX);
                        satisfies(*op, count.cmp(number))
                    }
                }
            }
            LookAt::File { path } => self.world.file_exists(path),
            LookAt::Environment { .. } if self.obstacle(looks_at).is_some() => false,
            LookAt::Environment { name, op, value } => {
                satisfies(*op, compare(&self.world.variable(name), value))
            }
        }
    }

    /// Explains why we cannot evaluate the condition: it needs permission to read an environment
    /// variable, or an output cannot be loaded.
    pub(crate) fn obstacle(&self, looks_at: &LookAt) -> Option<LedgerError> {
        let (subjects, test) = match looks_at {
            LookAt::Environment { name, .. } => {
                let may_ask = self.world.may_ask(&self.molecule.id, self.cooked);
                return (!may_ask).then(|| LedgerError::Untrusted {
                    mol: self.molecule.id.clone(),
                    variable: name.clone(),
                });
            }
            LookAt::File { .. } => return None,
            LookAt::Steps { steps, test } => {
                let subjects = steps.iter().filter_map(|id| self.subject(id));
                (subjects.collect(), test)
            }
            LookAt::Set { set, test, .. } => (self.set(set), test),
        };
        // Only load outputs if the condition looks at them.
        let outputs = subjects.iter().map(|subject| &subject.output);
        let mut outputs = outputs.filter(|_| !test.output.is_empty());
        outputs.find_map(|output| output.load(self.world).err())
    }

    /// The reason to skip a step, or `None` if it has to run.
    pub(crate) fn left_out(&self, conditions: &[RunIf]) -> Option<String> {
        conditions.iter().find_map(|run_if| {
            let text = &run_if.condition.text;
            // If a step was skipped, there's nothing to compare, so the steps with conditions on it
            // are skipped as well.
            if let LookAt::Steps { steps, .. } = &run_if.condition.looks_at {
                let is_skipped =
                    |id: &&String| self.subject(id).is_some_and(|s| s.status == "skipped");
                if let Some(skipped) = steps.iter().find(is_skipped) {
                    return Some(format!(
                        "its condition refers to `{skipped}`, which was skipped: {text}"
                    ));
                }
            }
            let holds = self.holds(&run_if.condition.looks_at);
            let wanted = if run_if.holds {
                "does not hold"
            } else {
                "holds"
            };
            (holds != run_if.holds).then(|| format!("its condition {wanted}: {text}"))
        })
    }

    /// True if enough children of the awaited steps are done, see [`Self::children`]. If there are
    /// none, there is nothing to wait for.
    pub(crate) fn is_waited_for(&self, waits: &WaitsFor) -> bool {
        let children = self.children(&waits.of);
        let is_done = |child: &Subject<'_>| matches!(child.status, "completed" | "skipped");
        match waits.mode {
            WaitMode::All => children.iter().all(is_done),
            WaitMode::Any => children.is_empty() || children.iter().any(is_done),
        }
    }

    fn subject(&self, id: &str) -> Option<Subject<'a>> {
        let step = self.molecule.steps.iter().find(|step| step.id == id)?;
        let supposed = self.supposed.filter(|(supposed, _)| *supposed == id);
        Some(supposed.map_or_else(
            || subject_of(step),
            |(_, output)| Subject {
                status: "completed",
                output: Cow::Borrowed(output),
            },
        ))
    }

    fn set(&self, set: &StepSet) -> Vec<Subject<'a>> {
        match set {
            StepSet::All => self.molecule.steps.iter().map(subject_of).collect(),
            // Steps may contain others, so follow them down to any depth.
            StepSet::Children(of) => self.children(of),
            StepSet::Descendants(of) => {
                let mut within = self.children(of);
                let mut inner: Vec<&String> = of.iter().flat_map(|id| self.contained(id)).collect();
                while let Some(id) = inner.pop() {
                    within.extend(self.children(std::slice::from_ref(id)));
                    inner.extend(self.contained(id));
                }
                within
            }
        }
    }

    fn contained(&self, id: &str) -> &'a [String] {
        let mut steps = self.cooked.steps.iter();
        let found: Option<&CookedStep> = steps.find(|step| step.id == id);
        found.map_or(&[], |step| &step.children)
    }

    /// The steps that the given steps contain, and the molecules made from their output.
    fn children(&self, of: &[String]) -> Vec<Subject<'a>> {
        let inside = of.iter().flat_map(|id| self.contained(id));
        let mut children: Vec<_> = inside.filter_map(|id| self.subject(id)).collect();
        for (_, found) in self.state.molecules.iter() {
            let Some(head) = found.head() else { continue };
            let is_made = head.from.is_some_and(|(mol, step)| {
                mol == self.molecule.id && of.iter().any(|id| id == step)
            });
            if !is_made {
                continue;
            }
            // A molecule that was put away before it was done counts as skipped.
            let status = match (head.outcome, head.put_away) {
                (Some(windlass_plan::Outcome::Completed | windlass_plan::Outcome::Partial), _) => {
                    "completed"
                }
                (Some(_), _) => "failed",
                (None, Some(_)) => "skipped",
                (None, None) => "in_progress",
            };
            children.push(Subject {
                status,
                output: Cow::Owned(StepOutput::default()),
            });
        }
        children
    }

    fn fits(&self, subject: &Subject<'_>, test: &Comparison) -> bool {
        if test.output.is_empty() {
            return satisfies(test.op, subject.status.cmp(&test.value));
        }
        let Ok(output) = subject.output.load(self.world) else {
            return false;
        };
        // A missing field counts as empty text, just like `null`.
        let mut found = Some(output.as_ref());
        for field in &test.output {
            found = found.and_then(|value| match value {
                Value::Array(items) => items.get(field.parse::<usize>().ok()?),
                value => value.get(field),
            });
        }
        satisfies(
            test.op,
            compare(&text_of(found.unwrap_or(&Value::Null)), &test.value),
        )
    }
}

fn subject_of(step: &MolStep) -> Subject<'_> {
    Subject {
        status: step.shown().as_str(),
        output: Cow::Borrowed(&step.output),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Compares two strings as numbers if both are numbers, and as text otherwise. `10` is greater than
/// `9` this way.
fn compare(one: &str, other: &str) -> Ordering {
    let numbers = one.parse::<f64>().ok().zip(other.parse::<f64>().ok());
    numbers
        .and_then(|(one, other)| one.partial_cmp(&other))
        .unwrap_or_else(|| one.cmp(other))
}

fn satisfies(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Equal => order.is_eq(),
        CompareOp::NotEqual => order.is_ne(),
        CompareOp::Greater => order.is_gt(),
        CompareOp::GreaterOrEqual => order.is_ge(),
        CompareOp::Less => order.is_lt(),
        CompareOp::LessOrEqual => order.is_le(),
    }
}
