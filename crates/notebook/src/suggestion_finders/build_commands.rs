//! How the project is built, tested and put together.

use super::candidate::{Candidate, Topic};
use super::file_survey::{Survey, Text};
use super::manifest;

/// Targets and sessions that people are told to run.
const TARGETS: [&str; 8] = [
    "test",
    "tests",
    "check",
    "build",
    "lint",
    "ci",
    "verify",
    "fmt-check",
];

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    found.extend(targets(survey));
    found.extend(package_scripts(survey));
    found.extend(sessions(survey));
    found.extend(sections(survey));
    found.extend(automake(survey));
    found.extend(modules(survey));
    found
}

/// Rules of a Makefile, recipes of a Justfile.
fn targets(survey: &Survey<'_>) -> Vec<Candidate> {
    let places = [
        "Makefile",
        "GNUmakefile",
        "makefile",
        "justfile",
        "Justfile",
    ];
    let Some(text) = places.iter().find_map(|place| survey.text_at(place)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for target in TARGETS {
        let rule = text.lines().find(|(_, line)| {
            let name = line.split([':', ' ']).next().unwrap_or_default();
            name == target && line.contains(':') && !line.contains(":=")
        });
        let Some((first, _)) = rule else {
            continue;
        };
        let recipe = (first + 1..=text.len()).take_while(|n| {
            let line = text.line(*n);
            line.starts_with(['\t', ' ']) && !line.trim().is_empty()
        });
        let last = recipe.last().unwrap_or(first);
        // What only names other targets says little.
        let names_others = text
            .line(first)
            .split_once(':')
            .is_some_and(|(_, needs)| !needs.trim().is_empty());
        if last == first && !names_others {
            continue;
        }
        let candidate = Candidate::lines(Topic::Command, &text, first, last);
        let file = text.file.file_name();
        let call = if file.eq_ignore_ascii_case("justfile") {
            "just"
        } else {
            "make"
        };
        found.extend(candidate.map(|found| {
            found
                .named(format!("{call}-{target}"))
                .label(format!("`{call} {target}`"))
                .because(format!("what `{call} {target}` does"))
        }));
    }
    found.truncate(3);
    found
}

fn package_scripts(survey: &Survey<'_>) -> Option<Candidate> {
    let text = survey.text_at("package.json")?;
    manifest::json(&text)?
        .get("scripts")?
        .as_object()
        .filter(|scripts| !scripts.is_empty())?;
    let (first, last) = manifest::json_field(&text, "scripts")?;
    let found = Candidate::lines(Topic::Command, &text, first, last)?;
    Some(
        found
            .named("scripts")
            .label("Scripts of `package.json`")
            .because("the commands to build, test and check"),
    )
}

/// Sessions of nox.
fn sessions(survey: &Survey<'_>) -> Vec<Candidate> {
    let Some(text) = survey.text_at("noxfile.py") else {
        return Vec::new();
    };
    let Some(outline) = survey.outline(&text) else {
        return Vec::new();
    };
    let sessions = outline
        .symbols
        .iter()
        .filter(|symbol| TARGETS.contains(&symbol.name.as_str()));
    let candidates = sessions.filter_map(|symbol| Candidate::symbol(Topic::Command, &text, symbol));
    candidates
        .map(|found| {
            let reason = format!("what `nox -s {}` does", found.name);
            found.because(reason)
        })
        .take(2)
        .collect()
}

/// Sections of files that configure tools.
fn sections(survey: &Survey<'_>) -> Vec<Candidate> {
    let wanted = [
        (
            "pyproject.toml",
            "[build-system]",
            "How the package is built",
            "says what builds the package",
        ),
        (
            "pyproject.toml",
            "[tool.tox.env_run_base]",
            "How tests are run",
            "says how `tox` runs the tests",
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]",
            "How tests are run",
            "says how `pytest` runs the tests",
        ),
        (
            "pyproject.toml",
            "[tool.hatch.envs.default.scripts]",
            "Scripts of `hatch`",
            "the commands to test and check",
        ),
        (
            "tox.ini",
            "[testenv]",
            "How tests are run",
            "says how `tox` runs the tests",
        ),
        (
            "Cargo.toml",
            "[workspace]",
            "Packages of the workspace",
            "says which packages belong to the workspace",
        ),
    ];
    let section = |(file, heading, label, reason): (&str, &str, &str, &str)| {
        let text = survey.text_at(file)?;
        let (first, last) = text.section(heading)?;
        let found =
            Candidate::lines(Topic::Command, &text, first, last).filter(|_| last > first)?;
        let name = heading
            .trim_matches(['[', ']'])
            .trim_start_matches("tool.")
            .replace('_', "-");
        Some(
            found
                .named(name)
                .label(label)
                .because(format!("`{heading}` {reason}")),
        )
    };
    wanted.into_iter().filter_map(section).collect()
}

/// Tests of automake.
fn automake(survey: &Survey<'_>) -> Vec<Candidate> {
    let Some(text) = survey.text_at("Makefile.am") else {
        return Vec::new();
    };
    let variable = |(name, label): (&str, &str)| {
        let (first, _) = text
            .lines()
            .find(|(_, line)| line.split([' ', '=']).next() == Some(name))?;
        let last = continued(&text, first);
        let found = Candidate::lines(Topic::Command, &text, first, last)?;
        Some(
            found
                .named(name.replace('_', "-").to_lowercase())
                .label(label)
                .because(format!("`{name}` in `Makefile.am`")),
        )
    };
    [("TESTS", "Tests that `make check` runs")]
        .into_iter()
        .filter_map(variable)
        .collect()
}

fn continued(text: &Text, first: u32) -> u32 {
    (first..=text.len())
        .find(|n| !text.line(*n).trim_end().ends_with('\\'))
        .unwrap_or(first)
}

/// Parts of a Maven or Gradle build.
fn modules(survey: &Survey<'_>) -> Option<Candidate> {
    let pom = survey.text_at("pom.xml")?;
    let line = |wanted: &str| {
        pom.lines()
            .find(|(_, line)| line.trim() == wanted)
            .map(|(number, _)| number)
    };
    let (first, last) = (line("<modules>")?, line("</modules>")?);
    let found = Candidate::lines(Topic::Command, &pom, first, last)?;
    Some(
        found
            .named("modules")
            .label("Modules of the build")
            .because("`<modules>` says what the build consists of"),
    )
}
