//! Where programs start.

use windlass_base::RepoPath;
use windlass_outline::{Language as Grammar, SymbolKind};

use super::candidate::{Candidate, Topic};
use super::file_survey::{Survey, Text, has_word_of, is_own};
use super::manifest;

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = scripts(survey);
    let has_scripts = !found.is_empty();
    found.extend(node_programs(survey));
    let mut java = Vec::new();
    for matches in &survey.matches {
        if measures_or_shows(&matches.path) {
            continue;
        }
        let Some(text) = survey.text(&matches.path) else {
            continue;
        };
        let program = match Grammar::of_path(matches.path.as_str()) {
            Some(Grammar::Rust) => rust(survey, &text),
            Some(Grammar::Go) => text
                .lines()
                .any(|(_, line)| is_package_main(line))
                .then(|| folder_name(&matches.path)),
            Some(Grammar::C) => (!is_main_conditional(&text)).then(|| folder_name(&matches.path)),
            Some(Grammar::Java) => {
                java.extend(main_of(survey, &text, &stem(&matches.path)));
                None
            }
            Some(Grammar::Python) if !has_scripts && matches.path.file_name() == "__main__.py" => {
                Some(folder_name(&matches.path))
            }
            _ => None,
        };
        if let Some(program) = program {
            found.extend(main_of(survey, &text, &program));
        }
    }
    // Of many classes that can be started none is the one.
    if java.len() <= 2 {
        found.extend(java);
    }
    found
}

/// Whether the `main` of a C source is compiled in some builds only, as the tests of a library often are.
fn is_main_conditional(text: &Text) -> bool {
    let mut open = 0_u32;
    for (_, line) in text.lines() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        match directive {
            Some(directive) if directive.starts_with("if") => open += 1,
            Some(directive) if directive.starts_with("endif") => open = open.saturating_sub(1),
            _ if line.contains("main(") && !line.trim_end().ends_with(';') => return open > 0,
            _ => {}
        }
    }
    false
}

/// True if a file is named after a benchmark or an example.
fn measures_or_shows(path: &RepoPath) -> bool {
    const WORDS: [&str; 12] = [
        "bench",
        "benchmark",
        "benchmarks",
        "example",
        "examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "fuzz",
        "fuzzer",
        "fuzzing",
    ];
    has_word_of(path.file_name(), &WORDS)
}

/// True if a line of Go says that its file is a part of a program: `package main // import "x"`.
fn is_package_main(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}').trim();
    let name = line
        .strip_prefix("package")
        .filter(|rest| rest.starts_with([' ', '\t']));
    let rest = name.and_then(|name| name.trim_start().strip_prefix("main"));
    rest.map(str::trim_start).is_some_and(|rest| {
        rest.is_empty() || ["//", "/*", ";"].iter().any(|sign| rest.starts_with(sign))
    })
}

/// The function `main` of `text`.
fn main_of(survey: &Survey<'_>, text: &Text, program: &str) -> Option<Candidate> {
    let outline = survey.outline(text)?;
    let is_main = |symbol: &&windlass_outline::Symbol| {
        let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
        is_function
            && matches!(
                symbol.name.as_str(),
                "main" | "umain" | "wmain" | "cli" | "run"
            )
    };
    // The last counts: with several, the others are for special systems.
    let symbol = outline
        .symbols
        .iter()
        .filter(is_main)
        .max_by_key(|symbol| {
            (
                symbol.name == "main",
                symbol.name == "umain",
                symbol.lines.count(),
            )
        })?;
    let found = Candidate::symbol(Topic::Program, text, symbol)?;
    Some(
        found
            .named(program)
            .label(if program == "main" {
                "Where the program starts".to_owned()
            } else {
                format!("Where `{program}` starts")
            })
            .because(format!(
                "`{}` is the function in which the program starts",
                symbol.path
            )),
    )
}

/// The name of the program that `text` starts, if it is the root of one.
fn rust(survey: &Survey<'_>, text: &Text) -> Option<String> {
    let path = text.file.as_str();
    for manifest in survey.named("Cargo.toml") {
        let Some(folder) = manifest.parent() else {
            continue;
        };
        if !text.file.is_under(&folder) {
            continue;
        }
        let Some(cargo) = survey.text(manifest) else {
            continue;
        };
        if let Some(name) = manifest::rust_program(&cargo, &folder, path) {
            return Some(name);
        }
    }
    None
}

/// Programs that `pyproject.toml` names: `name = "package.module:function"`.
fn scripts(survey: &Survey<'_>) -> Vec<Candidate> {
    let Some(project) = survey.text_at("pyproject.toml") else {
        return Vec::new();
    };
    let sections = ["[project.scripts]", "[tool.poetry.scripts]"];
    let lines = sections
        .iter()
        .filter_map(|heading| project.section(heading));
    let mut found = Vec::new();
    for number in lines.flat_map(|(first, last)| first + 1..=last) {
        let Some((name, target)) = project.line(number).split_once('=') else {
            continue;
        };
        let name = name.trim().trim_matches('"');
        let target = target
            .split('#')
            .next()
            .unwrap_or_default()
            .trim()
            .trim_matches(['"', '\'']);
        let Some((module, function)) = target.split_once(':') else {
            continue;
        };
        let path = module.replace('.', "/");
        let places = ["src/", ""].into_iter().flat_map(|root| {
            [
                format!("{root}{path}.py"),
                format!("{root}{path}/__init__.py"),
            ]
        });
        let place = places.into_iter().find(|place| survey.has(place));
        let Some(text) = place.and_then(|place| survey.text_at(&place)) else {
            continue;
        };
        let text = imported(survey, &text, function).unwrap_or(text);
        let Some(outline) = survey.outline(&text) else {
            continue;
        };
        if let [symbol] = outline.find(function)[..]
            && let Some(candidate) = Candidate::symbol(Topic::Program, &text, symbol)
        {
            found.push(
                candidate
                    .named(name)
                    .label(format!("Where `{name}` starts"))
                    .because(format!(
                        "`pyproject.toml` names `{target}` as the program `{name}`"
                    )),
            );
        }
    }
    found
}

/// The module that `text` has `function` from, where it only passes it on.
fn imported(survey: &Survey<'_>, text: &Text, function: &str) -> Option<Text> {
    let module = text.lines().find_map(|(_, line)| {
        let (module, names) = line.trim().strip_prefix("from .")?.split_once(" import ")?;
        let mut names = names
            .split(',')
            .map(|name| name.split('#').next().unwrap_or(name));
        names
            .any(|name| name.trim() == function)
            .then(|| module.to_owned())
    })?;
    let path = text.file.parent()?.join(&format!("{module}.py")).ok()?;
    survey.text_at(path.as_str())
}

/// Programs that `package.json` names under `bin`.
fn node_programs(survey: &Survey<'_>) -> Vec<Candidate> {
    let named = |file: &RepoPath| {
        let text = survey.text(file)?;
        let value = manifest::json(&text)?;
        value.get("bin")?;
        let name = value.get("name")?.as_str()?.rsplit('/').next()?.to_owned();
        let (first, last) = manifest::json_field(&text, "bin")?;
        let found = Candidate::lines(Topic::Program, &text, first, last)?;
        Some(
            found
                .named(&name)
                .label(format!("Programs that `{name}` installs"))
                .because("`bin` says which files start as programs"),
        )
    };
    let manifests = survey.named("package.json").into_iter();
    manifests.take(20).filter_map(named).collect()
}

fn folder_name(path: &RepoPath) -> String {
    let folder = path
        .parent()
        .filter(|folder| !folder.is_root() && is_own(path));
    let name = folder.map(|folder| folder.file_name().to_owned());
    name.filter(|name| !matches!(name.as_str(), "src" | "cmd" | "app"))
        .unwrap_or_else(|| stem(path))
}

fn stem(path: &RepoPath) -> String {
    path.file_name()
        .split('.')
        .next()
        .unwrap_or("main")
        .to_owned()
}
