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
    // If git ran this conversion program, it would create the file `sprung`.
    sandbox.write(".git/info/attributes", "*.rs diff=evil\n");
    let program = format!("touch {}; cat", sprung.display());
    sandbox.run_git(&["config", "diff.evil.textconv", &program]);
    let cases = measure(&sandbox);
    // The lines are expected ten lines further down because of the uncommitted ones above.
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
fn printed_command_names_the_cases() {
    let sandbox = with_a_question(MESSAGE);
    let text = "schema_version = 1\n[[case]]\nid = \"ends it\"\nquestion = \"qqq zzz\"\n[[case.answer]]\nfile = \"src/other.rs\"\n\
                start_line = 3\nend_line = 5\n";
    std::fs::write(sandbox.outside().join("my cases.toml"), text).unwrap();
    let root = sandbox.root().to_str().unwrap();
    let page = sandbox.outside().join("page.html");
    let run = ["zoo", "run", "--repo", root, "--cases", "my cases.toml"];
    let outside = sandbox.outside();
    sandbox.windlass_in(&outside, &run).succeeds();
    let report = [
        "zoo",
        "report",
        "--repo",
        root,
        "--out",
        page.to_str().unwrap(),
    ];
    sandbox.windlass(&report).succeeds();
    let page = std::fs::read_to_string(page).unwrap();
    let command =
        "windlass zoo run --repo . --cases &#x27;my cases.toml&#x27; --case=&#x27;ends it&#x27;";
    assert!(page.contains(command), "{page}");
    assert!(!page.contains(root), "no absolute path is printed");
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
    // The last commit has rewritten the line in `sessions.rs`, so finding it is neither right nor
    // wrong.
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
echo "{{\"places\": [{{\"file\": \"$root/src/other.rs\", \"start_line\": 3, \"end_line\": 5}}]}}"
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
    assert!(seen.contains("debug_assert!"), "{seen}");
    // The history would give the answers away, and the folder could have the questions.
    assert!(
        !seen.contains(MESSAGE) && !seen.contains(".windlass") && !seen.contains("GIT_INDEX_FILE"),
        "{seen}"
    );
}

#[test]
fn invalid_answer_path_fails_its_case() {
    let sandbox = with_a_question(MESSAGE);
    let cases = sandbox.outside().join("cases.toml");
    let case = |id: &str, question: &str, file: &str| {
        format!(
            "[[case]]\nid = \"{id}\"\nquestion = \"{question}\"\n[[case.answer]]\nfile = \"{file}\"\nstart_line = 3\n\
             end_line = 5\n"
        )
    };
    let text = [
        case("a", "does the sum overflow", "./src/other.rs"),
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
    assert_eq!(ours.len(), 3);
    assert_eq!(ours[0]["values"]["mrr"], 1.0);
    for (case, why) in [
        (ours[1], "the question has no word"),
        (ours[2], "the answer file `src` does not exist"),
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
    // If the search could find the file with the questions, it would match each of them best.
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
