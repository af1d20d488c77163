//! Generates the runbook that `windlass init` writes. It is meant as a start, to be edited by the
//! user.

use serde_json::json;
use windlass_base::{Cancel, RepoPath, counted};
use windlass_outline::introduction;
use windlass_repo::{Refusal, RepoKind, Snapshot};
use windlass_site::{Error, Site};

use super::file_survey::Survey;
use super::suggest_from;
use crate::AnchorKind;

/// A first runbook for a repository, written by `windlass init`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstRunbook {
    /// Path of the new file.
    pub file: RepoPath,
    /// The text, as YAML.
    pub text: String,
    /// The things the runbook is based on, for the user: languages, documents, and the number of
    /// locations of each kind.
    pub recognised: Vec<String>,
}

const HEADING: &str = "\
# A first lens on this repository, made by `windlass init`. Edit it: keep what helps, drop the rest.
# `windlass run overview` runs it; `windlass plan overview --explain` says what each step does.
";

/// The kinds of anchors with their names for users, in the order of the overview. This differs from
/// the order of [`AnchorKind::ALL`].
const KINDS: [(AnchorKind, &str); 7] = [
    (AnchorKind::Contract, "contract"),
    (AnchorKind::Ci, "gate"),
    (AnchorKind::Entrypoint, "entry point"),
    (AnchorKind::Canon, "convention"),
    (AnchorKind::Zone, "zone"),
    (AnchorKind::Work, "task"),
    (AnchorKind::Other, "other place"),
];

impl FirstRunbook {
    /// Generates a runbook for the repository of `snapshot`. It shows the anchors, the introduction
    /// of the readme, locations without an anchor, and recent changes. Steps that make no sense
    /// here are left out, e.g. the changes if there is no git history.
    ///
    /// # Errors
    /// Returns an error if serializing the runbook as YAML fails.
    pub fn propose(snapshot: &Snapshot) -> Result<Self, Error> {
        let cancel = Cancel::default();
        let survey = Survey::new(snapshot, &cancel);
        let languages = survey.languages();
        let mut recognised: Vec<String> = languages.iter().map(|one| one.name.clone()).collect();
        let readme = survey
            .readme()
            .filter(|file| has_introduction(snapshot, file));
        recognised.extend(readme.map(ToString::to_string));
        let found = suggest_from(&survey, snapshot).map_err(Error::internal)?;
        for (kind, name) in KINDS {
            let of_kind = found
                .suggestions
                .iter()
                .filter(|one| one.anchor().kind == kind);
            let count = of_kind.count();
            if count > 0 {
                recognised.push(counted(count, name));
            }
        }
        let has_history = snapshot.repo().identity().kind == RepoKind::Git;
        Ok(Self {
            file: RepoPath::root().join("runbooks/overview.yaml")?,
            text: text(readme, has_history)?,
            recognised,
        })
    }

    /// Writes the runbook into the repository of `site`. If the file exists, this leaves it alone
    /// and returns false, unless `force` is set.
    ///
    /// # Errors
    /// Returns an error if writing the file fails.
    pub fn write(&self, site: &Site, force: bool) -> Result<bool, Error> {
        let place = site.files().place_of(&self.file)?;
        // A file that we can't read counts as existing.
        let nothing_there = matches!(site.snapshot().read(&self.file), Err(Refusal::Missing));
        if !force && !nothing_there {
            return Ok(false);
        }
        windlass_store::write_shared(&place, self.text.as_bytes())?;
        Ok(true)
    }
}

fn has_introduction(snapshot: &Snapshot, file: &RepoPath) -> bool {
    let source = snapshot.read(file);
    source.is_ok_and(|source| !introduction(&String::from_utf8_lossy(source.bytes())).is_empty())
}

fn text(readme: Option<&RepoPath>, has_history: bool) -> Result<String, Error> {
    let kinds: Vec<&str> = KINDS.iter().map(|(kind, _)| kind.as_str()).collect();
    let mut steps = vec![json!({ "id": "anchors", "uses": "anchors", "with": { "kinds": kinds } })];
    let mut outputs = vec![json!({ "id": "anchors", "title": "Anchors", "from": "anchors" })];
    if let Some(readme) = readme {
        let with = json!({ "file": readme, "introduction": true });
        steps.push(json!({ "id": "readme", "uses": "read", "with": with }));
        outputs.push(json!({ "id": "readme", "title": readme, "from": "readme" }));
    }
    let with = json!({ "kinds": kinds, "paths": [{ "$ref": "#/inputs/focus" }] });
    steps.push(json!({ "id": "places", "uses": "suggestions", "with": with }));
    outputs.push(json!({ "id": "places", "title": "Places without an anchor", "from": "places" }));
    if has_history {
        let with = json!({ "show": "log", "limit": 5, "paths": [{ "$ref": "#/inputs/focus" }] });
        let step = json!({ "id": "recent", "uses": "git", "with": with, "on_failure": "continue" });
        steps.push(step);
        outputs.push(json!({ "id": "recent", "title": "Recent changes", "from": "recent" }));
    }
    let runbook = json!({
        "schema_version": 1,
        "id": "overview",
        "title": "Overview",
        "purpose": "What to know before working here: what holds, what is checked, what is new.",
        "inputs": {
            "focus": { "type": "string", "default": ".", "description": "folder of the places without an anchor, and of the changes" },
        },
        "policy": { "budget": { "max_chars": 6000 }, "freshness": "repair" },
        "steps": steps,
        "outputs": outputs,
    });
    let yaml = serde_yaml::to_string(&runbook).map_err(Error::internal)?;
    Ok(format!("{HEADING}{yaml}"))
}
