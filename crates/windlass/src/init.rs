//! A first runbook that fits the repository at hand.

use std::fmt::Write as _;

use windlass_base::{Cancel, RepoPath};
use windlass_notebook::conventions::{BESIDE_THE_POINT, CI, Language, guides, main_language};
use windlass_notebook::suggest::api_files;
use windlass_repo::{ListQuery, Refusal, RepoKind, SearchQuery, Snapshot};
use windlass_site::{Error, SECRETS_FILE, Site, SiteError};
use windlass_store::RootedPath;

/// A runbook to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Where to.
    pub file: RepoPath,
    /// Its text.
    pub text: String,
    /// What was recognised.
    pub recognised: Vec<String>,
}

/// Lines of CI files that say what is run, also those of a block under `run: |`.
const CI_LINES: &str = r"^\s*(- +)?(run|script|command): *[^|> ]|^\s+(- )?(cargo|npm|npx|yarn|pnpm|make|cmake|ctest|go|python3?|pytest|tox|nox|uv|ruff|mypy|mvn|\./\S+)( |$)";

impl Proposal {
    /// Writes it into the repository of `site`, unless a file is there and `force` is false.
    ///
    /// # Errors
    /// When the file is there already, or cannot be written.
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

/// Writes what marks the root of a folder without git, so that it is found from the folders in it; the file
/// it wrote, none where something marks the root already.
///
/// # Errors
/// When it cannot be written.
pub fn mark_root(site: &Site) -> Result<Option<RepoPath>, Error> {
    let marker = marker();
    let root = site.repo().root();
    let is_marked = site.repo().identity().kind == RepoKind::Git
        || marker
            .parent()
            .is_none_or(|folder| RootedPath::new(root).join(folder.as_str()).is_there());
    if is_marked {
        return Ok(None);
    }
    windlass_store::write_shared(&site.files().place_of(&marker)?, MARKER_TEXT.as_bytes())?;
    Ok(Some(marker))
}

/// What stands in a list of secret paths that lists none.
const MARKER_TEXT: &str = "# Paths that are kept secret beside the built-in list, one glob a line: `config/prod/**`.\n\
                           # Without git, the folder `.windlass` marks the root of the repository.\n";

fn marker() -> RepoPath {
    RepoPath::parse(SECRETS_FILE).unwrap_or_else(|_| RepoPath::root())
}

/// A runbook for the repository that `snapshot` sees: how it is worked in, its gates, its entry points, and
/// what changed last.
#[must_use]
pub fn propose_runbook(snapshot: &Snapshot) -> Proposal {
    let listing = snapshot
        .list(&ListQuery::default(), &Cancel::default())
        .unwrap_or_default();
    let mut draft = Draft {
        beside: beside_the_point(&listing.files),
        ..Draft::default()
    };
    for guide in guides(&listing.files).into_iter().take(2) {
        draft.guide(snapshot, guide);
    }
    let ci = CI
        .iter()
        .find(|ci| RepoPath::parse(ci).is_ok_and(|path| exists(snapshot, &path)));
    if let Some(ci) = ci {
        draft.gates(ci);
    }
    match main_language(&listing.files) {
        Some(language) => {
            let roots = api_roots(snapshot, language, &listing.files);
            draft.entry_points(language, &roots);
        }
        None => draft.files(),
    }
    draft.steps.push_str("  - id: anchors\n    uses: anchors\n");
    draft
        .outputs
        .push_str("  - { id: anchors, title: Anchors, from: anchors }\n");
    if snapshot.repo().identity().kind == RepoKind::Git {
        draft.steps.push_str(
            "  - id: recent\n    uses: git\n    with: { show: log, limit: 5 }\n    on_failure: continue\n",
        );
        draft
            .outputs
            .push_str("  - { id: recent, title: Recent changes, from: recent }\n");
    }
    Proposal {
        file: target(),
        text: text(&draft.steps, &draft.outputs),
        recognised: draft.recognised,
    }
}

/// Folders where nothing is entered: those that may come any day, and of the others those that are there.
fn beside_the_point(files: &[RepoPath]) -> Vec<&'static str> {
    const USUAL: usize = 8;
    let is_there = |folder: &str| {
        let mut folders = files.iter().flat_map(|file| file.as_str().split('/'));
        folders.any(|part| part == folder)
    };
    let (usual, others) = BESIDE_THE_POINT.split_at(USUAL);
    let there = others.iter().filter(|folder| is_there(folder));
    usual.iter().chain(there).copied().collect()
}

/// The most files that are said to be the root of an API.
const MAX_ROOTS: usize = 10;

/// The files that say what the library offers: those that its manifests lead to, or else those nearest to the root
/// that have the name for it. None without a line that offers something.
fn api_roots(snapshot: &Snapshot, language: &Language, files: &[RepoPath]) -> Vec<RepoPath> {
    if language.offers.is_empty() {
        return Vec::new();
    }
    let whole_folder = language.roots.iter().any(|root| root.starts_with('*'));
    if !whole_folder {
        let led_to = api_files(snapshot, &Cancel::default()).into_iter();
        let led_to = led_to.filter(|file| language.writes(file)).collect();
        let found = that_offer(snapshot, language, led_to);
        if !found.is_empty() {
            return found.into_iter().take(MAX_ROOTS).collect();
        }
    }
    let named = that_offer(snapshot, language, roots_by_name(language, files));
    let nearest = named.iter().map(depth).min();
    let named = named.into_iter();
    let named = named.filter(|file| Some(depth(file)) == nearest);
    named.take(MAX_ROOTS).collect()
}

/// Those of `files` that have a line which offers something.
fn that_offer(snapshot: &Snapshot, language: &Language, files: Vec<RepoPath>) -> Vec<RepoPath> {
    if files.is_empty() {
        return files;
    }
    let query = SearchQuery {
        pattern: language.offers.to_owned(),
        scope: ListQuery {
            paths: files.clone(),
            ..ListQuery::default()
        },
        max_matches_per_file: Some(1),
        max_matches: u32::try_from(files.len()).unwrap_or(u32::MAX),
        ..SearchQuery::default()
    };
    let found = snapshot
        .search(&query, &Cancel::default())
        .unwrap_or_default();
    let offers = |file: &RepoPath| found.files.iter().any(|found| found.path == *file);
    files.into_iter().filter(offers).collect()
}

fn depth(file: &RepoPath) -> usize {
    file.as_str().matches('/').count()
}

/// Files whose names say that they are the root of an API.
fn roots_by_name(language: &Language, files: &[RepoPath]) -> Vec<RepoPath> {
    let beside = |file: &RepoPath| {
        let mut folders = BESIDE_THE_POINT.iter().chain(&["testdata"]);
        folders.any(|folder| file.as_str().split('/').any(|part| part == *folder))
    };
    let is_root = |file: &&RepoPath| {
        let name = file.file_name();
        let is_one = language
            .roots
            .iter()
            .any(|root| match root.strip_prefix('*') {
                Some(ending) => {
                    depth(file) == 0 && name.ends_with(ending) && !name.ends_with("_test.go")
                }
                None => name == *root,
            });
        is_one && !beside(file)
    };
    files.iter().filter(is_root).cloned().collect()
}

/// `text` as a YAML scalar.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A runbook in the making.
#[derive(Default)]
struct Draft {
    steps: String,
    outputs: String,
    recognised: Vec<String>,
    /// Folders where nothing is entered.
    beside: Vec<&'static str>,
}

impl Draft {
    fn guide(&mut self, snapshot: &Snapshot, file: &RepoPath) {
        let lines = snapshot
            .read(file)
            .map_or(1, |source| source.line_count())
            .clamp(1, 30);
        let id = file
            .file_name()
            .split('.')
            .next()
            .unwrap_or("guide")
            .to_lowercase();
        let name = file.file_name();
        let _ = write!(
            self.steps,
            "  - id: {id}\n    uses: read\n    with: {{ file: '{name}', lines: '1-{lines}' }}\n"
        );
        let _ = writeln!(
            self.outputs,
            "  - {{ id: {id}, title: '{name}', from: {id} }}"
        );
        self.recognised.push(name.to_owned());
    }

    fn gates(&mut self, ci: &str) {
        let _ = write!(
            self.steps,
            "  - id: gates\n    uses: search\n    with:\n      pattern: '{CI_LINES}'\n      \
             paths: [{ci}]\n      hidden: true\n"
        );
        self.outputs
            .push_str("  - { id: gates, title: What CI runs, from: gates, limit: 20 }\n");
        self.recognised.push(ci.to_owned());
    }

    fn entry_points(&mut self, language: &Language, roots: &[RepoPath]) {
        let globs: Vec<String> = language
            .extensions
            .iter()
            .map(|extension| format!("'*.{extension}'"))
            .chain(
                self.beside
                    .iter()
                    .map(|folder| format!("'!**/{folder}/**'")),
            )
            .chain(language.without.iter().map(|glob| format!("'{glob}'")))
            .collect();
        let manifests: Vec<String> = language
            .manifests
            .iter()
            .map(|name| format!("'{name}'"))
            .collect();
        let _ = write!(
            self.steps,
            "  - id: starts\n    uses: search\n    with:\n      pattern: '{}'\n      \
             paths: [{{ $ref: '#/inputs/focus' }}]\n      globs: [{}]\n",
            language.start,
            [manifests, globs.clone()].concat().join(", ")
        );
        self.outputs
            .push_str("  - { id: starts, title: Where programs start, from: starts, limit: 10 }\n");
        if !roots.is_empty() {
            let paths: Vec<String> = roots.iter().map(|file| quoted(file.as_str())).collect();
            let _ = write!(
                self.steps,
                "  - id: api\n    uses: search\n    with:\n      pattern: '{}'\n      paths: [{}]\n",
                language.offers,
                paths.join(", ")
            );
            self.outputs
                .push_str("  - { id: api, title: Public API, from: api, limit: 20 }\n");
        }
        // What stands there need not be found again.
        let apart = roots.iter().map(|file| quoted(&format!("!/{file}")));
        let globs: Vec<String> = globs.into_iter().chain(apart).collect();
        let _ = write!(
            self.steps,
            "  - id: entrypoints\n    uses: search\n    with:\n      pattern: '{}'\n      \
             paths: [{{ $ref: '#/inputs/focus' }}]\n      globs: [{}]\n",
            language.entry,
            globs.join(", ")
        );
        self.outputs.push_str(
            "  - { id: entrypoints, title: Entry points, from: entrypoints, limit: 20 }\n",
        );
        self.recognised.push(language.name.to_owned());
    }

    fn files(&mut self) {
        self.steps.push_str(
            "  - id: files\n    uses: files\n    with: { paths: [{ $ref: '#/inputs/focus' }], limit: 30 }\n",
        );
        self.outputs
            .push_str("  - { id: files, title: Files, from: files, limit: 30 }\n");
    }
}

fn target() -> RepoPath {
    RepoPath::root()
        .join("runbooks/overview.yaml")
        .unwrap_or_else(|_| RepoPath::root())
}

fn text(steps: &str, outputs: &str) -> String {
    format!(
        "# A first lens on this repository, made by `windlass init`. Edit it: keep what helps, drop the rest.\n\
         # `windlass run overview` runs it; `windlass plan overview --explain` says what each step does.\n\
         schema_version: 1\nid: overview\ntitle: Overview\n\
         purpose: What to know before working here - how it is worked in, its gates, its entry points, what is new.\n\
         inputs:\n  focus: {{ type: string, default: ., description: the folder to look at }}\n\
         policy:\n  budget: {{ max_chars: 6000 }}\n  freshness: repair\nsteps:\n{steps}outputs:\n{outputs}"
    )
}

fn exists(snapshot: &Snapshot, path: &RepoPath) -> bool {
    match snapshot.read(path) {
        Ok(_) => true,
        Err(Refusal::Directory) => {
            let query = ListQuery {
                paths: vec![path.clone()],
                hidden: true,
                limit: Some(1),
                ..ListQuery::default()
            };
            snapshot
                .list(&query, &Cancel::default())
                .is_ok_and(|listing| !listing.files.is_empty())
        }
        Err(_) => false,
    }
}
