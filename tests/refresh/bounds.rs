//! Budgets, cursors and modes.

use crate::support::{Sandbox, numbered};

const RUNBOOK: &str = "
schema_version: 1
id: long
steps:
  - { id: lines, uses: search, with: { pattern: 'line', max_matches: 500 } }
  - { id: whole, uses: read, with: { file: big.txt } }
outputs:
  - { id: lines, title: Lines, from: lines, limit: 100 }
  - { id: whole, title: Whole, from: whole }
";

/// Creates a repository with a runbook whose output is longer than most budgets.
pub(crate) fn long() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("runbooks/long.yaml", RUNBOOK)
        .write("big.txt", numbered(1, 300));
    sandbox
}

#[test]
fn no_output_exceeds_its_budget() {
    let sandbox = long();
    for format in ["text", "json", "tron", "markdown"] {
        for max in [600, 800, 1500, 4000, 20_000] {
            let answer = sandbox.windlass(&[
                "run",
                "long",
                "--format",
                format,
                "--max-chars",
                &max.to_string(),
            ]);
            let used = answer.succeeds().stdout.chars().count();
            assert!(used <= max, "{format}: {used} of {max}");
            assert!(
                used > max / 2 || max > 8000,
                "{format}: only {used} of {max} used"
            );
        }
    }
}

#[test]
fn too_small_budget_names_minimum() {
    let sandbox = long();
    let answer = sandbox
        .windlass(&["run", "long", "--max-chars", "10"])
        .exits_with(2);
    let least = answer
        .stderr
        .split("takes at least ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    sandbox
        .windlass(&["run", "long", "--max-chars", &least])
        .succeeds();
    assert!(
        answer.stderr.contains(&format!("the budget to {least}")),
        "{}",
        answer.stderr
    );
}

#[test]
fn tokens_are_counted_when_asked_for() {
    let sandbox = long();
    let pack = sandbox
        .windlass(&["run", "long", "--format", "json", "--max-tokens", "900"])
        .succeeds()
        .json();
    assert_eq!(pack["budget"]["max_tokens"], 900);
    assert_eq!(pack["budget"]["tokenizer"], "o200k_base");
    let used = pack["budget"]["used"].as_u64().unwrap();
    assert!((450..=900).contains(&used), "{used}");
}

#[test]
fn no_section_starves_another() {
    let sandbox = long();
    let pack = sandbox
        .windlass(&["run", "long", "--format", "json", "--max-chars", "4000"])
        .succeeds()
        .json();
    let size = |at: usize| pack["sections"][at]["items"].to_string().len();
    let (lines, whole) = (size(0), size(1));
    assert!(lines > 1000 && whole > 1000, "{lines} and {whole}");
}

#[test]
fn cursors_page_through_everything_once() {
    let sandbox = long();
    let first = sandbox
        .windlass(&["run", "long", "--format", "json", "--max-chars", "3000"])
        .succeeds()
        .json();
    let starts = |items: &serde_json::Value| -> Vec<u64> {
        let items = items.as_array().unwrap();
        items
            .iter()
            .map(|item| item["evidence"][0]["start_line"].as_u64().unwrap())
            .collect()
    };
    let mut seen = starts(&first["sections"][0]["items"]);
    let mut cursor = first["sections"][0]["next_cursor"]
        .as_str()
        .map(str::to_owned);
    while let Some(at) = cursor {
        let page = sandbox
            .windlass(&[
                "run",
                "--cursor",
                &at,
                "--format",
                "json",
                "--max-chars",
                "9000",
            ])
            .succeeds()
            .json();
        let section = &page["sections"][0];
        assert_eq!(page["digest"], first["digest"]);
        seen.extend(starts(&section["items"]));
        cursor = section["next_cursor"].as_str().map(str::to_owned);
    }
    let total = first["sections"][0]["total_items"].as_u64().unwrap();
    assert_eq!(seen.len() as u64, total);
    let mut sorted = seen.clone();
    sorted.dedup();
    assert_eq!(sorted.len(), seen.len(), "nothing is shown twice");
}

#[test]
fn printed_page_calls_can_be_run() {
    let sandbox = long();
    let mut call = "run long --max-chars 3000 --format markdown --response-mode full".to_owned();
    let mut pages = 0;
    loop {
        let words: Vec<&str> = call.split(' ').collect();
        let page = sandbox.windlass(&words).succeeds().stdout;
        assert!(
            page.chars().count() <= 3_000 && page.starts_with("# "),
            "{page}"
        );
        pages += 1;
        let next = page.split_once("windlass run --cursor ");
        let Some((_, rest)) = next else { break };
        call = format!("run --cursor {}", rest.split('`').next().unwrap());
        let options = " --max-chars 3000 --response-mode full --format markdown";
        assert!(call.ends_with(options), "{call}");
    }
    assert!(pages > 3, "{pages}");
}

#[test]
fn page_hides_changed_evidence() {
    let sandbox = long();
    let first = sandbox
        .windlass(&["run", "long", "--format", "json", "--max-chars", "3000"])
        .succeeds()
        .json();
    let cursor = first["sections"][0]["next_cursor"].as_str().unwrap();
    sandbox.write("big.txt", "nothing of it\n");
    let page = sandbox
        .windlass(&["run", "--cursor", cursor, "--format", "json"])
        .succeeds();
    assert!(!page.stdout.contains("line number"), "{}", page.stdout);
    assert_eq!(page.json()["sections"][0]["status"], "stale");
}

#[test]
fn unknown_cursor_names_the_remedy() {
    let sandbox = long();
    let first = sandbox
        .windlass(&["run", "long", "--format", "json", "--max-chars", "3000"])
        .succeeds()
        .json();
    let cursor = first["sections"][0]["next_cursor"].as_str().unwrap();
    std::fs::remove_dir_all(sandbox.home()).unwrap();
    let answer = sandbox.windlass(&["run", "--cursor", cursor]).exits_with(3);
    assert!(
        answer.stderr.contains("run the runbook again"),
        "{}",
        answer.stderr
    );
    sandbox
        .windlass(&["run", "--cursor", "nonsense"])
        .exits_with(2);
}

#[test]
fn digest_ignores_budget_and_format() {
    let sandbox = long();
    let digest = |args: &[&str]| {
        let args = [&["run", "long", "--format", "json"], args].concat();
        sandbox.windlass(&args).succeeds().json()["digest"].clone()
    };
    let reference = digest(&[]);
    assert_eq!(digest(&["--max-chars", "900"]), reference);
    assert_eq!(digest(&["--response-mode", "minimal"]), reference);
    sandbox.edit("big.txt", "line number 7\n", "line number seven\n");
    assert_ne!(digest(&[]), reference);
}

#[test]
fn modes_differ_in_size() {
    let sandbox = long();
    let size = |mode: &str| {
        let asked = ["--response-mode", mode];
        let call = [&["run", "long", "--max-chars", "90000"], &asked[..]].concat();
        let printed = sandbox.windlass(&call).succeeds().stdout;
        // Calls for further pages name the mode.
        printed.replace(&asked.join(" "), "").len()
    };
    assert!(size("minimal") < size("facts"));
    assert!(size("facts") <= size("full"));
}
