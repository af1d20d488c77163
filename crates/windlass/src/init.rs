//! A first runbook that fits the repository at hand.

use std::fmt::Write as _;
use std::path::PathBuf;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, Refusal, RepoKind, Snapshot};

use crate::{Error, SECRETS_FILE, Workspace};

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

/// A language, by how its files end.
struct Language {
    name: &'static str,
    extensions: &'static [&'static str],
    /// Lines where a program starts, or that name one in a manifest.
    start: &'static str,
    /// Files that name programs.
    manifests: &'static [&'static str],
    /// Lines that begin something others can call.
    entry: &'static str,
    /// What is no entry point, beside [`BESIDE_THE_POINT`].
    without: &'static [&'static str],
}

const LANGUAGES: [Language; 7] = [
    Language {
        name: "Rust",
        extensions: &["rs"],
        start: r"^(pub )?(async )?fn main\b|^\[\[bin\]\]",
        manifests: &["Cargo.toml"],
        entry: r"^pub ((async )?fn|struct|enum|trait)\b",
        without: &["!**/tests.rs"],
    },
    Language {
        name: "Go",
        extensions: &["go"],
        start: r"^func main\b",
        manifests: &[],
        entry: r"^(func [A-Z]\w*|type [A-Z]\w* (struct|interface))",
        without: &["!*_test.go"],
    },
    Language {
        name: "TypeScript",
        extensions: &["ts", "tsx"],
        start: r"^  \x22(main|module|bin|exports)\x22:|^#!.*\bnode\b",
        manifests: &["package.json"],
        entry: r"^export (default |async )?(function|class|interface|const|type)\b",
        without: &["!*.d.ts", "!*.test.*", "!*.spec.*"],
    },
    Language {
        name: "JavaScript",
        extensions: &["js", "mjs", "cjs"],
        start: r"^  \x22(main|module|bin|exports)\x22:|^#!.*\bnode\b",
        manifests: &["package.json"],
        entry: r"^(export |module\.exports|exports\.)",
        without: &["!*.test.*", "!*.spec.*", "!*.min.js"],
    },
    Language {
        name: "Python",
        extensions: &["py"],
        start: r"^if __name__|^def main\b|^\[(project|tool\.poetry)\.scripts\]",
        manifests: &["pyproject.toml"],
        entry: r"^(def [a-z]\w*|class \w+)",
        without: &["!test_*.py", "!conftest.py"],
    },
    Language {
        name: "Java",
        extensions: &["java"],
        start: r"^\s*public static void main\b",
        manifests: &[],
        entry: r"^\s*public (final |abstract )?(class|interface|record|enum)\b",
        without: &["!**/src/test/**"],
    },
    Language {
        name: "C",
        extensions: &["c", "h"],
        start: r"^(int\s+)?\w*main\s*\(",
        manifests: &[],
        entry: r"^[a-z][\w ]*[ *]\w+\([^;{]*\);$",
        without: &[],
    },
];

/// Folders where nothing is entered.
const BESIDE_THE_POINT: [&str; 8] = [
    "!**/docs/**",
    "!**/examples/**",
    "!**/test/**",
    "!**/tests/**",
    "!**/benches/**",
    "!**/vendor/**",
    "!**/third_party/**",
    "!**/node_modules/**",
];

/// Lines of CI files that say what is run, also those of a block under `run: |`.
const CI_LINES: &str = r"^\s*(- +)?(run|script|command): *[^|> ]|^\s+(- )?(cargo|npm|npx|yarn|pnpm|make|cmake|ctest|go|python3?|pytest|tox|nox|uv|ruff|mypy|mvn|\./\S+)( |$)";

/// Where continuous integration is described.
const CI: [&str; 6] = [
    ".github/workflows",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".ci",
];

/// What says how the repository is worked in, by the name before the ending, in lower case.
const GUIDES: [&str; 5] = ["readme", "agents", "contributing", "architecture", "claude"];

impl Workspace {
    /// Writes `proposal` into the repository, unless a file is there and `force` is false.
    ///
    /// # Errors
    /// When the file is there already, or cannot be written.
    pub fn write_proposal(&self, proposal: &Proposal, force: bool) -> Result<(), Error> {
        let place = self.place_of(&proposal.file)?;
        let nothing_there = matches!(self.snapshot().read(&proposal.file), Err(Refusal::Missing));
        if !force && !nothing_there {
            return Err(Error::Exists(proposal.file.to_string()));
        }
        windlass_store::write_shared(&place, proposal.text.as_bytes())?;
        Ok(())
    }

    /// Writes what marks the root of a folder without git, so that it is found from the folders in it; the file
    /// it wrote, none where something marks the root already.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn mark_root(&self) -> Result<Option<RepoPath>, Error> {
        let marker = marker();
        let root = self.repo().root();
        let is_marked = self.repo().identity().kind == RepoKind::Git
            || marker
                .parent()
                .is_none_or(|folder| root.join(folder.as_str()).exists());
        if is_marked {
            return Ok(None);
        }
        windlass_store::write_shared(&self.place_of(&marker)?, MARKER_TEXT.as_bytes())?;
        Ok(Some(marker))
    }

    fn place_of(&self, file: &RepoPath) -> Result<PathBuf, Error> {
        self.repo().place_for(file).map_err(|_| Error::Unreadable {
            file: file.to_string(),
            why: "a link stands in its way, and nothing is written through links".to_owned(),
            missing: false,
            secret: true,
        })
    }
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
    let mut draft = Draft::default();
    for guide in guides(&listing.files) {
        draft.guide(snapshot, guide);
    }
    let ci = CI
        .iter()
        .find(|ci| RepoPath::parse(ci).is_ok_and(|path| exists(snapshot, &path)));
    if let Some(ci) = ci {
        draft.gates(ci);
    }
    match language(&listing.files) {
        Some(language) => draft.entry_points(language),
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

/// The first guides at the root, in the order in which they help.
fn guides(files: &[RepoPath]) -> Vec<&RepoPath> {
    let at_root = || {
        files
            .iter()
            .filter(|file| file.parent().is_some_and(|folder| folder.is_root()))
    };
    let named = |guide: &&str| {
        at_root().find(|file| {
            let name = file.file_name().to_lowercase();
            let (stem, ending) = name.split_once('.').unwrap_or((&name, "md"));
            stem == *guide && matches!(ending, "md" | "markdown" | "rst" | "txt" | "adoc")
        })
    };
    GUIDES.iter().filter_map(named).take(2).collect()
}

/// The language that most files are written in.
fn language(files: &[RepoPath]) -> Option<&'static Language> {
    let count = |language: &Language| {
        let written = |file: &&RepoPath| {
            let ending = file
                .file_name()
                .rsplit_once('.')
                .map_or("", |(_, ending)| ending);
            language.extensions.contains(&ending)
        };
        files.iter().filter(written).count()
    };
    // Of two with as many files the first of the list is taken.
    let most = LANGUAGES
        .iter()
        .rev()
        .max_by_key(|language| count(language))?;
    (count(most) > 0).then_some(most)
}

/// A runbook in the making.
#[derive(Default)]
struct Draft {
    steps: String,
    outputs: String,
    recognised: Vec<String>,
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

    fn entry_points(&mut self, language: &Language) {
        let globs: Vec<String> = language
            .extensions
            .iter()
            .map(|extension| format!("'*.{extension}'"))
            .chain(
                BESIDE_THE_POINT
                    .iter()
                    .chain(language.without)
                    .map(|glob| format!("'{glob}'")),
            )
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
