//! Facts about the repository, as far as file names reveal them: its languages and tools.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass_base::RepoPath;
use windlass_outline::Language;
use windlass_packs::context::{Source, SourceKind};

use super::pack_draft::Draft;

/// A file in the root gives its tool away.
const TOOLS: [(&str, &str); 12] = [
    ("Cargo.toml", "cargo"),
    ("package.json", "npm"),
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("go.mod", "go"),
    ("pyproject.toml", "python"),
    ("requirements.txt", "pip"),
    ("pom.xml", "maven"),
    ("build.gradle", "gradle"),
    ("Makefile", "make"),
    ("justfile", "just"),
    ("CMakeLists.txt", "cmake"),
];

/// Takes the four most frequent languages, and all tools.
pub(super) fn take_facts(files: &[RepoPath], draft: &mut Draft) {
    let mut languages: BTreeMap<String, u32> = BTreeMap::new();
    for path in files {
        if let Some(language) = Language::of_path(path.as_str())
            && language != Language::Markdown
        {
            *languages.entry(language.to_string()).or_default() += 1;
        }
    }
    let mut ranked: Vec<(String, u32)> = languages.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let names: Vec<String> = ranked.into_iter().take(4).map(|(name, _)| name).collect();
    let has = |name: &str| files.iter().any(|path| path.as_str() == name);
    let tools: Vec<&str> = TOOLS
        .iter()
        .filter(|(file, _)| has(file))
        .map(|(_, tool)| *tool)
        .collect();
    fact(draft, "languages", json!(names));
    fact(draft, "tools", json!(tools));
}

fn fact(draft: &mut Draft, name: &str, value: Value) {
    if value.as_array().is_some_and(Vec::is_empty) {
        return;
    }
    let source = Source {
        kind: SourceKind::Listing,
        ..Source::default()
    };
    draft.note(
        format!("repoFacts/{name}"),
        source,
        "the names of files say so",
        0,
    );
    draft.pack.repo_facts.insert(name.to_owned(), value);
}
