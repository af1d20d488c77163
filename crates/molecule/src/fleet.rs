//! A fleet is one molecule that runs a runbook in many repositories and collects the results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};
use windlass_formula::{
    CookOptions, FormulaFile, FormulaLookup, FormulaRef, FormulaText, cook_formula,
};
use windlass_ledger::{LedgerError, Molecule, RunGives, run_input_of};
use windlass_plan::{Outcome, Status};
use windlass_runs::TrustService;
use windlass_site::Error;

use crate::machine::runbook_of;
use crate::{Molecules, NewMolecule};

/// Maximum length of a step's name in characters, without the number that makes it unique.
const MAX_NAME: usize = 40;

/// Request to run a runbook in many repositories.
#[derive(Debug, Clone, Default)]
pub struct FleetRequest {
    /// The runbook's name in each repository.
    pub runbook: String,
    /// Folders of the repositories, absolute or relative to the root of the ledger's repository.
    /// Duplicates are dropped.
    pub repositories: Vec<String>,
    /// The runbook's inputs, by name.
    pub inputs: BTreeMap<String, String>,
    /// Labels a machine needs to run a step.
    pub runs_on: Vec<String>,
}

/// Result of a runbook in many repositories.
#[derive(Debug, Clone, Serialize)]
pub struct FleetReport {
    /// The molecule's id.
    pub mol_id: String,
    /// Outcome; absent while repositories remain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Repositories, in the order given.
    pub repositories: Vec<FleetRepository>,
}

/// Result of a runbook in one repository.
#[derive(Debug, Clone, Serialize)]
pub struct FleetRepository {
    /// The repository's folder, as given.
    pub repository: String,
    /// The runbook's name.
    pub runbook: String,
    /// The step's name.
    pub step_id: String,
    /// The step's status.
    pub status: Status,
    /// The reason why the step failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The pack as Markdown; absent if the runbook hasn't run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// The pack; absent if the runbook hasn't run.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub pack: Value,
}

/// The fleets of an open ledger.
#[derive(Debug)]
pub struct Fleets<'a> {
    molecules: Molecules<'a>,
}

impl<'a> Fleets<'a> {
    /// Returns the fleets among `molecules`.
    #[must_use]
    pub fn of(molecules: &'a mut Molecules<'_>) -> Self {
        Self {
            molecules: molecules.reborrowed(),
        }
    }

    /// Pours a molecule that runs a runbook in many repositories. We also trust it on this machine,
    /// because the caller asks for just that. The runbook's programs need the trust of their own
    /// repository.
    ///
    /// # Errors
    /// Returns an error if there is no repository, or the request can't be written as a formula.
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

    /// Returns the results of a fleet so far.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist, or runs no runbook in a repository.
    pub fn report(&mut self, mol: Option<&str>) -> Result<FleetReport, Error> {
        let molecule = self.molecules.get(mol, None)?;
        let cooked = self.molecules.formula_of(&molecule.id)?;
        let steps = molecule.steps.iter().zip(&cooked.steps);
        let repositories = steps.filter_map(|(step, asked)| {
            let input = run_input_of(asked)?;
            let gives = serde_json::from_value::<RunGives>(step.output.clone()).ok();
            let (markdown, pack) = gives.map(|gives| (gives.markdown, gives.pack)).unzip();
            Some(FleetRepository {
                repository: input.repository,
                runbook: input.runbook,
                step_id: step.id.clone(),
                status: molecule.status_of(step),
                reason: molecule.reason(step),
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
}

/// A fleet's formula refers to no others.
#[derive(Debug)]
struct NoFormulas;

impl FormulaLookup for NoFormulas {
    fn formula(&self, _: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }
}

/// Returns a formula with one step for each repository.
fn formula_of(request: &FleetRequest) -> Result<FormulaText, Error> {
    let refuse = |message: String| Err(LedgerError::Invalid(message).into());
    let mut once = BTreeSet::new();
    let repositories = request.repositories.iter();
    let repositories: Vec<&String> = repositories.filter(|one| once.insert(*one)).collect();
    if repositories.is_empty() {
        return refuse("no repositories are given".to_owned());
    }
    let texts = repositories.iter().copied().chain([&request.runbook]);
    let mut texts = texts.chain(request.inputs.values());
    if let Some(text) = texts.find(|text| text.contains("{{") || text.contains('\u{7f}')) {
        return refuse(format!("`{text}` cannot be part of a formula"));
    }
    let name = format!("fleet-{}", word(&request.runbook));
    let mut text = format!("formula = {}\nversion = 1\n", json!(name));
    let mut names = BTreeMap::new();
    for repository in repositories {
        let (runbook, id) = (&request.runbook, step_name(repository, &mut names));
        let title = json!(format!("Run {runbook} in {repository}"));
        let inputs = request.inputs.iter();
        let inputs = inputs.map(|(name, value)| format!("{} = {}", json!(name), json!(value)));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        // A JSON string is also a TOML string, and the same goes for lists of them.
        let _ = write!(
            text,
            "[[steps]]\nid = {}\ntitle = {title}\nuses = \"run\"\nruns_on = {}\nwith = {{ repository = {}, runbook = {}, \
             inputs = {{ {inputs} }} }}\n",
            json!(id),
            json!(request.runs_on),
            json!(repository),
            json!(runbook),
        );
    }
    Ok(FormulaText {
        file: format!("{name}.formula.toml"),
        bytes: text.into_bytes(),
    })
}

/// Returns a unique step name for a repository, which is its folder's name with a number if that is
/// taken.
fn step_name(repository: &str, names: &mut BTreeMap<String, u32>) -> String {
    let folder = repository.trim_end_matches(['/', '\\']);
    let folder = folder.rsplit(['/', '\\']).next().unwrap_or(folder);
    let name = word(folder);
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    match *count {
        1 => name,
        number => format!("{name}--{number}"),
    }
}

/// Returns `text` as a part of a name, with letters, digits and single hyphens.
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
        let request = FleetRequest {
            runbook: "over view".to_owned(),
            repositories: repositories.iter().map(|&one| one.to_owned()).collect(),
            inputs: BTreeMap::from([("a \"b\"".to_owned(), "c\\d\n".to_owned())]),
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
        assert_eq!(input.inputs["a \"b\""], "c\\d\n");
        assert_eq!(cooked.steps[0].runs_on, ["gpu"]);
    }

    #[test]
    fn fleet_without_usable_repositories_is_refused() {
        assert!(cooked(&[]).is_err());
        assert!(cooked(&["a/{{b}}"]).is_err());
    }
}
