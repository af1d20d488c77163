//! What others may rely on: where a library says what it gives out.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::RepoPath;
use windlass_outline::{Outline, SymbolKind, Visibility};

use super::candidate::{Candidate, MAX_LINES, Topic};
use super::file_survey::{Survey, Text, depth, is_own, largest_group};
use super::manifest;

/// How many other lines may stand between two exports that belong together.
const GAP: u32 = 6;

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    found.extend(rust(survey));
    found.extend(python(survey));
    found.extend(node(survey));
    found.extend(go(survey));
    found.extend(c(survey));
    found.extend(java(survey));
    found
}

/// The exports of `text`: lines that `is_export` takes, each to where its brackets close.
fn exports(text: &Text, is_export: impl Fn(&str) -> bool) -> Vec<(u32, u32)> {
    let lines = text.lines().filter(|(_, line)| is_export(line));
    lines
        .map(|(number, _)| (number, text.closed_at(number)))
        .collect()
}

fn group(text: &Text, exports: &[(u32, u32)], name: &str, what: &str) -> Option<Candidate> {
    let (first, last) = largest_group(exports, GAP, MAX_LINES)?;
    let found = Candidate::lines(Topic::Api, text, first, last)?;
    Some(
        found
            .named(name)
            .label(format!("Public API of `{name}`"))
            .because(format!("{what} says what `{name}` gives out")),
    )
}

fn rust(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found: Vec<(usize, Candidate)> = Vec::new();
    for manifest in survey.named("Cargo.toml").into_iter().take(60) {
        let Some(folder) = manifest.parent() else {
            continue;
        };
        let library = folder
            .join("src/lib.rs")
            .ok()
            .and_then(|path| survey.text_at(path.as_str()));
        let (Some(cargo), Some(text)) = (survey.text(manifest), library) else {
            continue;
        };
        let name = cargo
            .section("[package]")
            .and_then(|package| manifest::toml_text(&cargo, package, "name"));
        let is_export = |line: &str| {
            line.starts_with("pub use ")
                || line.starts_with("pub mod ")
                || line.starts_with("pub extern crate ")
        };
        // A `pub use` may go on over many lines.
        let exports = exports(&text, is_export);
        if exports.len() < 2 {
            continue;
        }
        if let Some(candidate) = name.and_then(|name| group(&text, &exports, &name, "`lib.rs`")) {
            found.push((exports.len(), candidate));
        }
    }
    found.sort_by_key(|(exports, _)| std::cmp::Reverse(*exports));
    found
        .into_iter()
        .map(|(_, candidate)| candidate)
        .take(4)
        .collect()
}

/// The folder of the package that a path of a Python file names, `src` apart: only packages at the top count.
fn python_package(path: &RepoPath) -> Option<&str> {
    let inside = path.as_str().strip_prefix("src/").unwrap_or(path.as_str());
    let package = inside.strip_suffix("/__init__.py")?;
    (!package.contains('/')).then_some(package)
}

fn python(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for path in survey.named("__init__.py") {
        let (Some(package), Some(text)) = (python_package(path), survey.text(path)) else {
            continue;
        };
        let listed = exports(&text, |line| line.starts_with("__all__"));
        let imported = exports(&text, |line| {
            line.starts_with("from .") || line.starts_with(&format!("from {package}"))
        });
        let listed = listed
            .into_iter()
            .filter(|(first, last)| last - first < MAX_LINES);
        let exports: Vec<_> = listed.collect();
        let exports = if exports.is_empty() && imported.len() > 1 {
            imported
        } else {
            exports
        };
        found.extend(group(&text, &exports, package, "`__init__.py`"));
        found.extend(python_namesake(survey, &text, package));
    }
    found
}

/// The class that has the name of its package and is given out by it.
fn python_namesake(survey: &Survey<'_>, init: &Text, package: &str) -> Option<Candidate> {
    let module = init.lines().find_map(|(_, line)| {
        let (module, names) = line.strip_prefix("from .")?.split_once(" import ")?;
        let is_it = |name: &str| name.trim().eq_ignore_ascii_case(package);
        let names = names
            .split([',', '('])
            .map(|name| name.split(" as ").next().unwrap_or(name));
        names
            .into_iter()
            .any(is_it)
            .then(|| module.trim().to_owned())
    })?;
    let path = init.file.parent()?.join(&format!("{module}.py")).ok()?;
    let text = survey.text_at(path.as_str())?;
    let outline = survey.outline(&text)?;
    let symbol = outline.symbols.iter().find(|symbol| {
        symbol.kind == SymbolKind::Class
            && symbol.depth == 0
            && symbol.name.eq_ignore_ascii_case(package)
    })?;
    let candidate = Candidate::symbol(Topic::Api, &text, symbol)?;
    Some(candidate.because(format!("the class that gives package `{package}` its name")))
}

fn node(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for path in survey.named("package.json").into_iter().take(20) {
        let Some(value) = survey.text(path).as_ref().and_then(manifest::json) else {
            continue;
        };
        let is_private = value.get("private").and_then(Value::as_bool) == Some(true);
        let (Some(name), Some(folder), false) = (
            value.get("name").and_then(Value::as_str),
            path.parent(),
            is_private,
        ) else {
            continue;
        };
        let Some(text) = node_root(survey, &value, &folder) else {
            continue;
        };
        let is_export = |line: &str| {
            line.starts_with("export ")
                || line.starts_with("export{")
                || line.starts_with("module.exports")
                || line.starts_with("exports.")
                || line.starts_with("exports ")
        };
        let (first, one) = (exports(&text, is_export), followed(survey, &text));
        let (text, exports) = match one {
            Some(next) if first.len() <= 1 => {
                let exports = exports(&next, is_export);
                (next, exports)
            }
            _ => (text, first),
        };
        let short = name.rsplit('/').next().unwrap_or(name);
        let what = format!("`{}`", text.file);
        found.extend(group(&text, &exports, short, &what));
        found.extend(node_default(survey, &text, short));
    }
    found
}

/// The source that a package is entered by.
fn node_root(survey: &Survey<'_>, value: &Value, folder: &RepoPath) -> Option<Text> {
    let mut named: Vec<String> = Vec::new();
    let root = value
        .get("exports")
        .and_then(|exports| exports.get(".").or(Some(exports)));
    let mut places: Vec<&Value> = root.into_iter().collect();
    while let Some(place) = places.pop() {
        match place {
            Value::String(path) => named.push(path.clone()),
            Value::Object(map) => places.extend(map.values()),
            _ => {}
        }
    }
    let main = ["source", "module", "main"]
        .iter()
        .filter_map(|key| value.get(*key)?.as_str());
    named.extend(main.map(str::to_owned));
    named.extend(
        [
            "src/index.ts",
            "src/index.js",
            "index.ts",
            "index.js",
            "lib/index.js",
        ]
        .map(str::to_owned),
    );
    let mut sources = named.iter().filter(|path| {
        ["ts", "tsx", "js", "mjs", "cjs"]
            .iter()
            .any(|ending| path.ends_with(&format!(".{ending}")))
            && !path.ends_with(".d.ts")
    });
    sources.find_map(|path| {
        let path = folder.join(path).ok().filter(is_own)?;
        survey.text_at(path.as_str())
    })
}

/// The file that `text` does nothing but pass on.
fn followed(survey: &Survey<'_>, text: &Text) -> Option<Text> {
    let passes = |line: &str| {
        line.starts_with("module.exports = require(") || line.starts_with("export * from ")
    };
    let (_, line) = text.lines().find(|(_, line)| passes(line))?;
    let target = line.split(['\'', '"']).nth(1)?.strip_prefix("./")?;
    let base = target.strip_suffix(".js").unwrap_or(target);
    let folder = text.file.parent()?;
    [".ts", ".js", "/index.ts", "/index.js"]
        .iter()
        .find_map(|ending| {
            let path = folder.join(&format!("{base}{ending}")).ok()?;
            survey.text_at(path.as_str())
        })
}

/// What a module gives out as a whole.
fn node_default(survey: &Survey<'_>, text: &Text, package: &str) -> Option<Candidate> {
    let given = |line: &str| -> Option<String> {
        let (_, name) = line
            .split_once("module.exports = ")
            .or_else(|| line.split_once("export default "))?;
        let name: String = name
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        (!name.is_empty()).then_some(name)
    };
    let name = text.lines().find_map(|(_, line)| given(line))?;
    let outline = survey.outline(text)?;
    let symbol = outline.symbols.iter().find(|symbol| {
        symbol.name == name && matches!(symbol.kind, SymbolKind::Function | SymbolKind::Class)
    })?;
    let candidate = Candidate::symbol(Topic::Api, text, symbol)?;
    Some(candidate.because(format!("what `{package}` gives out as a whole")))
}

/// Constructors and the types with most methods, in the package at the root.
fn go(survey: &Survey<'_>) -> Vec<Candidate> {
    if !survey.has("go.mod") {
        return Vec::new();
    }
    let sources = survey
        .files
        .iter()
        .filter(|path| depth(path) == 0 && path.file_name().ends_with(".go") && is_own(path));
    let texts: Vec<(Text, Arc<Outline>)> = sources
        .take(100)
        .filter_map(|path| survey.text(path))
        .filter(|text| {
            !text
                .lines()
                .any(|(_, line)| line.trim_end() == "package main")
        })
        .filter_map(|text| survey.outline(&text).map(|outline| (text, outline)))
        .collect();
    let mut methods: BTreeMap<&str, usize> = BTreeMap::new();
    for symbol in texts.iter().flat_map(|(_, outline)| &outline.symbols) {
        if symbol.kind == SymbolKind::Method && symbol.visibility == Some(Visibility::Public) {
            let of = symbol.path.split('.').next().unwrap_or_default();
            *methods.entry(of.trim_start_matches('*')).or_default() += 1;
        }
    }
    let mut largest: Vec<(&str, usize)> = methods
        .into_iter()
        .filter(|(_, count)| *count >= 8)
        .collect();
    largest.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let mut found = Vec::new();
    for (text, outline) in &texts {
        for symbol in outline
            .symbols
            .iter()
            .filter(|symbol| symbol.visibility == Some(Visibility::Public))
        {
            let reason = match symbol.kind {
                SymbolKind::Function
                    if matches!(symbol.name.as_str(), "New" | "Default" | "Open" | "Dial") =>
                {
                    format!("how others begin to use the package: `{}`", symbol.name)
                }
                SymbolKind::Struct | SymbolKind::Type => {
                    let Some(rank) = largest
                        .iter()
                        .take(2)
                        .position(|(name, _)| *name == symbol.name)
                    else {
                        continue;
                    };
                    format!(
                        "the type of the package with {} public methods",
                        largest[rank].1
                    )
                }
                _ => continue,
            };
            found.extend(
                Candidate::symbol(Topic::Api, text, symbol).map(|found| found.because(reason)),
            );
        }
    }
    found
}

/// Headers that are installed.
fn c(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut headers: Vec<String> = Vec::new();
    if let Some(make) = survey.text_at("Makefile.am") {
        let lists = make
            .lines()
            .filter(|(_, line)| line.starts_with("include_HEADERS"));
        headers.extend(lists.flat_map(|(_, line)| {
            line.split_whitespace()
                .filter(|word| word.ends_with(".h"))
                .map(str::to_owned)
        }));
    }
    if headers.is_empty() {
        let public = |path: &&RepoPath| {
            path.as_str().starts_with("include/")
                && path.file_name().ends_with(".h")
                && is_own(path)
        };
        headers.extend(survey.files.iter().filter(public).map(ToString::to_string));
    }
    if headers.is_empty() {
        headers.extend(namesake_header(survey));
    }
    let header = |path: String| {
        let text = survey.text_at(&path)?;
        let outline = survey.outline(&text)?;
        let functions = outline
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Function);
        let lines: Vec<(u32, u32)> = functions
            .map(|symbol| (symbol.lines.first(), symbol.lines.last()))
            .collect();
        let (first, last) = largest_group(&lines, 4, MAX_LINES).filter(|_| lines.len() >= 3)?;
        let found = Candidate::lines(Topic::Api, &text, first, last)?;
        let name = text.file.file_name();
        Some(
            found
                .named(name.trim_end_matches(".h"))
                .label(format!("What `{name}` declares"))
                .because("others compile against what this header declares"),
        )
    };
    headers
        .into_iter()
        .take(12)
        .filter_map(header)
        .take(4)
        .collect()
}

/// The header that has the name of the project in `CMakeLists.txt`.
fn namesake_header(survey: &Survey<'_>) -> Option<String> {
    let cmake = survey.text_at("CMakeLists.txt")?;
    let name = cmake.lines().find_map(|(_, line)| {
        let line = line.to_lowercase();
        let (_, rest) = line.split_once("project(")?;
        let name: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            .collect();
        (!name.is_empty()).then_some(name)
    })?;
    [format!("{name}.h"), format!("src/{name}.h")]
        .into_iter()
        .find(|path| survey.has(path))
}

/// Modules, and the class that has the name of its artifact.
fn java(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for path in survey.named("module-info.java") {
        let Some(text) = survey.text(path) else {
            continue;
        };
        let is_module =
            |line: &str| line.starts_with("module ") || line.starts_with("open module ");
        let Some((first, line)) = text.lines().find(|(_, line)| is_module(line)) else {
            continue;
        };
        let name = line
            .trim_start_matches("open ")
            .split_whitespace()
            .nth(1)
            .unwrap_or("module")
            .trim_end_matches('{')
            .to_owned();
        if let Some(candidate) = Candidate::lines(Topic::Api, &text, first, text.closed_at(first)) {
            found.push(
                candidate
                    .label(format!("Packages that module `{name}` exports"))
                    .named(name)
                    .because("`module-info.java` says which packages others may use"),
            );
        }
    }
    let artifacts = survey
        .named("pom.xml")
        .into_iter()
        .take(20)
        .filter_map(|path| {
            let folder = path.parent()?.file_name().to_owned();
            Some(folder.replace('-', "").to_lowercase())
        });
    for artifact in artifacts {
        let is_namesake = |path: &&RepoPath| {
            let stem = path.file_name().strip_suffix(".java").unwrap_or_default();
            stem.to_lowercase() == artifact && is_own(path)
        };
        let Some(text) = survey
            .files
            .iter()
            .find(is_namesake)
            .and_then(|path| survey.text(path))
        else {
            continue;
        };
        let Some(outline) = survey.outline(&text) else {
            continue;
        };
        let class = outline
            .symbols
            .iter()
            .find(|symbol| symbol.depth == 0 && symbol.visibility == Some(Visibility::Public));
        let candidate = class.and_then(|symbol| Candidate::symbol(Topic::Api, &text, symbol));
        found.extend(
            candidate
                .map(|found| found.because(format!("the class that gives `{artifact}` its name"))),
        );
    }
    found
}
