//! A fleet is one molecule that does the same work at many places and collects the results.
//!
//! Each place is a step of the molecule, so a fleet gets everything that other molecules have: its
//! steps are claimed by the machines that have the right labels, retried, and shown on the board.
//! There is no file with the formula. We write it in memory, and pour it at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use windlass_formula::{
    CookOptions, FormulaFile, FormulaRef, FormulaText, NoFormulas, cook_formula,
};
use windlass_ledger::{LedgerError, MolStep, Molecule, RUN, RunGives, run_input_of};
use windlass_plan::{Outcome, Status};
use windlass_runs::TrustService;
use windlass_site::Error;

use crate::machine::{COMMAND, runbook_of};
use crate::{MoleculeError, Molecules, NewMolecule};

/// Maximum length of a step's name in characters. A suffix such as `--2`, which makes the name
/// unique, comes on top.
const MAX_NAME: usize = 40;

/// Time limit of a program at one place. It is only meant to stop programs that hang, so it is
/// longer than nearly any build or test run takes.
const PROGRAM_TIMEOUT: &str = "6h";
/// Maximum number of bytes that a program may print. This is the most that a `command` step
/// accepts.
const MAX_PRINTED: usize = 8 << 20;

/// Request to do the same work at many places.
#[derive(Debug, Clone)]
pub struct FleetRequest {
    /// The work.
    pub work: FleetWork,
    /// The places, each of which gets a step. Duplicates are dropped.
    pub places: Vec<String>,
    /// Labels that a machine needs to run a step.
    pub runs_on: Vec<String>,
}

/// Work of a fleet at one place.
#[derive(Debug, Clone)]
pub enum FleetWork {
    /// Runs a runbook in a repository. The place is the repository's folder, which is absolute or
    /// relative to the root of the ledger's repository.
    Runbook {
        /// The runbook's name in each repository.
        name: String,
        /// The runbook's inputs, by name.
        inputs: BTreeMap<String, String>,
    },
    /// Starts a program in the ledger's repository, with the place as its last argument, and
    /// collects its standard output as JSON.
    Program {
        /// Name of the fleet.
        name: String,
        /// The program and its first arguments.
        argv: Vec<String>,
    },
}

impl FleetWork {
    fn name(&self) -> &str {
        match self {
            Self::Runbook { name, .. } | Self::Program { name, .. } => name,
        }
    }

    fn at(&self, place: &str) -> Value {
        match self {
            Self::Runbook { name, inputs } => {
                let with = json!({ "repository": place, "runbook": name, "inputs": inputs });
                json!({ "uses": RUN, "with": with })
            }
            Self::Program { argv, .. } => {
                let argv: Vec<&str> = argv.iter().map(String::as_str).chain([place]).collect();
                let with =
                    json!({ "argv": argv, "parse": "json", "max_output_bytes": MAX_PRINTED });
                json!({ "uses": COMMAND, "with": with, "timeout": PROGRAM_TIMEOUT })
            }
        }
    }
}

/// Result of a runbook in many repositories.
#[derive(Debug, Clone, Serialize)]
pub struct FleetReport {
    /// The ID of the fleet's molecule.
    pub mol_id: String,
    /// The outcome, or `None` while some of the repositories are still unfinished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The results, in the order of the request.
    pub repositories: Vec<FleetRepository>,
}

/// The result in one repository.
#[derive(Debug, Clone, Serialize)]
pub struct FleetRepository {
    /// The repository's folder, as in the request.
    pub repository: String,
    /// The runbook's name.
    pub runbook: String,
    /// The step for this repository, whose name is derived from the folder.
    pub step_id: String,
    /// The step's status.
    pub status: Status,
    /// The reason why the step failed or its pack cannot be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The pack as Markdown, or `None` before the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// The same pack as JSON, or null before the run.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub pack: Value,
}

/// Pours fleets into an open ledger and reads their results.
#[derive(Debug)]
pub struct Fleets<'a> {
    molecules: Molecules<'a>,
}

impl<'a> Fleets<'a> {
    /// Borrows the molecules, fleets or not.
    #[must_use]
    pub fn of(molecules: &'a mut Molecules<'_>) -> Self {
        Self {
            molecules: molecules.reborrowed(),
        }
    }

    /// Pours a molecule with a step for each place.
    ///
    /// We trust the molecule on this machine, because running it is just what the caller asks for.
    /// This does not extend to the runbooks: if one in another repository starts programs, that
    /// repository's user still has to trust it.
    ///
    /// # Errors
    /// Returns an error if there is no place, or the request cannot be written as a formula.
    pub fn pour(&mut self, request: &FleetRequest) -> Result<Molecule, Error> {
        let formula = formula_of(request)?;
        let catalog = self.molecules.service.catalog();
        let options = CookOptions {
            catalog: Some(&catalog),
            ..CookOptions::default()
        };
        let cooked = cook_formula(&NoFormulas, FormulaRef::Text(formula), &options);
        let (cooked, warnings) = cooked.map_err(Error::document)?;
        let formula = FormulaFile {
            file: cooked.formula.clone(),
            cooked,
            warnings,
        };
        let molecule = self.molecules.pour(&formula, &NewMolecule::default())?;
        let runbook = runbook_of(&molecule.id, &formula.cooked)?;
        TrustService::new(self.molecules.service.site()).trust(&runbook, &catalog, None)?;
        Ok(molecule)
    }

    /// Returns the results of a fleet so far. See [`Molecules::get`] for the default if `mol` is
    /// `None`.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist or is not a fleet.
    pub fn report(&mut self, mol: Option<&str>) -> Result<FleetReport, Error> {
        let molecule = self.molecules.get(mol, None)?;
        let cooked = self.molecules.formula_of(&molecule.id)?;
        let steps = molecule.steps.iter().zip(&cooked.steps);
        let repositories = steps.filter_map(|(step, asked)| {
            let input = run_input_of(asked)?;
            let (output, reason) = self.output(&molecule, step);
            let gives = serde_json::from_value::<RunGives>(output).ok();
            let (markdown, pack) = gives.map(|gives| (gives.markdown, gives.pack)).unzip();
            Some(FleetRepository {
                repository: input.repository,
                runbook: input.runbook,
                step_id: step.id.clone(),
                status: molecule.status_of(step),
                reason,
                markdown,
                pack: pack.unwrap_or_default(),
            })
        });
        let repositories: Vec<FleetRepository> = repositories.collect();
        if repositories.is_empty() {
            let message = format!("`{}` runs no runbook in a repository", molecule.id);
            return Err(LedgerError::Invalid(message).into());
        }
        Ok(FleetReport {
            mol_id: molecule.id.clone(),
            outcome: molecule.outcome,
            repositories,
        })
    }

    /// Returns the JSON that the program of the fleet `mol` printed at each place.
    ///
    /// # Errors
    /// Returns an error if the molecule does not exist, or a step has not completed.
    pub fn outputs(&mut self, mol: &str) -> Result<Vec<Value>, Error> {
        let molecule = self.molecules.get(Some(mol), None)?;
        let steps = molecule.steps.iter().map(|step| {
            let (mut output, why) = self.output(&molecule, step);
            match (output["json"].take(), molecule.status_of(step)) {
                (printed @ Value::Object(_), Status::Completed) => Ok(printed),
                (_, status) => Err(MoleculeError::NoOutput {
                    mol: molecule.id.clone(),
                    step: step.id.clone(),
                    status,
                    why: why.unwrap_or_else(|| "it has not printed JSON".to_owned()),
                }
                .into()),
            }
        });
        steps.collect()
    }

    fn output(&self, molecule: &Molecule, step: &MolStep) -> (Value, Option<String>) {
        let (output, problem) = match step.output.load(&self.molecules.session.world()) {
            Ok(output) => (output.into_owned(), None),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        (output, molecule.reason(step).or(problem))
    }
}

fn formula_of(request: &FleetRequest) -> Result<FormulaText, Error> {
    let refuse = |message: String| Err(LedgerError::Invalid(message).into());
    let (mut once, mut names) = (BTreeSet::new(), BTreeMap::new());
    let places = request.places.iter().filter(|one| once.insert(*one));
    let steps = places.map(|place| {
        let mut step = request.work.at(place);
        step["id"] = step_name(place, &mut names).into();
        step["title"] = format!("Run {} in {place}", request.work.name()).into();
        step["runs_on"] = json!(request.runs_on);
        step
    });
    let steps: Vec<Value> = steps.collect();
    if steps.is_empty() {
        return refuse("no places to work at are given".to_owned());
    }
    let name = format!("fleet-{}", word(request.work.name()));
    let text = json!({ "formula": name, "version": 1, "steps": steps }).to_string();
    // Formulas substitute `{{name}}`, and there's no way to escape it. A place or an argument with
    // these characters would be changed silently.
    if text.contains("{{") {
        return refuse("`{{` cannot be part of a fleet".to_owned());
    }
    Ok(FormulaText {
        file: format!("{name}.formula.json"),
        bytes: text.into_bytes(),
    })
}

fn step_name(repository: &str, names: &mut BTreeMap<String, u32>) -> String {
    let folder = repository.trim_end_matches(['/', '\\']);
    let folder = folder.rsplit(['/', '\\']).next().unwrap_or(folder);
    let name = word(folder);
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    // Names never contain two hyphens in a row (see `word`), so `app--2` can't be the name of
    // another folder.
    match *count {
        1 => name,
        number => format!("{name}--{number}"),
    }
}

fn word(text: &str) -> String {
    let chars = text.chars().take(MAX_NAME);
    let plain = chars.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let plain: String = plain.collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    match words.join("-").to_ascii_lowercase() {
        empty if empty.is_empty() => "repository".to_owned(),
        name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("r-{name}"),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use windlass_base::Diagnostics;

    use super::*;

    fn cooked(repositories: &[&str]) -> Result<windlass_formula::CookedFormula, Error> {
        let work = FleetWork::Runbook {
            name: "over view".to_owned(),
            inputs: BTreeMap::from([("a \"b\"".to_owned(), "c\\d\n\u{7f}".to_owned())]),
        };
        cooked_work(work, repositories)
    }

    fn cooked_work(
        work: FleetWork,
        places: &[&str],
    ) -> Result<windlass_formula::CookedFormula, Error> {
        let request = FleetRequest {
            work,
            places: places.iter().map(|&one| one.to_owned()).collect(),
            runs_on: vec!["gpu".to_owned()],
        };
        let text = FormulaRef::Text(formula_of(&request)?);
        let cooked = cook_formula(&NoFormulas, text, &CookOptions::default());
        let (cooked, warnings): (_, Diagnostics) = cooked.map_err(Error::document)?;
        assert!(warnings.iter().next().is_none(), "{warnings:?}");
        Ok(cooked)
    }

    #[test]
    fn fleet_has_a_step_per_repository() {
        let repositories = ["../b/x.y", "/a/x y/", "../b/x.y", "7", "…"];
        let cooked = cooked(&repositories).unwrap();
        let names: Vec<&str> = cooked.steps.iter().map(|step| step.id.as_str()).collect();
        assert_eq!(names, ["x-y", "x-y--2", "r-7", "repository"]);
        let input = run_input_of(&cooked.steps[1]).unwrap();
        assert_eq!(
            (input.repository.as_str(), input.runbook.as_str()),
            ("/a/x y/", "over view")
        );
        assert_eq!(input.inputs["a \"b\""], "c\\d\n\u{7f}");
        assert_eq!(cooked.steps[0].runs_on, ["gpu"]);
    }

    #[test]
    fn fleet_of_a_program_names_the_place_last() {
        let work = FleetWork::Program {
            name: "zoo".to_owned(),
            argv: vec!["windlass".to_owned(), "--quick".to_owned()],
        };
        let cooked = cooked_work(work, &["no-docs", "research"]).unwrap();
        let step = &cooked.steps[1];
        assert_eq!(
            (step.id.as_str(), step.uses.as_deref()),
            ("research", Some(COMMAND))
        );
        let with = Value::from(step.with.clone().unwrap());
        assert_eq!(with["argv"], json!(["windlass", "--quick", "research"]));
        assert!(step.timeout.is_some());
    }

    #[test]
    fn fleet_without_usable_repositories_is_refused() {
        assert!(cooked(&[]).is_err());
        assert!(cooked(&["a/{{b}}"]).is_err());
    }
}
