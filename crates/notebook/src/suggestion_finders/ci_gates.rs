//! What continuous integration asks of a change.

use windlass_base::RepoPath;

use super::candidate::{Candidate, Topic};
use super::file_survey::{Survey, Text, has_word_of};
use super::job_condition::holds;
use super::workflow::{Runs, Strength, Workflow};

/// Longer jobs are anchored by the steps that check something.
const MAX_JOB: u32 = 45;

/// Commands that judge a change, the most telling first.
const CHECKS: [(&str, &[&str]); 3] = [
    (
        "test",
        &[
            "cargo test",
            "cargo nextest",
            "go test",
            "}} test",
            "make test",
            "make check",
            "npm test",
            "npm run test",
            "npm t ",
            "pnpm test",
            "pnpm run test",
            "yarn test",
            "yarn run test",
            "bun run test",
            "bun test",
            "pytest",
            "tox",
            "nox",
            "mvn",
            "mvnw",
            "gradlew",
            "gotestsum",
            "gradle ",
            "ctest",
            "bazel test",
            "dotnet test",
            "scripts/test",
            "test-ci",
            "mix test",
            "rspec",
            "rake test",
            "meson test",
            "ninja test",
            "vitest",
            "jest",
            "cross test",
            "hatch run",
            "unittest",
            "test.sh",
            "prove ",
        ],
    ),
    (
        "lint",
        &[
            "clippy",
            "fmt",
            "gofmt",
            "gofumpt",
            "rustfmt",
            "scalafmt",
            "clang-format",
            "eslint",
            "stylelint",
            "pylint",
            "rubocop",
            "shellcheck",
            "lint",
            "mypy",
            "ruff",
            "pre-commit",
            "golangci",
            "biome",
            "tsc",
            "typecheck",
            "pyright",
            "go vet",
            "prettier",
            "format",
            "black",
            "flake8",
            "checkstyle",
            "scripts/check",
            "cargo check",
            "cargo deny",
            "type-check",
            "spotless",
        ],
    ),
    (
        "build",
        &[
            "cargo build",
            "go build",
            "make",
            "npm run build",
            "pnpm build",
            "pnpm run build",
            "yarn build",
            "cmake",
            "cargo doc",
            "docker build",
        ],
    ),
];

/// Words in the name of a workflow that checks the project itself, for the order of equal gates.
const MAIN_NAMES: [&str; 9] = [
    "ci", "cicd", "test", "tests", "testing", "build", "main", "check", "checks",
];

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found: Vec<(Strength, usize, bool, Candidate)> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let folder = |path: &&RepoPath| {
        let path = path.as_str();
        path.starts_with(".github/workflows/")
            && (path.ends_with(".yml") || path.ends_with(".yaml"))
    };
    for path in survey.files.iter().filter(folder).take(60) {
        let Some(text) = survey.text(path) else {
            continue;
        };
        let Some(workflow) = Workflow::read(&text) else {
            continue;
        };
        for job in jobs(&text) {
            let Some(runs) = workflow.runs(&job.key) else {
                continue;
            };
            let Some((rank, command, candidate)) = gate(&text, &job, &runs) else {
                continue;
            };
            if !seen.contains(&command) {
                let is_main = has_word_of(path.file_name(), &MAIN_NAMES);
                seen.push(command);
                found.push((runs.strength, rank, !is_main, candidate));
            }
        }
    }
    found.sort_by_key(|(strength, rank, aside, _)| (*strength, *rank, *aside));
    let mut found: Vec<Candidate> = found
        .into_iter()
        .map(|(_, _, _, candidate)| candidate)
        .collect();
    found.extend(elsewhere(survey));
    found
}

/// A job of a workflow: its key, and its lines.
struct Job {
    key: String,
    first: u32,
    last: u32,
}

fn jobs(text: &Text) -> Vec<Job> {
    let Some((start, _)) = text.lines().find(|(_, line)| line.trim_end() == "jobs:") else {
        return Vec::new();
    };
    let mut jobs: Vec<Job> = Vec::new();
    let mut indent = None;
    for (number, line) in text.lines().skip_while(|(number, _)| *number <= start) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let blanks = line.len() - line.trim_start().len();
        if blanks == 0 {
            break;
        }
        let indent = *indent.get_or_insert(blanks);
        if blanks == indent && trimmed.ends_with(':') {
            let key = trimmed
                .trim_end_matches(':')
                .trim_matches(['"', '\''])
                .to_owned();
            jobs.push(Job {
                key,
                first: number,
                last: number,
            });
        } else if let Some(job) = jobs.last_mut() {
            job.last = number;
        }
    }
    jobs
}

/// The first command of `job` that judges a change: how telling it is, itself, and where to look.
fn gate(text: &Text, job: &Job, runs: &Runs) -> Option<(usize, String, Candidate)> {
    let commands = || commands(text, job);
    let (rank, number, command) = CHECKS.iter().enumerate().find_map(|(rank, (_, words))| {
        let judges = |(_, command): &(u32, String)| {
            (words.iter().any(|word| has_word(command, word))
                || (rank == 0 && is_make_test(command)))
                && !installs(command)
        };
        let runs_here = |(number, _): &(u32, String)| is_reached(text, job, *number, runs);
        let mut commands = commands().into_iter().filter(judges);
        let (number, command) = commands.find(runs_here)?;
        Some((rank, number, command))
    })?;
    let (first, last) = if job.last - job.first < MAX_JOB {
        (job.first, job.last)
    } else {
        step(text, job, number)
    };
    let shown: String = command.chars().take(60).collect();
    let candidate = Candidate::lines(Topic::Gate, text, first, last)?;
    let workflow = text.file.file_name().split('.').next().unwrap_or_default();
    Some((
        rank,
        command,
        candidate
            .named(if workflow == job.key {
                job.key.clone()
            } else {
                format!("{workflow}-{}", job.key)
            })
            .label(format!("CI job `{}` ({})", job.key, CHECKS[rank].0))
            .because(format!("runs `{shown}` {}", runs.when)),
    ))
}

/// True unless the condition of the step around line `number` keeps it from running for what starts the job.
fn is_reached(text: &Text, job: &Job, number: u32, runs: &Runs) -> bool {
    let (first, last) = step(text, job, number);
    (first..=last).all(|number| {
        let line = text.line(number).trim().trim_start_matches("- ");
        let condition = line.strip_prefix("if:").map(unquoted);
        condition.is_none_or(|condition| holds(condition, runs.event) != Some(false))
    })
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inner.unwrap_or(value)
}

/// Whether `word` stands in `command` as a word or words of its own, and not in an option.
fn has_word(command: &str, word: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    command.match_indices(word).any(|(at, found)| {
        let (before, after) = (&command[..at], &command[at + found.len()..]);
        let token = before.rsplit([' ', '\t', '=']).next().unwrap_or_default();
        let goes_on = (before.ends_with(is_of_word) && word.starts_with(is_of_word))
            || (after.starts_with(is_of_word) && word.ends_with(is_of_word));
        !goes_on && !token.starts_with('-')
    })
}

/// Targets of a Makefile that test are called as people like.
fn is_make_test(command: &str) -> bool {
    if !has_word(command, "make ") {
        return false;
    }
    let after = command.split_once("make ").map_or("", |(_, after)| after);
    after
        .split(' ')
        .any(|word| word.contains("test") && !word.contains('.'))
}

fn installs(command: &str) -> bool {
    [
        "install",
        "apt-get",
        "brew ",
        "pip ",
        "echo ",
        "config set",
        "actions/",
        "cache",
        "#",
        "choco",
        "uses: codecov",
    ]
    .iter()
    .any(|word| command.starts_with(word) || command.contains(" install "))
}

/// What a job runs: of `run:`, also of a block under it, and of actions that check.
fn commands(text: &Text, job: &Job) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut block: Option<usize> = None;
    for number in job.first..=job.last {
        let line = text.line(number);
        let blanks = line.len() - line.trim_start().len();
        let line = line.trim().trim_start_matches("- ").trim();
        if let Some(indent) = block {
            if blanks > indent || line.is_empty() {
                found.push((number, line.to_owned()));
                continue;
            }
            block = None;
        }
        if let Some(command) = line.strip_prefix("run:") {
            let command = command.trim();
            if command.starts_with(['|', '>']) {
                block = Some(blanks);
            } else {
                found.push((number, command.trim_matches(['"', '\'']).to_owned()));
            }
        } else if let Some(action) = line.strip_prefix("uses:") {
            let action = action.trim().split('@').next().unwrap_or_default();
            if ["golangci", "pre-commit/action", "ruff-action"]
                .iter()
                .any(|word| action.contains(word))
            {
                found.push((number, action.to_owned()));
            }
        }
    }
    found
}

/// The step around line `number`.
fn step(text: &Text, job: &Job, number: u32) -> (u32, u32) {
    let indent = |number: u32| {
        let line = text.line(number);
        line.len() - line.trim_start().len()
    };
    let is_item = |number: &u32| text.line(*number).trim_start().starts_with("- ");
    let within = indent(number);
    let first = (job.first..=number)
        .rev()
        .find(|n| is_item(n) && (*n == number || indent(*n) < within));
    let first = first.unwrap_or(number);
    let after = (first + 1..=job.last).find(|n| {
        let line = text.line(*n);
        !line.trim().is_empty() && indent(*n) <= indent(first)
    });
    let last = text.trimmed(first, after.unwrap_or(job.last + 1));
    (first, last.max(number))
}

/// Other services, and hooks.
fn elsewhere(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let places = [
        (".gitlab-ci.yml", "script:"),
        (".travis.yml", "script:"),
        ("azure-pipelines.yml", "steps:"),
        (".circleci/config.yml", "jobs:"),
        ("Jenkinsfile", "stages {"),
        (".pre-commit-config.yaml", "repos:"),
    ];
    for (place, key) in places {
        let Some(text) = survey.text_at(place) else {
            continue;
        };
        let Some((first, line)) = text.lines().find(|(_, line)| line.trim() == key) else {
            continue;
        };
        let blanks = line.len() - line.trim_start().len();
        let after = text.lines().skip_while(|(number, _)| *number <= first);
        let mut after = after.filter(|(_, line)| !line.trim().is_empty());
        let end = after.find(|(_, line)| {
            let indent = line.len() - line.trim_start().len();
            indent < blanks || (indent == blanks && !line.trim_start().starts_with("- "))
        });
        let last = text.trimmed(first, end.map_or(text.len() + 1, |(number, _)| number));
        let what = if key == "repos:" {
            "Hooks before a commit"
        } else {
            "What CI runs"
        };
        let candidate = Candidate::lines(Topic::Gate, &text, first, last);
        found.extend(candidate.map(|found| {
            let name = place.trim_start_matches('.').split(['.', '/']).next();
            let name = name.unwrap_or("ci").to_lowercase();
            found
                .named(name)
                .label(format!("{what} (`{place}`)"))
                .because(format!("`{place}` says what has to pass"))
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_by_whole_words() {
        for (command, word) in [
            ("cargo fmt --check", "fmt"),
            ("npm run lint:fix", "lint"),
            ("golangci-lint run", "lint"),
            ("./mvnw verify", "mvnw"),
        ] {
            assert!(has_word(command, word), "{command}");
        }
        for (command, word) in [
            ("gotestsum --format testname", "format"),
            ("x --fmt", "fmt"),
            ("./reformatter", "format"),
            ("cmake --build .", "make"),
        ] {
            assert!(!has_word(command, word), "{command}");
        }
    }
}
