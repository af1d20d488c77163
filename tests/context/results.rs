//! Test results and failures in packs.

use serde_json::{Value, json};

use crate::{GOAL, built, failing, names, sample};

#[test]
fn results_of_any_name_and_folder_are_read() {
    let sandbox = sample();
    let tap = "TAP version 13\n1..1\nnot ok 1 - a\n";
    for name in ["r.tap", "results", "r.json"] {
        let file = sandbox.outside().join(name);
        std::fs::write(&file, tap).unwrap();
        let pack = built(&sandbox, &["--results", file.to_str().unwrap()]);
        assert_eq!(names(&pack, "/delta/failures", "id"), ["a"], "{name}");
    }
    // A file with a secret name is never read, not even as results.
    let key = sandbox.outside().join("id_rsa");
    std::fs::write(&key, tap).unwrap();
    let args = ["pack", "build", GOAL, "--results", key.to_str().unwrap()];
    let refused = sandbox.windlass(&args);
    assert!(
        refused.stderr.contains("is secret by the rule"),
        "{}",
        refused.stderr
    );
}

#[test]
fn go_places_map_to_repository_paths() {
    let sandbox = sample();
    let text = "package m\n\nfunc TestA() {}\n";
    sandbox
        .write("go.mod", "module example.com/m\n\ngo 1.20\n")
        .write("tools/go.mod", "module example.com/m/tools // apart\n")
        .write("web/api/go.mod", "module \"other.org/api\"\n");
    let places = [
        ("example.com/m", "a_test.go"),
        ("example.com/m/sub", "sub/b_test.go"),
        ("example.com/m/tools", "tools/c_test.go"),
        ("other.org/api/v", "web/api/v/d_test.go"),
    ];
    let mut said = String::new();
    for (package, path) in places {
        sandbox.write(path, text);
        let file = path.rsplit('/').next().unwrap();
        said.push_str(&format!(
            "=== RUN   TestA\n    {file}:3: bad\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\t{package}\t0.066s\n"
        ));
    }
    let gone = "=== RUN   TestA\n    e_test.go:3: bad\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/n\t0.066s\nFAIL\n";
    sandbox
        .write("out.txt", format!("{said}{gone}"))
        .commit("two");
    let pack = built(&sandbox, &["--results", "out.txt"]);
    let failures = pack["delta"]["failures"].as_array().unwrap();
    let found: Vec<&str> = failures
        .iter()
        .map(|failure| failure["places"][0].as_str().unwrap())
        .collect();
    let mut expected: Vec<String> = places.map(|(_, path)| format!("{path}:3")).to_vec();
    // This package belongs to none of the repository's modules.
    expected.push("example.com/n/e_test.go:3".to_owned());
    assert_eq!(found, expected);
    let files = names(&pack, "/relevantFiles", "path");
    assert!(files.contains(&"web/api/v/d_test.go"), "{files:?}");
    let rebuilt = sandbox.windlass(&["pack", "rebuild", "last"]).succeeds();
    assert!(rebuilt.stdout.contains("reproduced"), "{}", rebuilt.stdout);
}

#[test]
fn failure_named_two_ways_is_listed_once() {
    let sandbox = sample();
    let printed = "=================================== FAILURES ===================================\n\
        FAILED tests/test_retry.py::test_thrice - assert 1 == 3\n\
        FAILED tests/test_retry.py::test_once - boom\n\
        ========================= 2 failed in 0.01s =========================\n";
    let case = |name: &str, says: &str| {
        format!(
            "<testcase classname=\"tests.test_retry\" name=\"{name}\"><failure message=\"{says}\">src/retry.rs:4: {says}</failure></testcase>"
        )
    };
    let cases = [
        case("test_thrice", "AssertionError: assert 1 == 3"),
        case("test_once", "quite another thing"),
    ];
    let junit = format!("<testsuite name=\"pytest\">{}</testsuite>", cases.concat());
    sandbox.write("out.txt", printed).write("out.xml", junit);
    let pack = built(&sandbox, &["--results", "out.txt", "--results", "out.xml"]);
    // A failure with a different message may belong to a different run.
    let once = "tests/test_retry.py::test_once";
    let mut ids = names(&pack, "/delta/failures", "id");
    ids.sort_unstable();
    let thrice = "tests/test_retry.py::test_thrice";
    assert_eq!(ids, ["tests.test_retry::test_once", once, thrice]);
    let failures = pack["delta"]["failures"].as_array().unwrap();
    let both = failures.iter().find(|it| it["id"] == thrice).unwrap();
    assert!(
        both["places"].to_string().contains("src/retry.rs:4"),
        "{both}"
    );
}

#[test]
fn unknown_results_are_reported() {
    let sandbox = sample();
    sandbox.write("notes.txt", "# Notes\n\nNothing to see.\n");
    let args = [
        "pack",
        "build",
        GOAL,
        "--results",
        "notes.txt",
        "--format",
        "json",
    ];
    let told = sandbox.windlass(&args).succeeds();
    assert!(
        told.stderr.contains("`notes.txt` is not in a known format"),
        "{}",
        told.stderr
    );
    let artifacts = told.json()["artifacts"].to_string();
    assert!(
        artifacts.contains("not recognised as test results"),
        "{artifacts}"
    );
    sandbox.write("bin.out", [0u8, 1, 2, 255].as_slice());
    let refused = sandbox
        .windlass(&["pack", "build", GOAL, "--results", "bin.out"])
        .exits_with(1);
    assert!(refused.stderr.contains("binary"), "{}", refused.stderr);
}

#[test]
fn incomplete_results_resolve_nothing() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["a", "b"]));
    let first = built(&sandbox, &["--results", "out.txt"]);
    let since = ["--since", first["packId"].as_str().unwrap()];
    let passes = "running 2 tests\ntest a ... ok\ntest b ... ok\n";
    let whole = format!("{passes}\ntest result: ok. 2 passed; 0 failed; 0 ignored\n");
    // Results that are cut, empty, unrecognised, or from another file.
    for (name, text) in [
        ("out.txt", passes),
        ("out.txt", ""),
        ("out.txt", "All is well, I think.\n"),
        ("other.txt", &whole),
    ] {
        sandbox.write(name, text);
        let pack = built(&sandbox, &[&["--results", name], &since[..]].concat());
        let resolved = &pack["delta"]["resolved"];
        assert!(resolved.is_null(), "{name}: {text}: {resolved}");
        if text == passes {
            let failures = names(&pack, "/delta/failures", "id");
            assert_eq!(failures, ["cargo test did not end"]);
            let said = pack["artifacts"].to_string();
            assert!(said.contains("not all was run"), "{said}");
        }
    }
    sandbox.write("out.txt", whole.as_str());
    let pack = built(&sandbox, &[&["--results", "out.txt"], &since[..]].concat());
    assert_eq!(pack["delta"]["resolved"], json!(["a", "b"]));
    // A test that wasn't run isn't resolved.
    let part = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out\n";
    sandbox.write("out.txt", part);
    let pack = built(&sandbox, &[&["--results", "out.txt"], &since[..]].concat());
    assert_eq!(pack["delta"]["resolved"], json!(["a"]));
    let told = "`out.txt` does not show if the failures of the earlier pack were run and passed: `b`; pass results that name passed tests, such as JUnit XML";
    assert_eq!(pack["sourceNotes"], json!([told]));
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
}

#[test]
fn excess_failures_are_counted() {
    let sandbox = sample();
    let many: Vec<String> = (0..230).map(|at| format!("test_{at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    sandbox.write("out.txt", failing(&many));
    let pack = built(
        &sandbox,
        &["--results", "out.txt", "--max-tokens", "100000"],
    );
    assert_eq!(names(&pack, "/delta/failures", "id").len(), 200);
    assert_eq!(pack["delta"]["moreFailures"], 30);
    let shown = ["pack", "show", "last", "--format", "markdown"];
    let shown = sandbox.windlass(&shown).succeeds().stdout;
    assert!(shown.contains("- 30 more, not listed\n"), "{shown}");
}

fn printed(passed: &[&str], failed: &[&str]) -> String {
    let named = passed.iter().map(|name| format!("test {name} ... ok\n"));
    format!(
        "{}{}",
        named.collect::<String>(),
        failing(failed).replace("5 passed", &format!("{} passed", passed.len()))
    )
}

#[test]
fn test_in_two_files_is_counted_once() {
    let sandbox = sample();
    sandbox
        .write("one.txt", printed(&["a", "b", "c"], &["d", "e"]))
        .write("two.txt", printed(&["a", "b", "c", "f"], &["d"]))
        .write("dots.txt", "test_a.py .F [100%]\n=== short test summary info ===\nFAILED test_a.py::test_b - no\n=== 1 failed, 1 passed in 0.12s ===\n");
    let counts = |pack: &serde_json::Value| {
        let tests = &pack["delta"]["tests"];
        (tests["passed"].as_u64(), tests["failed"].as_u64())
    };
    // `d` and `e` each fail in only one of the files.
    let results = ["--results", "one.txt", "--results", "two.txt"];
    let both = built(&sandbox, &results);
    assert_eq!(counts(&both), (Some(4), Some(2)));
    assert!(both["delta"].get("failuresAtLeast").is_none());
    let shown = both["delta"]["runs"].as_array().unwrap();
    assert!(
        shown.iter().all(|run| run.get("names").is_none()),
        "{shown:?}"
    );
    let again = built(&sandbox, &["--results", "one.txt", "--results", "one.txt"]);
    assert_eq!(counts(&again), (Some(3), Some(2)));
    // Merging packs of these files gives the same counts.
    for name in ["one", "two", "dots"] {
        let (results, out) = (format!("{name}.txt"), format!("{name}.json"));
        built(&sandbox, &["--results", &results, "--out", &out]);
    }
    let merged = |names: &[&str]| {
        let command = [&["pack", "merge", "--format", "json"], names].concat();
        sandbox.windlass(&command).succeeds().json()
    };
    let pack = merged(&["one.json", "two.json"]);
    assert_eq!(counts(&pack), (Some(4), Some(2)));
    assert!(pack["delta"].get("failuresAtLeast").is_none());
    // Without the passed tests' names, the merged pack has no counts.
    let pack = merged(&["one.json", "dots.json"]);
    assert_eq!(counts(&pack), (None, None));
    assert!(pack["delta"].get("failuresAtLeast").is_none());
}

/// Returns a report of two suites that have a test of the same name. `a` and `b` are true if it
/// fails in that suite.
fn suites(a: bool, b: bool) -> String {
    let case = |suite: &str, is_bad: bool| {
        let wrong = if is_bad {
            "<failure message=\"left is 1\"/>"
        } else {
            ""
        };
        format!(
            "<testsuite name=\"{suite}\"><testcase name=\"works\">{wrong}</testcase></testsuite>\n"
        )
    };
    format!(
        "<?xml version=\"1.0\"?>\n<testsuites>\n{}{}</testsuites>\n",
        case("a", a),
        case("b", b)
    )
}

#[test]
fn same_named_tests_differ_by_suite() {
    let sandbox = sample();
    let of = |pack: &serde_json::Value| -> Vec<String> {
        let all = names(pack, "/delta/failures", "id").into_iter();
        all.map(str::to_owned).collect()
    };
    sandbox.write("out.xml", suites(true, true));
    let one = built(&sandbox, &["--results", "out.xml"]);
    assert_eq!(of(&one), ["works (a)", "works (b)"]);
    sandbox.write("out.xml", suites(false, true));
    let since = ["--since", one["packId"].as_str().unwrap()];
    let two = built(&sandbox, &[&["--results", "out.xml"], &since[..]].concat());
    assert_eq!(of(&two), ["works (b)"]);
    assert_eq!(two["delta"]["failures"][0]["new"], false);
    assert_eq!(two["delta"]["resolved"], json!(["works (a)"]));
}

#[test]
fn lint_findings_have_repository_paths() {
    let sandbox = sample();
    let text = format!(
        "\n{}\n  2:1   error    'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)\n",
        sandbox.root().join("src/retry.rs").display()
    );
    sandbox.write("lint.txt", text);
    let pack = built(&sandbox, &["--results", "lint.txt"]);
    let failures = names(&pack, "/delta/failures", "id");
    assert_eq!(failures, ["src/retry.rs:2: no-undef"]);
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
}

#[test]
fn foreign_root_places_map_to_repository() {
    let sandbox = sample();
    let here = sandbox.root().join("src/retry.rs");
    let text = format!(
        "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n\
         thread 'a' panicked at {}:3:5:\nno\n  at src/retry.rs:3\n  at /home/ci/build/src/other.rs:1\n  at /opt/tool/run.rs:9\n\n\
         failures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n",
        here.display()
    );
    sandbox.write("out.txt", text);
    let pack = built(&sandbox, &["--results", "out.txt"]);
    let failure = &pack["delta"]["failures"][0];
    // `/home/ci/build` is the root on another machine, while `/opt/tool/run.rs` has no counterpart
    // here.
    assert_eq!(
        failure["places"],
        json!(["src/retry.rs:3", "src/other.rs:1"]),
        "{failure}"
    );
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
}

#[test]
fn omitted_results_are_noted() {
    let sandbox = sample();
    sandbox.write("run-1.txt", failing(&["a", "b"])).write(
        "run-2.txt",
        "test a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
    );
    let first = built(&sandbox, &["--results", "run-1.txt"]);
    let since = ["--since", first["packId"].as_str().unwrap()];
    let notes = |pack: &Value| -> Vec<String> {
        let notes = pack["sourceNotes"].as_array().into_iter().flatten();
        notes.map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let told = "`run-1.txt` was not passed again, so it is unknown if the failures of the earlier pack remain";
    for results in [&["--results", "run-2.txt"][..], &[]] {
        let pack = built(&sandbox, &[results, &since[..]].concat());
        assert!(pack["delta"]["resolved"].is_null(), "{pack}");
        assert_eq!(notes(&pack), [told]);
        // The note follows from the earlier pack, so a rebuild doesn't check it.
        let id = pack["packId"].as_str().unwrap();
        sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    }
    // Failures are known even if they're in other results, or in the same file given again.
    sandbox.write("run-2.txt", failing(&["a", "b"]));
    for results in ["run-2.txt", "run-1.txt"] {
        let pack = built(&sandbox, &[&["--results", results], &since[..]].concat());
        assert_eq!(notes(&pack), Vec::<String>::new(), "{results}");
    }
}

#[test]
fn failure_in_two_files_needs_both_fixed() {
    let sandbox = sample();
    let well = "test a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    sandbox.write("py310.txt", failing(&["a"]));
    sandbox.write("py312.txt", failing(&["a"]));
    let both = ["--results", "py310.txt", "--results", "py312.txt"];
    let first = built(&sandbox, &both);
    assert_eq!(names(&first, "/delta/failures", "id"), ["a"]);
    let since = ["--since", first["packId"].as_str().unwrap()];
    sandbox.write("py310.txt", well);
    let pack = built(&sandbox, &[&both[..2], &since[..]].concat());
    // Only one of the two files shows that `a` passes now.
    assert!(pack["delta"]["resolved"].is_null(), "{pack}");
    let notes = pack["sourceNotes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0]
            .as_str()
            .unwrap()
            .starts_with("`py312.txt` was not passed again")
    );
    sandbox.write("py312.txt", well);
    let pack = built(&sandbox, &[&both[..], &since[..]].concat());
    assert_eq!(pack["delta"]["resolved"], json!(["a"]));
}

#[test]
fn omitted_results_share_one_note() {
    let sandbox = sample();
    let names: Vec<String> = (1..6).map(|n| format!("run-{n}.txt")).collect();
    let mut args = Vec::new();
    for name in &names {
        sandbox.write(name, failing(&[name]));
        args.extend(["--results", name]);
    }
    let first = built(&sandbox, &args);
    let pack = built(&sandbox, &["--since", first["packId"].as_str().unwrap()]);
    let told = "`run-1.txt`, `run-2.txt`, `run-3.txt`, 2 more were not passed again, so it is unknown if the failures of the earlier pack remain";
    assert_eq!(pack["sourceNotes"], json!([told]));
}
