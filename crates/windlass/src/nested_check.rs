//! Whether the runbooks that a runbook names are there, and do not lead back to it.

use std::collections::BTreeSet;

use windlass_base::{Diagnostic, Place};
use windlass_plan::{Catalog, Document, Plan};
use windlass_repo::Snapshot;
use windlass_steps::MAX_NESTING;

use crate::{Error, RunbookFile, Workspace};

/// How many runbooks are looked at; each is read, and looked for in vain if it is missing.
const MAX_RUNBOOKS: usize = 100;

impl Workspace {
    /// Checks the runbooks that `runbook`, whose text is `bytes`, names: a circle is an error, one that cannot
    /// be used a warning, as the run may never come to it.
    pub(crate) fn check_nested(
        &self,
        mut runbook: RunbookFile,
        bytes: &[u8],
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<RunbookFile, Error> {
        let plan = runbook.plan.clone();
        let own = runbook.call.as_deref().unwrap_or(plan.id().as_str());
        let mut walk = Walk {
            workspace: self,
            snapshot,
            catalog,
            chain: vec![Link {
                name: own.to_owned(),
                file: runbook.file.clone(),
            }],
            done: BTreeSet::new(),
            left: MAX_RUNBOOKS,
        };
        for (at, name) in nested_steps(&plan) {
            let finding = match walk.enter(name) {
                Ok(None) => continue,
                Ok(Some(circle)) => in_a_circle(&circle),
                Err(error) => {
                    let message = format!("the runbook `{name}` cannot be run: {error}");
                    let mut finding = Diagnostic::warning("nested-runbook", message);
                    finding.help = error.help();
                    finding
                }
            };
            let place = place_of_name(&runbook, bytes, at);
            runbook.warnings.push(Diagnostic { place, ..finding });
        }
        runbook.warnings.sort();
        if runbook.warnings.has_errors() {
            return Err(Error::Document(runbook.warnings));
        }
        Ok(runbook)
    }
}

/// The steps that name the runbook they run, with their numbers.
pub(crate) fn nested_steps(plan: &Plan) -> impl Iterator<Item = (usize, &str)> {
    let steps = plan.steps().iter().enumerate();
    steps
        .filter(|(_, step)| step.uses == "runbook")
        .filter_map(|(at, step)| Some((at, step.with.get("name")?.as_str()?)))
}

/// A runbook by the name it was called by; the file says which it is.
struct Link {
    name: String,
    file: String,
}

struct Walk<'a> {
    workspace: &'a Workspace,
    snapshot: &'a Snapshot,
    catalog: &'a Catalog,
    /// From the outermost runbook to the one that is looked at.
    chain: Vec<Link>,
    /// The files that lead to no circle.
    done: BTreeSet<String>,
    /// How many may still be looked at.
    left: usize,
}

impl Walk<'_> {
    /// Follows the runbook called `name`, and gives back the names of a circle it leads into.
    fn enter(&mut self, name: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        let runbook = self
            .workspace
            .nested_runbook(name, self.snapshot, self.catalog)?;
        let file = runbook.file;
        if let Some(from) = self.chain.iter().position(|link| link.file == file) {
            let names = self.chain[from..].iter().map(|link| link.name.clone());
            return Ok(Some(names.chain([name.to_owned()]).collect()));
        }
        if self.chain.len() > MAX_NESTING as usize || self.done.contains(&file) {
            return Ok(None);
        }
        self.chain.push(Link {
            name: name.to_owned(),
            file: file.clone(),
        });
        // What else is wrong inside a nested runbook is said when that one is checked.
        let circle = nested_steps(&runbook.plan).find_map(|(_, name)| self.enter(name).ok()?);
        self.chain.pop();
        if circle.is_none() {
            self.done.insert(file);
        }
        Ok(circle)
    }
}

fn in_a_circle(names: &[String]) -> Diagnostic {
    let chain = names.join(" -> ");
    Diagnostic::error(
        "runbook-circle",
        format!("runbooks run each other in a circle: {chain}"),
    )
    .help("`a -> b` means that `a` runs `b`: remove one of these steps")
}

/// Where the step number `at` names its runbook. The document is read once more: a plan does not keep it.
fn place_of_name(runbook: &RunbookFile, bytes: &[u8], at: usize) -> Option<Place> {
    let steps = runbook.plan.steps();
    let ordinary = steps.iter().filter(|step| !step.finally).count();
    let pointer = match at.checked_sub(ordinary) {
        None => format!("/steps/{at}/with/name"),
        Some(at) => format!("/finally/{at}/with/name"),
    };
    let document = Document::parse(&runbook.file, bytes).ok()?;
    Some(document.at(&pointer)?.place())
}
