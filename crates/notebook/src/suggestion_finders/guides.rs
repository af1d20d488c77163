//! What is written for those who work on the project.

use windlass_base::RepoPath;
use windlass_outline::{Outline, Symbol};

use super::candidate::{Candidate, MAX_LINES, Topic};
use super::conventions;
use super::file_survey::{Survey, Text};

/// Words of headings under which somebody says how to work on the project, the most telling first.
const HEADINGS: [&str; 18] = [
    "running tests",
    "running the tests",
    "run the tests",
    "testing",
    "tests",
    "development",
    "developing",
    "building",
    "build",
    "setup",
    "set up",
    "invariants",
    "always holds",
    "rules",
    "code style",
    "conventions",
    "pull request",
    "architecture",
];

/// The most sections of one guide.
const MAX_SECTIONS: usize = 2;

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut files: Vec<&RepoPath> = conventions::guides(&survey.files);
    // What is written for contributors says more than what is written for users.
    files.sort_by_key(|file| file.file_name().to_lowercase().starts_with("readme"));
    let hidden = [
        ".github/CONTRIBUTING.md",
        "docs/CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/ARCHITECTURE.md",
    ];
    let hidden: Vec<RepoPath> = hidden
        .iter()
        .filter(|path| survey.has(path))
        .filter_map(|path| RepoPath::parse(path).ok())
        .collect();
    for file in files.into_iter().chain(&hidden) {
        // A guide that is a link would give everything twice.
        let Some(text) = survey.text(file) else {
            continue;
        };
        found.extend(sections(survey, &text));
    }
    found.extend(release(survey));
    found
}

fn sections(survey: &Survey<'_>, text: &Text) -> Vec<Candidate> {
    let Some(outline) = survey.outline(text) else {
        return Vec::new();
    };
    let mut found: Vec<(usize, Candidate)> = Vec::new();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let name = symbol.name.to_lowercase();
        let Some(rank) = HEADINGS.iter().position(|word| has_words(&name, word)) else {
            continue;
        };
        // What uses the project reads the README: there only tests and building count.
        let is_readme = text.file.file_name().to_lowercase().starts_with("readme");
        if symbol.name.starts_with(['v', '0', '1']) || (is_readme && rank > 8) {
            continue;
        }
        found.extend(section(text, &outline, at, symbol).map(|candidate| (rank, candidate)));
    }
    found.sort_by_key(|(rank, _)| *rank);
    found
        .into_iter()
        .map(|(_, candidate)| candidate)
        .take(MAX_SECTIONS)
        .collect()
}

/// Whether `words` stand in `text` as words of their own.
fn has_words(text: &str, words: &str) -> bool {
    let is_border = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        let after = after.strip_prefix('s').unwrap_or(after);
        is_border(before.chars().next_back()) && is_border(after.chars().next())
    })
}

/// The section of a heading, as far as its first part where it is long.
fn section(text: &Text, outline: &Outline, at: usize, symbol: &Symbol) -> Option<Candidate> {
    let first = symbol.lines.first();
    let mut last = symbol.lines.last();
    if symbol.lines.count() > MAX_LINES / 2 {
        let part = outline
            .symbols
            .iter()
            .find(|part| part.container == Some(at))?;
        last = part.lines.first() - 1;
    }
    let last = text.trimmed(first, last + 1);
    // A heading alone, or one with a line that leads elsewhere, says nothing itself.
    if last < first + 3 {
        return None;
    }
    let mut candidate = Candidate::lines(Topic::Guide, text, first, last)?;
    candidate.locator.kind = crate::LocatorKind::Symbol;
    candidate.locator.value.clone_from(&symbol.path);
    let file = text.file.file_name();
    Some(
        candidate
            .named(&symbol.name)
            .label(format!("{} (`{file}`)", symbol.name))
            .because(format!(
                "`{file}` says under this heading how the project is worked on"
            )),
    )
}

/// How a release is made.
fn release(survey: &Survey<'_>) -> Option<Candidate> {
    let is_release = |path: &&RepoPath| {
        let name = path.file_name().to_lowercase();
        let stem = name.strip_suffix(".md").unwrap_or_default();
        path.parent().is_some_and(|folder| folder.is_root())
            && matches!(
                stem,
                "releasing"
                    | "release"
                    | "release-checklist"
                    | "releaseprocess"
                    | "release_process"
                    | "release-process"
            )
    };
    let text = survey.text(survey.files.iter().find(is_release)?)?;
    let outline = survey.outline(&text)?;
    let first = outline.symbols.first()?;
    let part = outline
        .symbols
        .iter()
        .find(|part| part.container == Some(0));
    let part = part.filter(|_| first.lines.count() > MAX_LINES / 2);
    let last = part.map_or(first.lines.last(), |part| part.lines.last());
    let last = text.trimmed(first.lines.first(), last + 1);
    let found = Candidate::lines(Topic::Guide, &text, first.lines.first(), last)?;
    Some(
        found
            .named("release")
            .label(format!("How a release is made (`{}`)", text.file))
            .because("the steps of a release, in order"),
    )
}
