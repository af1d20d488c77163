//! Measuring on the user's own repository (`windlass zoo run --repo`).

use std::path::PathBuf;

use super::support::{self, Sandbox};
use super::{SESSIONS, repository};

/// Creates a repository with a commit to ask about, which wrote lines 3 to 5 of a file.
fn with_a_question(message: &str) -> Sandbox {
    let sandbox = repository();
    sandbox.edit(
        "src/other.rs",
        "    a + b",
        "    let sum = a + b;\n    debug_assert!(sum >= a);\n    sum",
    );
    sandbox.commit(message);
    sandbox
}

const MESSAGE: &str = "check that adding numbers does not overflow";

/// Measures the repository, and returns the cases of Windlass itself.
fn measure(sandbox: &Sandbox) -> Vec<serde_json::Value> {
    let root = sandbox.root().to_str().unwrap();
    let results = sandbox
        .windlass(&["zoo", "run", "--repo", root, "--format", "json"])
        .succeeds()
        .json();
    let cases = results["cases"].as_array().unwrap().clone();
    let ours = |case: &serde_json::Value| case["system"] == "windlass";
    cases.into_iter().filter(ours).collect()
}

/// Returns the path of the stored results, which must be the only ones.
fn stored_runs(sandbox: &Sandbox) -> PathBuf {
    let repos = sandbox.home().join(".local/state/windlass/repos");
    let mut repos = std::fs::read_dir(repos).unwrap();
    let found = repos.find_map(|repo| {
        let file = repo.unwrap().path().join("zoo/runs.json");
        file.exists().then_some(file)
    });
    found.unwrap()
}

#[test]
fn commit_subject_is_redacted() {
    let token = "ghp_x7Rk2mWq9TzB4nVc8LsY1dHf6JgP3aEu0KoX";
    let sandbox = with_a_question(&format!("{MESSAGE}, token {token}"));
    let root = sandbox.root().to_str().unwrap();
    assert_eq!(measure(&sandbox).len(), 1);
    assert!(
        !std::fs::read_to_string(stored_runs(&sandbox))
            .unwrap()
            .contains(token)
    );
    for format in ["html", "json", "markdown", "junit"] {
        let report = ["zoo", "report", "--repo", root, "--format", format];
        let printed = sandbox.windlass(&report).succeeds().stdout;
        assert!(!printed.contains(token), "{format}: {printed}");
        let out = sandbox.outside().join("report");
        sandbox
            .windlass(&[&report[..], &["--out", out.to_str().unwrap()]].concat())
            .succeeds();
        assert_eq!(std::fs::read_to_string(out).unwrap(), printed, "{format}");
    }
}

#[test]
fn expected_lines_follow_and_run_no_program() {
    let sandbox = with_a_question(MESSAGE);
    let sprung = sandbox.outside().join("sprung");
    let text = sandbox.read("src/other.rs");
    sandbox.write(
        "src/other.rs",
        format!("{}{text}", "// not committed\n".repeat(10)),
    );
    sandbox.write(".git/info/attributes", "*.rs diff=evil\n");
    let program = format!("touch {}; cat", sprung.display());
    sandbox.run_git(&["config", "diff.evil.textconv", &program]);
    let cases = measure(&sandbox);
    assert_eq!(
        cases[0]["expected"],
        serde_json::json!(["src/other.rs:13-15"])
    );
    assert_eq!(
        cases[0]["values"]["recall_at_2000_tokens"], 1.0,
        "{}",
        cases[0]
    );
    assert!(!sprung.exists(), "the repository started a program");
}

#[test]
fn history_without_questions_names_remedy() {
    let (without_git, without_commits) = (Sandbox::folder(), Sandbox::git());
    without_git.write("a.txt", "one\n");
    for (sandbox, why) in [
        (without_git, "not in a git repository"),
        (without_commits, "no commit of this repository"),
    ] {
        let root = sandbox.root().to_str().unwrap();
        let refused = sandbox
            .windlass(&["zoo", "run", "--repo", root])
            .exits_with(2);
        assert!(
            refused.stderr.contains(why)
                && refused.stderr.contains("--cases FILE")
                && !refused.stderr.contains("--help"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn results_stay_with_their_repository() {
    let sandbox = with_a_question(MESSAGE);
    measure(&sandbox);
    let other = sandbox.outside().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("a.rs"), SESSIONS).unwrap();
    let report = |folder: &str| {
        sandbox.windlass_in(
            &other,
            &["zoo", "report", "--repo", folder, "--format", "json"],
        )
    };
    let refused = report(".").exits_with(2);
    assert!(
        refused.stderr.contains("not measured yet"),
        "{}",
        refused.stderr
    );
    let samples = sandbox.windlass(&["zoo", "report"]).exits_with(2);
    assert!(samples.stderr.contains("--repo"), "{}", samples.stderr);
    let own = report(sandbox.root().to_str().unwrap()).succeeds();
    assert!(own.stdout.contains(MESSAGE));
}

#[test]
fn printed_command_repeats_one_case() {
    let sandbox = with_a_question(MESSAGE);
    let cases = sandbox.outside().join("my cases.toml");
    let text = "schema_version = 1\n[[case]]\nid = \"ends it\"\nquestion = \"qqq zzz\"\n[[case.answer]]\nfile = \"src/other.rs\"\n\
                start_line = 3\nend_line = 5\n";
    std::fs::write(&cases, text).unwrap();
    let gates = sandbox.outside().join("gates.toml");
    std::fs::write(
        &gates,
        "schema_version = 1\n[[gate]]\nmetric = \"mrr\"\nat_least = 1\n",
    )
    .unwrap();
    let told = sandbox
        .windlass_in(
            &sandbox.outside(),
            &[
                "zoo",
                "gate",
                "--repo",
                sandbox.root().to_str().unwrap(),
                "--cases",
                "my cases.toml",
                "--gates",
                "gates.toml",
                "--format",
                "json",
            ],
        )
        .exits_with(1)
        .json();
    let root = std::fs::canonicalize(sandbox.root()).unwrap();
    let command = told["broken"][0]["reproduce"].as_str().unwrap();
    // A root that isn't ASCII is quoted.
    let quoted = format!("'{}'", root.display());
    let command = command.replace(&quoted, &quoted[1..quoted.len() - 1]);
    assert_eq!(
        command,
        format!(
            "windlass zoo run --repo {} --cases '{}' --case='ends it'",
            root.display(),
            cases.display()
        )
    );
}

#[test]
fn results_are_shown_with_their_commit() {
    let sandbox = with_a_question(MESSAGE);
    measure(&sandbox);
    let commit = sandbox.run_git(&["rev-parse", "HEAD"]);
    sandbox.edit("src/other.rs", "    sum", "    sum + 0");
    sandbox.commit("more");
    let report = ["zoo", "report", "--repo", ".", "--format", "markdown"];
    let later = sandbox.windlass(&report).succeeds().stdout;
    assert!(
        later.contains(&format!("at commit {}", &commit[..10])),
        "{later}"
    );
}

#[test]
fn rewritten_lines_are_not_counted() {
    let sandbox = with_a_question(MESSAGE);
    sandbox.edit(
        "src/other.rs",
        "    sum\n",
        "    let twice = sum + sum;\n    twice\n",
    );
    sandbox.edit(
        "src/sessions.rs",
        "fn unrelated() -> u32 {",
        "fn unrelated() -> u64 {",
    );
    sandbox.commit("double what nobody asked for");
    sandbox.edit(
        "src/sessions.rs",
        "fn unrelated() -> u64 {",
        "fn unrelated() -> u8 {",
    );
    sandbox.commit("gofmt all of it at last");
    let cases = measure(&sandbox);
    assert!(
        cases
            .iter()
            .all(|case| case["asked"] != "gofmt all of it at last"),
        "{cases:?}"
    );
    let double = cases
        .iter()
        .find(|case| case["asked"] == "double what nobody asked for");
    let expected = &double.unwrap()["expected"];
    assert_eq!(
        *expected,
        serde_json::json!(["src/other.rs:5-6", "src/sessions.rs counts neither way"])
    );
}

#[test]
fn unreadable_results_are_left_alone() {
    let sandbox = with_a_question(MESSAGE);
    measure(&sandbox);
    let (file, root) = (stored_runs(&sandbox), sandbox.root().to_str().unwrap());
    let good = std::fs::read_to_string(&file).unwrap();
    for (text, why) in [
        ("{\"schema_version\": 1, \"runs\": [[".to_owned(), "column"),
        (
            good.replacen("\"schema_version\":1", "\"schema_version\":99", 1),
            "schema version 99",
        ),
    ] {
        std::fs::write(&file, &text).unwrap();
        let run = sandbox.windlass(&["zoo", "run", "--repo", root]).succeeds();
        assert!(
            run.stderr.contains("are not stored") && run.stderr.contains(why),
            "{}",
            run.stderr
        );
        assert!(
            run.stdout.contains("recall_at_2000_tokens"),
            "it is printed all the same"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        let report = sandbox.windlass(&["zoo", "report", "--repo", root]);
        assert!(
            report.code != 0 && report.stderr.contains(why),
            "{}",
            report.stderr
        );
    }
}

#[test]
fn own_repo_is_measured_and_reported() {
    let sandbox = repository();
    sandbox.edit(
        "src/other.rs",
        "    a + b",
        "    let sum = a + b;\n    debug_assert!(sum >= a);\n    sum",
    );
    sandbox.commit("check that adding numbers does not overflow");
    let root = sandbox.root().to_str().unwrap();
    let results = sandbox
        .windlass(&["zoo", "run", "--repo", root, "--format", "json"])
        .succeeds()
        .json();
    let cases = results["cases"].as_array().unwrap();
    let ours: Vec<_> = cases
        .iter()
        .filter(|case| case["system"] == "windlass")
        .collect();
    // The first commit also wrote a secret file, so it doesn't become a question.
    assert_eq!(ours.len(), 1);
    let asked = ours
        .iter()
        .find(|case| case["asked"] == "check that adding numbers does not overflow")
        .unwrap();
    assert_eq!(asked["expected"], serde_json::json!(["src/other.rs:3-5"]));
    assert_eq!(asked["values"]["success_at_1"], 1.0, "{asked}");
    let page = sandbox.outside().join("report.html");
    sandbox
        .windlass(&[
            "zoo",
            "report",
            "--repo",
            root,
            "--out",
            page.to_str().unwrap(),
        ])
        .succeeds();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1 case"));
}

#[cfg(unix)]
#[test]
fn external_system_sees_no_history() {
    let sandbox = with_a_question(MESSAGE);
    sandbox.write(".windlass/cases.toml", "of other questions\n");
    let (script, seen) = (
        sandbox.outside().join("system.sh"),
        sandbox.outside().join("seen"),
    );
    let text = format!(
        r#"read line
root=$(echo "$line" | sed 's/.*"root":"\([^"]*\)".*/\1/')
(git -C "$root" log --format=%s; ls -A "$root"; cat "$root/src/other.rs"; env | grep '^GIT_') >> {}
echo "{{\"id\": 1, \"places\": [{{\"file\": \"$root/src/other.rs\", \"start_line\": 3, \"end_line\": 5}}]}}"
"#,
        seen.display()
    );
    std::fs::write(&script, text).unwrap();
    let system = format!("mine=sh {}", script.display());
    let root = sandbox.root().to_str().unwrap();
    let run = [
        "zoo", "run", "--repo", root, "--system", &system, "--format", "json",
    ];
    let mut command = sandbox.command(sandbox.root(), &run);
    // The variables are set as in a hook of another repository.
    command.env("GIT_INDEX_FILE", sandbox.outside().join("index"));
    let json = support::answer(&mut command).succeeds().json();
    let cases = json["cases"].as_array().unwrap();
    let mine = cases.iter().find(|case| case["system"] == "mine").unwrap();
    assert_eq!(
        mine["shown"],
        serde_json::json!(["src/other.rs:3-5"]),
        "{mine}"
    );
    assert_eq!(mine["values"]["recall_at_2000_tokens"], 1.0, "{mine}");
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(
        seen.contains("the files as they are") && seen.contains("debug_assert!"),
        "{seen}"
    );
    assert!(
        !seen.contains(MESSAGE) && !seen.contains(".windlass") && !seen.contains("GIT_INDEX_FILE"),
        "{seen}"
    );
}

#[test]
fn answer_paths_are_relative_to_root() {
    let sandbox = with_a_question(MESSAGE);
    let cases = sandbox.outside().join("cases.toml");
    let case = |id: &str, question: &str, file: &str| {
        format!(
            "[[case]]\nid = \"{id}\"\nquestion = \"{question}\"\n[[case.answer]]\nfile = \"{file}\"\nstart_line = 3\n\
             end_line = 5\n"
        )
    };
    let absolute = std::fs::canonicalize(sandbox.root()).unwrap();
    let absolute = format!("{}/src/other.rs", absolute.display());
    let text = [
        case("a", "does the sum overflow", "./src/other.rs"),
        case("b", "does the sum overflow", &absolute),
        case("c", "", "src/other.rs"),
        case("d", "does the sum overflow", "src"),
    ];
    std::fs::write(&cases, format!("schema_version = 1\n{}", text.concat())).unwrap();
    let root = sandbox.root().to_str().unwrap();
    let cases = cases.to_str().unwrap();
    let run = [
        "zoo", "run", "--repo", root, "--cases", cases, "--format", "json",
    ];
    let json = sandbox.windlass(&run).succeeds().json();
    let ours = json["cases"].as_array().unwrap().iter();
    let ours: Vec<&serde_json::Value> = ours.filter(|case| case["system"] == "windlass").collect();
    assert_eq!(ours.len(), 4);
    assert_eq!(
        (&ours[0]["values"]["mrr"], &ours[1]["values"]["mrr"]),
        (&1.0.into(), &1.0.into())
    );
    for (case, why) in [
        (ours[2], "the question has no word"),
        (ours[3], "`src` is a folder"),
    ] {
        let failure = case["failure"].as_str().unwrap();
        assert!(failure.contains(why), "{failure}");
    }
}

#[cfg(unix)]
#[test]
fn report_follows_link_and_special_file() {
    let sandbox = with_a_question(MESSAGE);
    measure(&sandbox);
    let root = sandbox.root().to_str().unwrap();
    let at = |name: &str| sandbox.outside().join(name);
    let report = |out: &std::path::Path| {
        let args = [
            "zoo", "report", "--repo", root, "--format", "markdown", "--out",
        ];
        sandbox.windlass(&[&args[..], &[out.to_str().unwrap()]].concat())
    };
    std::fs::write(at("file"), "old").unwrap();
    std::os::unix::fs::symlink("file", at("link")).unwrap();
    report(&at("link")).succeeds();
    assert!(at("link").is_symlink());
    let written = std::fs::read_to_string(at("file")).unwrap();
    assert!(written.starts_with("## Windlass zoo: repo\n"), "{written}");
    let printed = report("/dev/stdout".as_ref()).succeeds().stdout;
    assert_eq!(printed, written);
    assert!(
        std::path::Path::new("/dev/stdout").is_symlink(),
        "it is what it was"
    );
    let folder = report(&sandbox.outside()).exits_with(1);
    assert!(
        folder.stderr.contains("a folder is in place of a file"),
        "{}",
        folder.stderr
    );
}

#[test]
fn gates_apply_to_own_repository() {
    let sandbox = with_a_question(MESSAGE);
    let root = sandbox.root().to_str().unwrap();
    let good = "[[gate]]\nmetric = \"recall_at_2000_tokens\"\nat_least = 1.0\n";
    let bad = "[[gate]]\nmetric = \"recal\"\nat_least = 1\n";
    let gates = sandbox.root().join("gates.toml");
    let gates = gates.to_str().unwrap();
    let gate = [
        "zoo", "gate", "--repo", root, "--gates", gates, "--format", "json",
    ];
    sandbox.write("gates.toml", format!("schema_version = 1\n{bad}{good}"));
    let told = sandbox.windlass(&gate).exits_with(2);
    for part in ["unknown metric `recal`", "gates.toml:3:10"] {
        assert!(told.stderr.contains(part), "{}", told.stderr);
    }
    sandbox.write("gates.toml", format!("schema_version = 1\n{good}"));
    let json = sandbox.windlass(&gate).succeeds().json();
    assert_eq!(json["held"][0]["metric"], "recall_at_2000_tokens");
    let name = json["cases"][0]["archetype"].as_str().unwrap();
    let mean = &json["summaries"][name]["windlass"]["recall_at_2000_tokens"]["mean"];
    assert_eq!(*mean, 1.0);
    let report = ["zoo", "report", "--repo", root, "--format", "json"];
    let report = sandbox.windlass(&report).succeeds().json();
    assert_eq!(report["held"], json["held"], "the report shows gates, too");
    let shipped = ["zoo", "gate", "--repo", root, "--format", "json"];
    let shipped = sandbox.windlass(&shipped).json();
    let is_of_it = |one: &serde_json::Value| one["archetype"] == json["cases"][0]["archetype"];
    assert!(shipped["held"].as_array().unwrap().iter().all(is_of_it));
}

#[test]
fn own_cases_run_and_bad_one_fails_alone() {
    let sandbox = repository();
    sandbox.write(
        ".windlass/cases.toml",
        "schema_version = 1\n\
         [[case]]\nid = \"idle\"\nquestion = \"who logs out idle sessions\"\n\
         [[case.answer]]\nfile = \"src/sessions.rs\"\nstart_line = 3\nend_line = 7\n\
         [[case]]\nid = \"wrong\"\nquestion = \"who adds\"\n\
         [[case.answer]]\nfile = \"src/nope.rs\"\nstart_line = 1\nend_line = 2\n",
    );
    let root = sandbox.root().to_str().unwrap();
    let cases = sandbox.root().join(".windlass/cases.toml");
    let run = [
        "zoo",
        "run",
        "--repo",
        root,
        "--cases",
        cases.to_str().unwrap(),
    ];
    let told = sandbox
        .windlass(&[&run[..], &["--format", "json"]].concat())
        .succeeds();
    let json = told.json();
    let ours = |name: &str| {
        let mut all = json["cases"].as_array().unwrap().iter();
        all.find(|case| case["case"] == name && case["system"] == "windlass")
            .unwrap()
            .clone()
    };
    assert_eq!(ours("idle")["values"]["recall_at_2000_tokens"], 1.0);
    let why = "invalid case: the answer file `src/nope.rs` does not exist";
    let wrong = ours("wrong")["failure"].clone();
    assert!(wrong.as_str().unwrap().contains(why), "{wrong}");
    assert!(
        told.stderr
            .contains("warning: `windlass` failed in 1 case; the first: invalid case"),
        "{}",
        told.stderr
    );
    let seen = sandbox.root().join("cases.toml");
    std::fs::copy(&cases, &seen).unwrap();
    let refused = [
        "zoo",
        "run",
        "--repo",
        root,
        "--cases",
        seen.to_str().unwrap(),
    ];
    let refused = sandbox.windlass(&refused).exits_with(2);
    assert!(
        refused
            .stderr
            .contains("`cases.toml` contains the questions"),
        "{}",
        refused.stderr
    );
    let samples = sandbox.windlass(&["zoo", "run", "--cases", "cases.toml"]);
    assert_eq!(samples.code, 2, "{}", samples.stderr);
}

#[test]
fn written_sample_runs_by_its_cases() {
    let sandbox = repository();
    let folder = sandbox.outside().join("sample");
    let folder = folder.to_str().unwrap();
    sandbox
        .windlass(&["zoo", "sample", "changing", folder])
        .succeeds();
    let cases = format!("{folder}/.windlass/cases.toml");
    let run = [
        "zoo",
        "run",
        "--repo",
        folder,
        "--cases",
        &cases,
        "--case",
        "backoff-1",
        "--format",
        "json",
    ];
    let json = sandbox.windlass(&run).succeeds().json();
    assert_eq!(json["cases"].as_array().unwrap().len(), 4);
    assert_eq!(json["cases"][0]["values"]["recall_at_2000_tokens"], 1.0);
    let twice = sandbox
        .windlass(&["zoo", "sample", "changing", folder])
        .exits_with(2);
    assert!(
        twice.stderr.contains("not an empty folder"),
        "{}",
        twice.stderr
    );
}

#[test]
fn argument_errors_precede_measuring() {
    let sandbox = with_a_question(MESSAGE);
    let root = sandbox.root().to_str().unwrap();
    sandbox.write(
        "gates.toml",
        "schema_version = 1\n[[gate]]\nmetric = \"mrr\"\nat_least = 2.0\n",
    );
    sandbox.write("broken.json", "{");
    let at = |name: &str| sandbox.root().join(name).to_str().unwrap().to_owned();
    let gates = at("gates.toml");
    let gate = |more: &[&str]| {
        let gate = ["zoo", "gate", "--repo", root, "--gates", &gates];
        sandbox.windlass(&[&gate[..], more].concat())
    };
    for (more, why) in [
        (["--changelog", &gates], "needs a baseline"),
        (["--system", "mine=/no/such/program"], "cannot be started"),
        (["--write-baseline", &at("broken.json")], "broken.json"),
        (
            ["--write-baseline", &at("nowhere/b.json")],
            "no such folder",
        ),
    ] {
        let told = gate(&more);
        assert!(
            told.code != 0 && told.stderr.contains(why),
            "{more:?}: {}",
            told.stderr
        );
        assert_eq!(told.stdout, "", "{more:?}");
    }
    // A failed gate is reported, but doesn't stop the baseline from being written.
    let file = sandbox.outside().join("b.json");
    let written = gate(&["--write-baseline", file.to_str().unwrap()]).exits_with(1);
    assert!(
        written
            .stderr
            .contains("1 gate failed regardless of the baseline")
            && written.stderr.contains("add to the changelog: `zoo "),
        "{}",
        written.stderr
    );
    let baseline = std::fs::read_to_string(file).unwrap();
    assert!(
        baseline.contains("\"changes\": \"first baseline\""),
        "{baseline}"
    );
    // Failed gates are shown until there's a run without gates.
    let report = ["zoo", "report", "--repo", root, "--format", "markdown"];
    let broken = |printed: &str| printed.contains("**Failed gates: 1.**");
    assert!(broken(&sandbox.windlass(&report).succeeds().stdout));
    measure(&sandbox);
    assert!(!broken(&sandbox.windlass(&report).succeeds().stdout));
}

#[cfg(unix)]
#[test]
fn reproducing_command_is_location_free() {
    let sandbox = with_a_question(MESSAGE);
    let script = "while read line; do id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); echo \"{\\\"id\\\": $id}\"; done\n";
    std::fs::write(sandbox.outside().join("mine.sh"), script).unwrap();
    sandbox.write(
        "gates.toml",
        "schema_version = 1\n[[gate]]\nmetric = \"falsely_nothing\"\nahead_of = [\"mine\"]\n",
    );
    let root = sandbox.root().to_str().unwrap();
    let gates = sandbox.root().join("gates.toml");
    let gate = [
        "zoo",
        "gate",
        "--repo",
        root,
        "--gates",
        gates.to_str().unwrap(),
        "--system",
        "mine=sh mine.sh",
        "--patience",
        "30",
        "--format",
        "json",
    ];
    let told = sandbox
        .windlass_in(&sandbox.outside(), &gate)
        .exits_with(1)
        .json();
    let reproduce = told["broken"][0]["reproduce"].as_str().unwrap();
    let script = std::fs::canonicalize(sandbox.outside())
        .unwrap()
        .join("mine.sh");
    assert!(
        reproduce.contains(&format!("'mine=sh {}'", script.display()))
            && reproduce.ends_with(" --timeout 30"),
        "{reproduce}"
    );
    let few = told["broken"][0]["is"].as_str().unwrap();
    assert!(
        few.ends_with("only 1 independent case, 6 are needed"),
        "{few}"
    );
}

/// Writes a question about the repository, and a gate with a baseline.
fn with_a_baseline(sandbox: &Sandbox) -> [String; 3] {
    let outside = sandbox.outside();
    let cases = "schema_version = 1\n[[case]]\nid = \"idle\"\nquestion = \"who logs out idle sessions\"\n\
                 [[case.answer]]\nfile = \"src/sessions.rs\"\nstart_line = 3\nend_line = 7\n";
    std::fs::write(outside.join("cases.toml"), cases).unwrap();
    let gates = "schema_version = 1\nsame_as_baseline = true\n\
                 [[gate]]\nmetric = \"mrr\"\nlose_at_most = 0.0\n";
    std::fs::write(outside.join("gates.toml"), gates).unwrap();
    let names = ["cases.toml", "gates.toml", "base.json"];
    let files = names.map(|name| outside.join(name).to_str().unwrap().to_owned());
    let [cases, gates, base] = &files;
    let root = sandbox.root().to_str().unwrap();
    let write = [
        "zoo",
        "gate",
        "--repo",
        root,
        "--cases",
        cases,
        "--gates",
        gates,
        "--write-baseline",
        base,
    ];
    sandbox.windlass(&write).exits_with(1);
    files
}

#[test]
fn baseline_is_bound_to_repo_and_cases() {
    let sandbox = repository();
    let [cases, gates, base] = with_a_baseline(&sandbox);
    let clone = sandbox.outside().join("called otherwise");
    let clone = clone.to_str().unwrap();
    sandbox.run_git(&["clone", "--quiet", ".", clone]);
    let gate = |root: &str, cases: &str| {
        let gate = [
            "zoo",
            "gate",
            "--repo",
            root,
            "--cases",
            cases,
            "--gates",
            &gates,
            "--baseline",
            &base,
            "--format",
            "json",
        ];
        sandbox.windlass(&gate)
    };
    let held = gate(clone, &cases).succeeds().json();
    assert_eq!(held["held"].as_array().unwrap().len(), 2, "{held}");
    let text = std::fs::read_to_string(&cases).unwrap();
    let others = sandbox.outside().join("others.toml");
    std::fs::write(&others, text.replace("who logs out", "what ends")).unwrap();
    let told = |answer: crate::support::Answer| {
        let json = answer.exits_with(1).json();
        assert_eq!(json["held"], serde_json::json!([]), "nothing is compared");
        json["broken"][0]["is"].as_str().unwrap().to_owned()
    };
    let asked = told(gate(clone, others.to_str().unwrap()));
    assert!(
        asked.starts_with("the baseline is of other questions"),
        "{asked}"
    );
    // Another repository has the same files, in a folder of the same name.
    let other = Sandbox::git();
    other.write("src/sessions.rs", SESSIONS);
    other.commit("of somebody else");
    let moved = told(gate(other.root().to_str().unwrap(), &cases));
    assert!(
        moved.starts_with("the baseline is of another repository"),
        "{moved}"
    );
}
