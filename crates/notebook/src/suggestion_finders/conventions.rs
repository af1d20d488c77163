//! How repositories are laid out, by custom: where programs start, where CI is described, what guides are called.

use windlass_base::RepoPath;

/// A language, by how its files end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Language {
    /// Its name.
    pub(super) name: &'static str,
    /// How its files end.
    pub(super) extensions: &'static [&'static str],
    /// Lines where a program starts, or that name one in a manifest.
    pub(super) start: &'static str,
    /// Files that name programs.
    pub(super) manifests: &'static [&'static str],
    /// Lines that begin something others can call.
    pub(super) entry: &'static str,
    /// Names of files that say what a library offers; `*` for all at the root.
    pub(super) roots: &'static [&'static str],
    /// Lines of them that offer something.
    pub(super) offers: &'static str,
    /// What is no entry point, beside [`BESIDE_THE_POINT`].
    pub(super) without: &'static [&'static str],
}

/// The languages that are known, in the order that decides between equals.
pub(super) const LANGUAGES: [Language; 7] = [
    Language {
        name: "Rust",
        extensions: &["rs"],
        start: r"^(pub )?(async )?fn main\b|^\[\[bin\]\]",
        manifests: &["Cargo.toml"],
        entry: r"^pub ((async )?fn|struct|enum|trait)\b",
        roots: &["lib.rs"],
        offers: r"^pub (use|mod|(async )?fn|struct|enum|trait|type|const|macro)\b|^#\[macro_export\]",
        without: &["!**/tests.rs"],
    },
    Language {
        name: "Go",
        extensions: &["go"],
        start: r"^func main\b",
        manifests: &[],
        entry: r"^(func [A-Z]\w*|type [A-Z]\w* (struct|interface))",
        roots: &["*.go"],
        offers: r"^(func [A-Z]\w*|type [A-Z]\w* (struct|interface))",
        without: &["!*_test.go"],
    },
    Language {
        name: "TypeScript",
        extensions: &["ts", "tsx"],
        start: r"^  \x22(main|module|bin|exports)\x22:|^#!.*\bnode\b",
        manifests: &["package.json"],
        entry: r"^export (default |async )?(function|class|interface|const|type)\b",
        roots: &["index.ts", "index.tsx"],
        offers: r"^export\b",
        without: &["!*.d.ts", "!*.test.*", "!*.spec.*"],
    },
    Language {
        name: "JavaScript",
        extensions: &["js", "mjs", "cjs"],
        start: r"^  \x22(main|module|bin|exports)\x22:|^#!.*\bnode\b",
        manifests: &["package.json"],
        entry: r"^(export |module\.exports|exports\.)",
        roots: &["index.js", "index.mjs", "index.cjs"],
        offers: r"^(export |module\.exports|exports\.)",
        without: &["!*.test.*", "!*.spec.*", "!*.min.js"],
    },
    Language {
        name: "Python",
        extensions: &["py"],
        start: r"^if __name__|^def main\b|^\[(project|tool\.poetry)\.scripts\]",
        manifests: &["pyproject.toml"],
        entry: r"^(def [a-z]\w*|class \w+)",
        roots: &["__init__.py"],
        offers: r"^(from \S+ import|__all__|def [a-z]\w*|class \w+)",
        without: &["!test_*.py", "!conftest.py"],
    },
    Language {
        name: "Java",
        extensions: &["java"],
        start: r"^\s*public static void main\b",
        manifests: &[],
        entry: r"^\s*public (final |abstract )?(class|interface|record|enum)\b",
        roots: &[],
        offers: "",
        without: &["!**/src/test/**"],
    },
    Language {
        name: "C",
        extensions: &["c", "h"],
        // A prototype ends on its line.
        start: r"^((int|void)\s+)?(main|[uw]main|_tmain|w?WinMain)\s*\([^;]*$",
        manifests: &[],
        entry: r"^[a-z][\w ]*[ *]\w+\([^;{]*\);$",
        roots: &[],
        offers: r"^[a-z][\w ]*[ *]\w+\([^;{]*\);",
        without: &[],
    },
];

/// Folders where nothing is entered, the most usual first: what helps with the project, and what others wrote.
pub(super) const BESIDE_THE_POINT: [&str; 18] = [
    "docs",
    "examples",
    "test",
    "tests",
    "benches",
    "vendor",
    "third_party",
    "node_modules",
    "vendored",
    "third-party",
    "thirdparty",
    "3rdparty",
    "deps",
    "external",
    "externals",
    "extern",
    "bower_components",
    "Pods",
];

/// Where continuous integration is described.
pub(super) const CI: [&str; 6] = [
    ".github/workflows",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".ci",
];

/// What says how the repository is worked in, by the name before the ending, in lower case.
pub(super) const GUIDES: [&str; 5] = ["readme", "agents", "contributing", "architecture", "claude"];

impl Language {
    /// Whether `file` is written in it, by how its name ends.
    pub(super) fn writes(&self, file: &RepoPath) -> bool {
        let ending = file.file_name().rsplit_once('.');
        ending.is_some_and(|(_, ending)| self.extensions.contains(&ending))
    }
}

/// The first guides at the root, in the order in which they help.
pub(super) fn guides(files: &[RepoPath]) -> Vec<&RepoPath> {
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
    GUIDES.iter().filter_map(named).collect()
}

/// The language that most files are written in.
pub(super) fn main_language(files: &[RepoPath]) -> Option<&'static Language> {
    let count = |language: &Language| files.iter().filter(|file| language.writes(file)).count();
    // Of two with as many files the first of the list is taken.
    let most = LANGUAGES
        .iter()
        .rev()
        .max_by_key(|language| count(language))?;
    (count(most) > 0).then_some(most)
}
