//! Checks that nested runbooks exist, don't form a cycle, and aren't nested too deeply.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{Diagnostic, Place};
use windlass_plan::{Document, Plan};
use windlass_site::{Error, ErrorKind};

use super::nested_inputs::misfits;
use super::runbook_file::RunbookFile;

/// Maximum nesting depth of runbooks.
pub const MAX_NESTING: u32 = 8;

/// Maximum number of nested runbooks checked. We read each of them from disk, so this limits the
/// time.
const MAX_RUNBOOKS: usize = 100;

/// A function for finding a nested runbook by name.
type Find<'a> = &'a dyn Fn(&str) -> Result<RunbookFile, Error>;

/// Checks the runbooks run by the steps of `runbook`. `find` looks them up by name.
pub(super) fn check_nested(
    mut runbook: RunbookFile,
    document: &Document,
    find: Find<'_>,
) -> Result<RunbookFile, Error> {
    let plan = runbook.plan.clone();
    let own = runbook.call.as_deref().unwrap_or(plan.id().as_str());
    let mut walk = Walk {
        find,
        known: BTreeMap::new(),
        chain: vec![Link {
            name: own.to_owned(),
            file: runbook.file.clone(),
        }],
        heights: BTreeMap::new(),
        left: MAX_RUNBOOKS,
    };
    for (at, name) in nested_steps(&plan) {
        walk.chain.truncate(1);
        let finding = match walk.enter(name) {
            Ok(Ok(_)) => {
                let with = &plan.steps()[at].with;
                let inner = walk.known.get(name);
                let misfits = inner.map(|(_, inner)| misfits(&plan, inner, with));
                let misfits = misfits.into_iter().flatten();
                runbook.warnings.extend(misfits.map(|misfit| Diagnostic {
                    place: place_of_input(&plan, document, at, misfit.given.as_deref()),
                    ..misfit.finding
                }));
                continue;
            }
            Ok(Err(chain)) => chain.diagnostic(),
            Err(error) => unusable(name, &error),
        };
        let place = place_of_name(&plan, document, at);
        runbook.warnings.push(Diagnostic { place, ..finding });
    }
    runbook.warnings.sort();
    if runbook.warnings.has_errors() {
        return Err(Error::document(runbook.warnings));
    }
    Ok(runbook)
}

/// Returns the steps that run a runbook by name, with their indexes.
pub fn nested_steps(plan: &Plan) -> impl Iterator<Item = (usize, &str)> {
    let steps = plan.steps().iter().enumerate();
    steps
        .filter(|(_, step)| step.uses == "runbook")
        .filter_map(|(at, step)| Some((at, step.with.get("name")?.as_str()?)))
}

/// A nested runbook in a chain. It's identified by its file, because it can be called by several
/// names.
struct Link {
    name: String,
    file: String,
}

struct Walk<'a> {
    find: Find<'a>,
    /// Files and plans of runbooks we've already found, by name.
    known: BTreeMap<String, (String, Arc<Plan>)>,
    /// Runbooks from the outermost to the current one.
    chain: Vec<Link>,
    /// Number of nesting levels of each valid runbook file, including itself.
    heights: BTreeMap<String, usize>,
    /// Number of runbooks we may still check.
    left: usize,
}

/// An invalid chain of runbooks, each running the next.
enum Chain {
    /// A cycle. The last runbook is the same as the first.
    Circle(Vec<String>),
    /// A chain of more runbooks than [`MAX_NESTING`] allows.
    TooDeep(Vec<String>),
}

impl Walk<'_> {
    /// Checks the runbook `name`. Returns its number of nesting levels including itself, or the
    /// invalid chain containing it.
    fn enter(&mut self, name: &str) -> Result<Result<usize, Chain>, Error> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(Ok(0));
        };
        self.left = left;
        let (file, plan) = self.look_up(name)?;
        let chain = |from: usize| {
            let names = self.chain[from..].iter().map(|link| link.name.clone());
            names.chain([name.to_owned()]).collect()
        };
        if let Some(from) = self.chain.iter().position(|link| link.file == file) {
            return Ok(Err(Chain::Circle(chain(from))));
        }
        // The outermost runbook doesn't count as nested.
        let known = self.heights.get(&file).copied();
        if self.chain.len() - 1 + known.unwrap_or(1) > MAX_NESTING as usize {
            return Ok(Err(Chain::TooDeep(chain(0))));
        }
        if let Some(height) = known {
            return Ok(Ok(height));
        }
        self.chain.push(Link {
            name: name.to_owned(),
            file: file.clone(),
        });
        let mut below = 0;
        for (_, name) in nested_steps(&plan) {
            // Other errors of a nested runbook are reported when we check that runbook itself.
            match self.enter(name) {
                Ok(Ok(height)) => below = below.max(height),
                Ok(Err(chain)) => return Ok(Err(chain)),
                Err(_) => {}
            }
        }
        self.chain.pop();
        self.heights.insert(file, below + 1);
        Ok(Ok(below + 1))
    }

    /// Returns the file and plan of the runbook `name`, reading each runbook only once.
    fn look_up(&mut self, name: &str) -> Result<(String, Arc<Plan>), Error> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let found = (self.find)(name)?;
        let found = (found.file, found.plan);
        self.known.insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

impl Chain {
    fn diagnostic(&self) -> Diagnostic {
        match self {
            Self::Circle(names) => Diagnostic::error(
                "runbook-circle",
                format!(
                    "runbooks run each other in a circle: {}",
                    names.join(" -> ")
                ),
            )
            .help("`a -> b` means that `a` runs `b`: remove one of these steps"),
            Self::TooDeep(names) => Diagnostic::error(
                "runbook-depth",
                format!(
                    "runbooks are nested more than {MAX_NESTING} deep: {}",
                    names.join(" -> ")
                ),
            )
            .help(
                "`a -> b` means that `a` runs `b`: let one of them run what is further down itself",
            ),
        }
    }
}

fn unusable(name: &str, error: &Error) -> Diagnostic {
    let mut finding = if error.kind() == ErrorKind::NotFound {
        Diagnostic::error("nested-runbook", error.to_string())
    } else {
        let message = format!("the runbook `{name}` cannot be run: {error}");
        Diagnostic::warning("nested-runbook", message)
    };
    finding.help = error.help();
    finding
}

/// Returns the position of the runbook's name in the step with index `at`.
fn place_of_name(plan: &Plan, document: &Document, at: usize) -> Option<Place> {
    place_in_with(plan, document, at, "name")
}

/// Returns the position of the input `name` in the step with index `at`. If the step doesn't pass
/// it, returns the position of its inputs as a whole.
fn place_of_input(
    plan: &Plan,
    document: &Document,
    at: usize,
    name: Option<&str>,
) -> Option<Place> {
    let inputs = || place_in_with(plan, document, at, "inputs");
    let one = name.and_then(|name| {
        let name = name.replace('~', "~0").replace('/', "~1");
        place_in_with(plan, document, at, &format!("inputs/{name}"))
    });
    one.or_else(inputs)
        .or_else(|| place_of_name(plan, document, at))
}

/// Returns the position of `pointer` within the `with` of the step with index `at`.
fn place_in_with(plan: &Plan, document: &Document, at: usize, pointer: &str) -> Option<Place> {
    let steps = plan.steps();
    let ordinary = steps.iter().filter(|step| !step.finally).count();
    let step = match at.checked_sub(ordinary) {
        None => format!("/steps/{at}"),
        Some(at) => format!("/finally/{at}"),
    };
    Some(document.at(&format!("{step}/with/{pointer}"))?.place())
}
