//! A first runbook that fits the repository at hand.

use std::fmt::Write as _;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, Refusal, RepoKind, Snapshot};

use crate::{Error, Workspace};

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

/// A language, by the file that says so.
struct Language {
    name: &'static str,
    manifest: &'static str,
    /// Lines that begin something others can call.
    entry: &'static str,
    globs: &'static [&'static str],
}

const LANGUAGES: [Language; 7] = [
    Language {
        name: "Rust",
        manifest: "Cargo.toml",
        entry: r"^(pub (async )?fn|pub (struct|enum|trait)|fn main)\b",
        globs: &["*.rs", "!tests/**", "!benches/**"],
    },
    Language {
        name: "Go",
        manifest: "go.mod",
        entry: r"^(func main|func [A-Z]\w*|type [A-Z]\w* (struct|interface))",
        globs: &["*.go", "!*_test.go"],
    },
    Language {
        name: "TypeScript",
        manifest: "tsconfig.json",
        entry: r"^export (default |async )?(function|class|interface|const|type)\b",
        globs: &["*.ts", "*.tsx", "!*.d.ts", "!*.test.*", "!*.spec.*"],
    },
    Language {
        name: "JavaScript",
        manifest: "package.json",
        entry: r"^(export |module\.exports|exports\.)",
        globs: &[
            "*.js",
            "*.mjs",
            "*.cjs",
            "!*.test.*",
            "!*.spec.*",
            "!*.min.js",
        ],
    },
    Language {
        name: "Python",
        manifest: "pyproject.toml",
        entry: r"^(def [a-z]\w*|class \w+|if __name__)",
        globs: &["*.py", "!tests/**", "!test_*.py"],
    },
    Language {
        name: "Java",
        manifest: "pom.xml",
        entry: r"^\s*public (static void main|(final |abstract )?(class|interface|record|enum))\b",
        globs: &["*.java", "!**/src/test/**"],
    },
    Language {
        name: "C",
        manifest: "Makefile",
        entry: r"^(int main\b|[a-z]\w[\w *]*\([^;]*\)\s*\{?$)",
        globs: &["*.c", "*.h"],
    },
];

/// Where continuous integration is described.
const CI: [&str; 6] = [
    ".github/workflows",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".ci",
];

/// What says how the repository is worked in.
const GUIDES: [&str; 5] = [
    "README.md",
    "AGENTS.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CLAUDE.md",
];

impl Workspace {
    /// Writes `proposal` into the repository, unless a file is there and `force` is false.
    ///
    /// # Errors
    /// When the file is there already, or cannot be written.
    pub fn write_proposal(&self, proposal: &Proposal, force: bool) -> Result<(), Error> {
        let place = self
            .repo()
            .place_for(&proposal.file)
            .map_err(|_| Error::Unreadable {
                file: proposal.file.to_string(),
                why: "a link stands in its way, and nothing is written through links".to_owned(),
                missing: false,
                secret: true,
            })?;
        let nothing_there = matches!(self.snapshot().read(&proposal.file), Err(Refusal::Missing));
        if !force && !nothing_there {
            return Err(Error::Exists(proposal.file.to_string()));
        }
        windlass_store::write_shared(&place, proposal.text.as_bytes())?;
        Ok(())
    }
}

/// A runbook for the repository that `snapshot` sees: how it is worked in, its gates, its entry points, and
/// what changed last.
#[must_use]
pub fn propose_runbook(snapshot: &Snapshot) -> Proposal {
    let there = |path: &str| RepoPath::parse(path).is_ok_and(|path| exists(snapshot, &path));
    let mut recognised = Vec::new();
    let mut steps = String::new();
    let mut outputs = String::new();
    for guide in GUIDES.iter().filter(|guide| there(guide)).take(2) {
        recognised.push((*guide).to_owned());
        let id = guide.trim_end_matches(".md").to_lowercase();
        let _ = write!(
            steps,
            "  - id: {id}\n    uses: read\n    with: {{ file: {guide}, lines: {} }}\n",
            lead(snapshot, guide)
        );
        let _ = writeln!(outputs, "  - {{ id: {id}, title: {guide}, from: {id} }}");
    }
    if let Some(ci) = CI.iter().find(|ci| there(ci)) {
        recognised.push((*ci).to_owned());
        let _ = write!(
            steps,
            "  - id: gates\n    uses: search\n    with:\n      pattern: '^\\s*(-\\s+)?(run|script|command):'\n      \
             paths: [{ci}]\n      hidden: true\n"
        );
        outputs.push_str("  - { id: gates, title: What CI runs, from: gates, limit: 20 }\n");
    }
    if let Some(language) = LANGUAGES.iter().find(|language| there(language.manifest)) {
        recognised.push(format!("{} ({})", language.name, language.manifest));
        let globs: Vec<String> = language
            .globs
            .iter()
            .map(|glob| format!("'{glob}'"))
            .collect();
        let _ = write!(
            steps,
            "  - id: entrypoints\n    uses: search\n    with:\n      pattern: '{}'\n      paths: [{{ $ref: '#/inputs/focus' }}]\n      \
             globs: [{}]\n",
            language.entry,
            globs.join(", ")
        );
        outputs.push_str(
            "  - { id: entrypoints, title: Entry points, from: entrypoints, limit: 20 }\n",
        );
    } else {
        steps.push_str("  - id: entrypoints\n    uses: files\n    with: { paths: [{ $ref: '#/inputs/focus' }], limit: 30 }\n");
        outputs.push_str("  - { id: entrypoints, title: Files, from: entrypoints, limit: 30 }\n");
    }
    steps.push_str("  - id: anchors\n    uses: anchors\n");
    outputs.push_str("  - { id: anchors, title: Anchors, from: anchors }\n");
    if snapshot.repo().identity().kind == RepoKind::Git {
        steps.push_str("  - id: recent\n    uses: git\n    with: { show: log, limit: 5 }\n    on_failure: continue\n");
        outputs.push_str("  - { id: recent, title: Recent changes, from: recent }\n");
    }
    Proposal {
        file: target(),
        text: text(&steps, &outputs),
        recognised,
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

/// The lines a guide begins with.
fn lead(snapshot: &Snapshot, guide: &str) -> String {
    let lines = RepoPath::parse(guide)
        .ok()
        .and_then(|path| snapshot.read(&path).ok());
    let lines = lines.map_or(1, |source| source.line_count()).clamp(1, 30);
    if lines == 1 {
        "'1'".to_owned()
    } else {
        format!("1-{lines}")
    }
}
