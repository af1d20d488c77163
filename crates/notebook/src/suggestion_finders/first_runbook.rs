//! Generated first runbook of a repository.

use serde_json::{Value, json};
use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, Refusal, RepoKind, SearchQuery, Snapshot};
use windlass_site::{Error, Site, SiteError};

use super::languages::{CONVENTIONS, Language};

/// Generated first runbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstRunbook {
    /// Location in the repository.
    pub file: RepoPath,
    /// Text.
    pub text: String,
    /// Names of the recognised conventions.
    pub recognised: Vec<String>,
}

/// Pattern for commands in CI files, including those of a block under `run: |`.
const CI_LINES: &str = r"^\s*(- +)?(run|script|command): *[^|> ]|^\s+(- )?(cargo|npm|npx|yarn|pnpm|make|cmake|ctest|go|python3?|pytest|tox|nox|uv|ruff|mypy|mvn|\./\S+)( |$)";

/// Leading comments of the file.
const HEADING: &str = "\
# A first lens on this repository, made by `windlass init`. Edit it: keep what helps, drop the rest.
# `windlass run overview` runs it; `windlass plan overview --explain` says what each step does.
";

impl FirstRunbook {
    /// Generates a runbook for the repository of `snapshot`: guides, gates, entry points and recent changes.
    ///
    /// # Errors
    /// If it has no YAML form.
    pub fn propose(snapshot: &Snapshot) -> Result<Self, Error> {
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let listing = snapshot.list(&query, &Cancel::default());
        let all = listing.unwrap_or_default().files;
        let is_hidden =
            |file: &RepoPath| file.as_str().split('/').any(|part| part.starts_with('.'));
        let shown = all.iter().filter(|file| !is_hidden(file));
        let files: Vec<RepoPath> = shown.cloned().collect();
        let mut draft = Draft::default();
        for guide in CONVENTIONS.guides_of(&files).into_iter().take(2) {
            draft.guide(snapshot, guide);
        }
        let is_there = |place: &&String| {
            RepoPath::parse(place).is_ok_and(|place| all.iter().any(|file| file.is_under(&place)))
        };
        if let Some(ci) = CONVENTIONS.ci.iter().find(is_there) {
            draft.gates(ci);
        }
        match CONVENTIONS.main_language(&files) {
            Some(language) => {
                let roots = api_roots(snapshot, language, &files);
                draft.entry_points(language, &beside_the_point(&files), &roots);
            }
            None => draft.files(),
        }
        draft.step(json!({ "id": "anchors", "uses": "anchors" }));
        draft.output(json!({ "id": "anchors", "title": "Anchors", "from": "anchors" }));
        if snapshot.repo().identity().kind == RepoKind::Git {
            draft.recent_changes();
        }
        Ok(Self {
            file: RepoPath::root().join("runbooks/overview.yaml")?,
            text: draft.text()?,
            recognised: draft.recognised,
        })
    }

    /// Writes the runbook into the repository of `site`.
    ///
    /// # Errors
    /// If the file exists and `force` is false, or cannot be written.
    pub fn write(&self, site: &Site, force: bool) -> Result<(), Error> {
        let place = site.files().place_of(&self.file)?;
        let nothing_there = matches!(site.snapshot().read(&self.file), Err(Refusal::Missing));
        if !force && !nothing_there {
            return Err(SiteError::Exists(self.file.to_string()).into());
        }
        windlass_store::write_shared(&place, self.text.as_bytes())?;
        Ok(())
    }
}

/// Returns the folders without entry points: those that may be created any time, and other known ones that
/// exist.
fn beside_the_point(files: &[RepoPath]) -> Vec<&'static str> {
    let is_there = |folder: &&String| files.iter().any(|file| lies_in(file, folder));
    let there = CONVENTIONS.beside_there.iter().filter(is_there);
    let folders = CONVENTIONS.beside.iter().chain(there);
    folders.map(String::as_str).collect()
}

fn lies_in(file: &RepoPath, folder: &str) -> bool {
    file.as_str().split('/').any(|part| part == folder)
}

/// Maximum number of files listed as the root of an API.
const MAX_ROOTS: usize = 10;

/// Returns the files that define the library's API: those with a root name and a public item, nearest to the
/// root first.
fn api_roots(snapshot: &Snapshot, language: &Language, files: &[RepoPath]) -> Vec<RepoPath> {
    let is_beside = |file: &RepoPath| {
        let beside = CONVENTIONS.beside.iter().chain(&CONVENTIONS.beside_there);
        beside
            .map(String::as_str)
            .chain(["testdata"])
            .any(|folder| lies_in(file, folder))
    };
    let roots = files
        .iter()
        .filter(|file| language.is_root(file) && !is_beside(file));
    let roots: Vec<RepoPath> = roots.cloned().collect();
    if roots.is_empty() {
        return roots;
    }
    let query = SearchQuery {
        pattern: language.offers.clone(),
        max_matches_per_file: Some(1),
        max_matches: u32::try_from(roots.len()).unwrap_or(u32::MAX),
        scope: ListQuery {
            paths: roots,
            ..ListQuery::default()
        },
        ..SearchQuery::default()
    };
    let found = snapshot
        .search(&query, &Cancel::default())
        .unwrap_or_default();
    let depth = |file: &RepoPath| file.as_str().matches('/').count();
    let offering = || found.files.iter().map(|found| &found.path);
    let nearest = offering().map(depth).min();
    let nearest = offering().filter(|file| Some(depth(file)) == nearest);
    nearest.take(MAX_ROOTS).cloned().collect()
}

/// Runbook under construction.
#[derive(Default)]
struct Draft {
    steps: Vec<Value>,
    outputs: Vec<Value>,
    recognised: Vec<String>,
}

impl Draft {
    fn step(&mut self, step: Value) {
        self.steps.push(step);
    }

    fn output(&mut self, output: Value) {
        self.outputs.push(output);
    }

    fn guide(&mut self, snapshot: &Snapshot, file: &RepoPath) {
        let lines = snapshot
            .read(file)
            .map_or(1, |source| source.line_count())
            .clamp(1, 30);
        let name = file.file_name();
        let id = name.split('.').next().unwrap_or("guide").to_lowercase();
        let with = json!({ "file": name, "lines": format!("1-{lines}") });
        self.step(json!({ "id": id, "uses": "read", "with": with }));
        self.output(json!({ "id": id, "title": name, "from": id }));
        self.recognised.push(name.to_owned());
    }

    fn gates(&mut self, ci: &str) {
        let with = json!({ "pattern": CI_LINES, "paths": [ci], "hidden": true });
        self.step(json!({ "id": "gates", "uses": "search", "with": with }));
        self.output(
            json!({ "id": "gates", "title": "What CI runs", "from": "gates", "limit": 20 }),
        );
        self.recognised.push(ci.to_owned());
    }

    fn entry_points(&mut self, language: &Language, beside: &[&str], roots: &[RepoPath]) {
        let endings = language.extensions.iter();
        let globs: Vec<String> = endings
            .map(|extension| format!("*.{extension}"))
            .chain(beside.iter().map(|folder| format!("!**/{folder}/**")))
            .chain(language.without.iter().cloned())
            .collect();
        let starts = language.manifests.iter().chain(&globs);
        let starts: Vec<String> = starts.cloned().collect();
        self.search_in_focus(
            "starts",
            "Where programs start",
            &language.start,
            &starts,
            10,
        );
        if !roots.is_empty() {
            let with = json!({ "pattern": language.offers, "paths": roots });
            self.step(json!({ "id": "api", "uses": "search", "with": with }));
            self.output(json!({ "id": "api", "title": "Public API", "from": "api", "limit": 20 }));
        }
        // The API section covers these files.
        let apart = roots.iter().map(|file| format!("!/{file}"));
        let globs: Vec<String> = globs.into_iter().chain(apart).collect();
        self.search_in_focus("entrypoints", "Entry points", &language.entry, &globs, 20);
        self.recognised.push(language.name.clone());
    }

    fn search_in_focus(
        &mut self,
        id: &str,
        title: &str,
        pattern: &str,
        globs: &[String],
        limit: u32,
    ) {
        let with = json!({ "pattern": pattern, "paths": [focus()], "globs": globs });
        self.step(json!({ "id": id, "uses": "search", "with": with }));
        self.output(json!({ "id": id, "title": title, "from": id, "limit": limit }));
    }

    fn files(&mut self) {
        let with = json!({ "paths": [focus()], "limit": 30 });
        self.step(json!({ "id": "files", "uses": "files", "with": with }));
        self.output(json!({ "id": "files", "title": "Files", "from": "files", "limit": 30 }));
    }

    fn recent_changes(&mut self) {
        let with = json!({ "show": "log", "limit": 5 });
        self.step(json!({ "id": "recent", "uses": "git", "with": with, "on_failure": "continue" }));
        self.output(json!({ "id": "recent", "title": "Recent changes", "from": "recent" }));
    }

    fn text(&self) -> Result<String, Error> {
        let runbook = json!({
            "schema_version": 1,
            "id": "overview",
            "title": "Overview",
            "purpose": "What to know before working here - how it is worked in, its gates, its entry points, what is new.",
            "inputs": {
                "focus": { "type": "string", "default": ".", "description": "the folder to look at" },
            },
            "policy": { "budget": { "max_chars": 6000 }, "freshness": "repair" },
            "steps": self.steps,
            "outputs": self.outputs,
        });
        let yaml = serde_yaml::to_string(&runbook).map_err(Error::internal)?;
        Ok(format!("{HEADING}{yaml}"))
    }
}

/// Returns a reference to the folder input.
fn focus() -> Value {
    json!({ "$ref": "#/inputs/focus" })
}
