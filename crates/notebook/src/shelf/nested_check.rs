//! Checks that nested runbooks exist, don't form a cycle, and aren't nested too deeply.
//!
//! We do this before a run starts. A run could also notice at the time, but then it may have worked
//! for minutes before it fails. The check only sees steps that name their runbook literally.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{Diagnostic, Place};
use windlass_plan::{Document, Plan};
use windlass_site::{Error, ErrorKind};

use super::nested_inputs::misfits;
use super::runbook_file::RunbookFile;

/// Maximum nesting depth of runbooks, not counting the outermost one.
pub const MAX_NESTING: u32 = 8;

/// Maximum number of nested runbooks to check. Each of them is read from disk and parsed, so this
/// limits the time. Any others aren't checked before the run.
const MAX_RUNBOOKS: usize = 100;

type Find<'a> = &'a dyn Fn(&str) -> Result<RunbookFile, Error>;

/// Checks the runbooks run by the steps of `runbook`, and adds the findings to its warnings. `find`
/// looks up a nested runbook by its name.
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
        // Every step starts a chain of its own, even if the last one left links behind after an
        // error.
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

/// The steps that run a runbook by name. Each comes with its index.
pub fn nested_steps(plan: &Plan) -> impl Iterator<Item = (usize, &str)> {
    let steps = plan.steps().iter().enumerate();
    steps
        .filter(|(_, step)| step.uses == "runbook")
        .filter_map(|(at, step)| Some((at, step.with.get("name")?.as_str()?)))
}

/// A nested runbook in a chain. We compare the files, because several names may refer to the same
/// one.
struct Link {
    name: String,
    file: String,
}

struct Walk<'a> {
    find: Find<'a>,
    /// File and plan of each runbook found so far, by name.
    known: BTreeMap<String, (String, Arc<Plan>)>,
    chain: Vec<Link>,
    /// Number of nesting levels of each valid runbook, including itself, by file. If several
    /// runbooks use the same one, we don't have to walk through it again.
    heights: BTreeMap<String, usize>,
    left: usize,
}

/// A forbidden chain of runbooks, in which each runs the next.
enum Chain {
    /// A cycle. The last runbook is the first one again.
    Circle(Vec<String>),
    /// A chain longer than [`MAX_NESTING`].
    TooDeep(Vec<String>),
}

impl Walk<'_> {
    /// Checks the runbook `name`. Returns its number of nesting levels, including itself, or a
    /// forbidden chain through it.
    fn enter(&mut self, name: &str) -> Result<Result<usize, Chain>, Error> {
        // The limit is used up, so pretend that the rest is fine.
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
        // The outermost runbook is part of the chain, but isn't nested itself.
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
            // An invalid runbook further down is none of our business: it gets its own warning once
            // the user checks the runbook that names it.
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
    // If the runbook doesn't exist, the step can never succeed. Anything else may be fixed or may
    // not matter, e.g. if the step is skipped.
    let mut finding = if error.kind() == ErrorKind::NotFound {
        Diagnostic::error("nested-runbook", error.to_string())
    } else {
        let message = format!("the runbook `{name}` cannot be run: {error}");
        Diagnostic::warning("nested-runbook", message)
    };
    finding.help = error.help();
    finding
}

fn place_of_name(plan: &Plan, document: &Document, at: usize) -> Option<Place> {
    place_in_with(plan, document, at, "name")
}

/// Position of the input `name` in the step at index `at`. If the input itself isn't in the
/// document, e.g. because it's missing, this is the closest position we have: that of all inputs or
/// of the runbook's name.
fn place_of_input(
    plan: &Plan,
    document: &Document,
    at: usize,
    name: Option<&str>,
) -> Option<Place> {
    let inputs = || place_in_with(plan, document, at, "inputs");
    let one = name.and_then(|name| {
        // These characters have a meaning in JSON pointers (RFC 6901).
        let name = name.replace('~', "~0").replace('/', "~1");
        place_in_with(plan, document, at, &format!("inputs/{name}"))
    });
    one.or_else(inputs)
        .or_else(|| place_of_name(plan, document, at))
}

/// Position of `pointer`, a JSON pointer, within the `with` of the step at index `at`. A plan has
/// all steps in a single list, while a document has those under `finally` in a separate one.
fn place_in_with(plan: &Plan, document: &Document, at: usize, pointer: &str) -> Option<Place> {
    let steps = plan.steps();
    let ordinary = steps.iter().filter(|step| !step.finally).count();
    let step = match at.checked_sub(ordinary) {
        None => format!("/steps/{at}"),
        Some(at) => format!("/finally/{at}"),
    };
    Some(document.at(&format!("{step}/with/{pointer}"))?.place())
}
