use serde_json::json;

use crate::support::{Sandbox, answer};
use crate::{GOAL, built, failing, names, sample};

#[test]
fn build_finds_documents_failures_changes() {
    let sandbox = sample();
    sandbox.edit("src/retry.rs", "once()", "twice()");
    sandbox.write("out.txt", failing(&["retry::thrice"]));
    let pack = built(
        &sandbox,
        &["--results", "out.txt", "--constraint", "deps=none"],
    );
    assert_eq!(
        names(&pack, "/docRefs", "path"),
        ["docs/ACCEPTANCE.md", "docs/PLAN.md"]
    );
    // The whole plan is shown, not just a section of it.
    assert_eq!(pack["docRefs"][1]["anchors"], json!(null));
    assert_eq!(
        pack["definitionOfDone"],
        json!(["a step is retried three times", "the log says so"])
    );
    assert_eq!(pack["delta"]["failures"][0]["id"], "retry::thrice");
    assert_eq!(
        pack["delta"]["failures"][0]["places"],
        json!(["src/retry.rs:4"])
    );
    assert_eq!(names(&pack, "/delta/files", "path"), ["src/retry.rs"]);
    assert!(
        pack["delta"]["files"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("+    twice()")
    );
    let files = names(&pack, "/relevantFiles", "path");
    assert_eq!(files[0], "src/retry.rs");
    assert!(
        files.contains(&"src/lib.rs")
            && !files.contains(&"src/other.rs")
            && !files.contains(&"out.txt"),
        "{files:?}"
    );
    let origins = pack["provenance"]["items"].as_array().unwrap();
    let of = |item: &str| origins.iter().find(|it| it["item"] == item).unwrap();
    let why = of("relevantFiles/src/retry.rs")["why"].to_string();
    assert!(
        why.contains("owned by @rust") && why.contains("it changed"),
        "{why}"
    );
    let span = &of("docRefs/docs/PLAN.md")["source"]["spans"][0];
    assert_eq!(
        (&span["start_line"], &span["end_line"]),
        (&json!(1), &json!(11))
    );
    assert!(!pack.to_string().contains(sandbox.root().to_str().unwrap()));
    let file = sandbox.outside().join("pack.json");
    std::fs::write(&file, pack.to_string()).unwrap();
    sandbox
        .windlass(&["check", file.to_str().unwrap()])
        .succeeds();
}

#[test]
fn same_state_makes_same_pack_anywhere() {
    let sandbox = sample();
    let here = built(&sandbox, &[]);
    assert_eq!(here["packId"], built(&sandbox, &[])["packId"]);
    let clone = sandbox.cloned();
    assert_eq!(here["packId"], built(&clone, &[])["packId"]);
    let below = sandbox.windlass_in(
        &sandbox.root().join("src"),
        &["pack", "build", GOAL, "--format", "json"],
    );
    assert_eq!(here["packId"], below.succeeds().json()["packId"]);
    assert_ne!(
        here["packId"],
        built(&sandbox, &["--constraint", "a=b"])["packId"]
    );
}

#[test]
fn budget_is_kept_or_refused() {
    let sandbox = sample();
    for format in ["json", "tron", "markdown", "text"] {
        let full = ["pack", "build", GOAL, "--format", format, "--max-chars"];
        let small = sandbox
            .windlass(&[&full[..], &["10"]].concat())
            .exits_with(2);
        // The refusal names the smallest budget that's enough, so this budget has to work.
        let least = small.stderr.split("raise the budget to ").nth(1).unwrap();
        let least: usize = least.split(' ').next().unwrap().parse().unwrap();
        for max in [least, least + 300, least + 900] {
            let answer = sandbox
                .windlass(&[&full[..], &[&max.to_string()]].concat())
                .succeeds();
            assert!(
                answer.stdout.chars().count() <= max,
                "{format} {max}\n{}",
                answer.stdout
            );
            assert!(answer.stdout.contains("docs/PLAN.md"));
        }
    }
    // The stored pack still has the parts cut from the output by the budget.
    let shown = sandbox
        .windlass(&["pack", "show", "--format", "markdown"])
        .succeeds();
    assert!(shown.stdout.contains("retry::again();") || shown.stdout.contains("pub fn again()"));
}

#[test]
fn changes_count_from_commit_or_pack() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["a", "b"]));
    let first = built(&sandbox, &["--results", "out.txt"]);
    sandbox
        .edit("src/other.rs", "unrelated", "related")
        .commit("two");
    let now = format!("test a ... ok\n{}", failing(&["b", "c"]));
    sandbox.write("out.txt", now);
    let id = first["packId"].as_str().unwrap();
    let second = built(&sandbox, &["--results", "out.txt", "--since", id]);
    // `a` passes now, `b` still fails, and `c` is new. New failures are listed first.
    assert_eq!(second["delta"]["since"]["packId"], *id);
    assert_eq!(second["delta"]["resolved"], json!(["a"]));
    assert_eq!(second["delta"]["failures"][0]["id"], "c");
    assert_eq!(second["delta"]["failures"][0]["new"], true);
    assert_eq!(second["delta"]["failures"][1]["new"], false);
    assert_eq!(names(&second, "/delta/files", "path"), ["src/other.rs"]);
    sandbox.remove("out.txt");
    assert_eq!(
        names(
            &built(&sandbox, &["--since", "HEAD~1"]),
            "/delta/files",
            "path"
        ),
        ["src/other.rs"]
    );
    let missing = ["pack", "build", GOAL, "--since", "nowhere"];
    sandbox.windlass(&missing).exits_with(3);
}

#[test]
fn secret_values_and_files_are_withheld() {
    let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let sandbox = sample();
    sandbox.edit("src/retry.rs", "once()", &format!("once(\"{token}\")"));
    sandbox.write("out.txt", failing(&[&format!("a::{token}")]));
    sandbox.write(".env", format!("KEY={token}\n"));
    let goal = format!("{GOAL} with {token}");
    for format in ["json", "markdown", "text", "tron"] {
        let args = [
            "pack",
            "build",
            &goal,
            "--results",
            "out.txt",
            "--format",
            format,
        ];
        let answer = sandbox.windlass(&args).succeeds();
        assert!(!answer.stdout.contains(&token), "{}", answer.stdout);
        assert!(answer.stdout.contains("[redacted:"));
    }
    let pack = built(&sandbox, &[]);
    let replaced = pack["redaction"]["replaced"].to_string();
    assert!(
        replaced.contains("relevantFiles/src/retry.rs") && !replaced.contains(&token),
        "{replaced}"
    );
    // Neither the stored pack nor any other file of the state folder has the token.
    let kept = sandbox.home().join(".local/state/windlass");
    assert!(!folder_contains(&kept, &token));
    sandbox
        .windlass(&["pack", "build", GOAL, "--doc", ".env"])
        .exits_with(4);
}

/// The secret file's name matches the goal, but we must not read the file.
#[test]
fn secret_file_keeps_ranking_intact() {
    let sandbox = sample();
    let text = "/// Retries steps that are failing, three times.\npub fn retry_steps() {}\n";
    sandbox.write("src/steps.rs", text);
    sandbox.write("certs/retry.pem", "x\n").commit("certs");
    let pack = built(&sandbox, &[]);
    let origins = pack["provenance"]["items"].as_array().unwrap();
    let of = |item: &str| origins.iter().find(|it| it["item"] == item).unwrap();
    let why = of("relevantFiles/src/steps.rs")["why"].to_string();
    assert!(why.contains("a place in it answers the goal"), "{why}");
}

#[test]
fn goal_matches_rank_above_changes() {
    let sandbox = sample();
    for number in 0..90 {
        let path = format!("src/part_{number}.rs");
        sandbox.write(&path, format!("pub fn part_{number}() {{}}\n"));
    }
    sandbox.commit("two");
    for number in 0..90 {
        let path = format!("src/part_{number}.rs");
        let text = format!("pub fn part_{number}() {{\n    let _ = {number};\n}}\n");
        sandbox.write(&path, text);
    }
    let first = |sandbox: &Sandbox| {
        let pack = built(sandbox, &["--max-chars", "30000"]);
        let file = pack["relevantFiles"][0].clone();
        assert!(file["excerpt"].is_string(), "{file}");
        file["path"].clone()
    };
    assert_eq!(first(&sandbox), "src/retry.rs");
    // A changed file that matches the goal ranks above an unchanged one.
    sandbox.write(
        "src/again.rs",
        "//! Retry of failing steps, once more.\n\npub fn again() {}\n",
    );
    assert_eq!(first(&sandbox), "src/again.rs");
    // If the goal matches no file, changed files come first.
    let args = ["pack", "build", "Go on", "--format", "json"];
    let pack = sandbox.windlass(&args).succeeds().json();
    assert_eq!(pack["relevantFiles"][0]["path"], "src/again.rs");
}

#[test]
fn secret_like_file_name_is_withheld() {
    let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let sandbox = sample();
    let name = format!("src/{token}.rs");
    sandbox
        .write(
            &name,
            "//! Retry failing steps three times.\n\npub fn retry() {}\n",
        )
        .commit("two");
    sandbox.write(
        &name,
        "//! Retry failing steps three times.\n\npub fn retry_more() {}\n",
    );
    let pack = built(&sandbox, &[]);
    assert!(!pack.to_string().contains(&token), "{pack}");
    assert_eq!(
        pack["redaction"]["withheld"],
        json!(["src/[redacted:github-token].rs"])
    );
    assert!(!folder_contains(
        &sandbox.home().join(".local/state/windlass"),
        &token
    ));
    let args = ["pack", "build", GOAL, "--file", &name];
    let refused = sandbox.windlass(&args).exits_with(4).stderr;
    assert!(
        refused.contains("its name contains") && !refused.contains(&token),
        "{refused}"
    );
}

pub(crate) fn folder_contains(folder: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return folder_contains(&path, text);
        }
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(text)
    })
}

#[test]
fn paths_outside_repo_are_named() {
    let sandbox = sample();
    let there = sandbox.outside().join("there.md");
    std::fs::write(&there, "# There\n").unwrap();
    let there = there.to_str().unwrap();
    let told = |args: &[&str], code: i32| {
        let answer = sandbox.windlass(&[&["pack", "build", GOAL], args].concat());
        answer.exits_with(code).stderr
    };
    let outside = [
        "../outside/there.md",
        there,
        "/etc",
        "docs/../../outside/there.md",
    ];
    for (option, name) in ["--plan", "--doc", "--file"]
        .into_iter()
        .flat_map(|option| outside.map(|name| (option, name)))
    {
        let said = told(&[option, name], 4);
        assert!(said.contains("is outside of this repository"), "{said}");
        assert!(said.contains("copy it into the repository"), "{said}");
    }
    for name in [
        "../outside/no.md",
        "docs/no.md",
        "no/no.md",
        "/no/such/file.md",
    ] {
        let said = told(&["--file", name], 3);
        assert!(said.contains("does not exist"), "{said}");
    }
}

#[test]
fn shown_sections_are_named() {
    let sandbox = sample();
    let filler = "Words that say nothing of it.\n".repeat(30);
    let section = |title: &str, said: &str| format!("## {title}\n\n{said}\n\n{filler}\n");
    let text = format!(
        "# Readme\n\nWhat this is.\n\n{filler}\n{}{}{}",
        section("Running", "Failing steps end a run."),
        section("Failing", "What fails."),
        section(
            "Retries",
            "Failing steps are tried again: retry them three times."
        ),
    );
    sandbox.write("docs/OVERVIEW.md", text).commit("two");
    let overview = |args: &[&str]| {
        let pack = built(&sandbox, args);
        let documents = pack["docRefs"].as_array().unwrap();
        let own = documents.iter().find(|it| it["path"] == "docs/OVERVIEW.md");
        own.unwrap().clone()
    };
    let whole = overview(&[]);
    assert_eq!(whole["anchors"], json!(["running", "failing", "retries"]));
    let named = [
        "--doc",
        "docs/OVERVIEW.md#retries",
        "--doc",
        "docs/OVERVIEW.md#running",
    ];
    assert_eq!(overview(&named)["anchors"], json!(["running", "retries"]));
    // A pack cut to the budget names only the sections it shows.
    let is_fewer = (1..40).map(|at| at * 250).any(|budget| {
        let args = ["pack", "build", GOAL, "--format", "json", "--max-chars"];
        let budget = budget.to_string();
        let answer = sandbox.windlass(&[&args[..], &[&budget]].concat());
        if answer.code != 0 {
            return false;
        }
        let pack = answer.json();
        let documents = pack["docRefs"].as_array().unwrap();
        let own = documents.iter().find(|it| it["path"] == "docs/OVERVIEW.md");
        let Some(text) = own.unwrap()["excerpt"].as_str() else {
            return false;
        };
        let named = own.unwrap()["anchors"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for (anchor, heading) in [
            ("running", "## Running"),
            ("failing", "## Failing"),
            ("retries", "## Retries"),
        ] {
            assert_eq!(
                named.contains(&json!(anchor)),
                text.contains(heading),
                "{budget}: {pack}"
            );
        }
        named.len() < 3
    });
    assert!(is_fewer);
}

#[test]
fn missing_named_sources_are_refused() {
    let sandbox = sample();
    let fails = |args: &[&str], code: i32, part: &str| {
        let answer = sandbox
            .windlass(&[&["pack", "build", GOAL], args].concat())
            .exits_with(code);
        assert!(answer.stderr.contains(part), "{}", answer.stderr);
    };
    fails(
        &["--plan", "docs/PLAN.md#retires"],
        3,
        "did you mean `#retries`?",
    );
    fails(&["--plan", "docs/NO.md"], 3, "docs/NO.md");
    fails(&["--file", "src/no.rs"], 3, "src/no.rs");
    fails(&["--search", "("], 2, "not a regular expression");
    fails(&["--constraint", "none"], 2, "NAME=TEXT");
    for option in ["--constraint", "--decision"] {
        let twice = [option, "api=stable", option, "api=none"];
        fails(&twice, 2, "with `stable` and `none`");
    }
    let same = ["--constraint", "api=stable", "--constraint", "api=stable"];
    assert_eq!(built(&sandbox, &same)["constraints"]["api"], "stable");
    sandbox.write("bad.xml", "<testsuite><testcase");
    fails(&["--results", "bad.xml"], 2, "bad.xml");
    let named = built(
        &sandbox,
        &["--plan", "docs/PLAN.md#other", "--file", "src/other.rs"],
    );
    assert_eq!(named["docRefs"][1]["anchors"], json!(["other"]));
    assert!(
        !named["docRefs"][1]["excerpt"]
            .to_string()
            .contains("Retries")
    );
    assert_eq!(named["relevantFiles"][0]["path"], "src/other.rs");
}

#[test]
fn bare_repository_is_refused() {
    let sandbox = sample();
    sandbox.run_git(&["clone", "--quiet", "--bare", ".", "bare.git"]);
    let outside = tempfile::tempdir().unwrap();
    let bare = outside.path().join("bare.git");
    std::fs::rename(sandbox.root().join("bare.git"), &bare).unwrap();
    let refused = sandbox.windlass_in(&bare, &["pack", "build", GOAL]);
    let told = refused.exits_with(4).stderr;
    assert!(
        told.contains("not a working tree") && told.contains("git worktree add"),
        "{told}"
    );
}

#[test]
fn build_works_without_git_or_documents() {
    let sandbox = Sandbox::folder();
    sandbox.write("retry.py", "def retry():\n    pass\n");
    sandbox.write(
        "odd.md",
        [b"# \xff\xfe\r\n".as_slice(), b"text\r\n"].concat(),
    );
    let pack = built(&sandbox, &["--doc", "odd.md"]);
    assert_eq!(names(&pack, "/relevantFiles", "path"), ["retry.py"]);
    assert!(pack.get("delta").is_none());
    let empty = Sandbox::git();
    assert_eq!(built(&empty, &[])["docRefs"], json!([]));
}

#[test]
fn stored_documents_are_whole() {
    let sandbox = sample();
    let mut plan = "# Plan\n".to_owned();
    for part in 0..40 {
        plan.push_str(&format!(
            "\n## Retry part {part}\n\n{}END{part}.\n",
            "a failing step is retried ".repeat(50)
        ));
    }
    let lines: String = (0..400)
        .map(|line| format!("retry rule {line}\n"))
        .collect();
    sandbox
        .write("docs/PLAN.md", &plan)
        .write("docs/ARCHITECTURE.md", format!("# Retry rules\n\n{lines}"));
    let id = built(&sandbox, &[])["packId"].as_str().unwrap().to_owned();
    let kept = sandbox
        .windlass(&["pack", "show", &id, "--format", "json"])
        .succeeds()
        .json();
    let docs = kept["docRefs"].to_string();
    assert!((0..40).all(|part| docs.contains(&format!("END{part}."))));
    assert!((0..400).all(|line| docs.contains(&format!("retry rule {line}\\n")) || line == 399));
    assert!(docs.contains("retry rule 399"));
    let shown = sandbox.windlass(&["pack", "build", GOAL]).succeeds().stdout;
    assert!(
        shown.contains("Cut to the budget") && shown.contains("END0."),
        "{shown}"
    );
    let again = sandbox
        .windlass(&["pack", "rebuild", &id])
        .succeeds()
        .stdout;
    assert!(again.contains("byte for byte"), "{again}");
}

#[test]
fn conditions_skip_done_and_read_numbers() {
    let sandbox = sample();
    sandbox.write(
        "docs/ACCEPTANCE.md",
        "# Acceptance\n\n- [x] old thing\n1. [ ] numbered\n+ [ ] plus\n  2) [X] done too\n",
    );
    let pack = built(&sandbox, &[]);
    assert_eq!(pack["definitionOfDone"], json!(["numbered", "plus"]));
}

#[test]
fn conditions_are_whole_or_counted() {
    let sandbox = sample();
    let mut text =
        "# Acceptance\n\n- [ ] every request is\n      answered\n  - not a condition\n\nafter\n\n"
            .to_owned();
    for number in 0..60 {
        text.push_str(&format!("- [ ] condition {number}\n"));
    }
    sandbox.write("docs/ACCEPTANCE.md", text);
    let done = built(&sandbox, &[])["definitionOfDone"].clone();
    let done = done.as_array().unwrap();
    assert_eq!(done[0], "every request is answered");
    assert_eq!(done[1], "condition 0");
    assert_eq!(done.last().unwrap(), "11 more in `docs/ACCEPTANCE.md`");
    assert_eq!(done.len(), 51);
}

#[test]
fn secrets_revealed_by_decoding_are_replaced() {
    let sandbox = sample();
    let (first, last) = ("gh", "p_0123456789abcdefghijABCDEFGHIJ456789");
    // One report has color codes inside of the token, and the other spells a letter as an XML
    // entity, so neither file contains the token as it is.
    let said = format!("left is {first}\u{1b}[31m{last}\u{1b}[0m\n");
    let text = format!(
        "running 1 test\ntest a ... FAILED\n\n---- a stdout ----\n{said} right: 1\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n"
    );
    let xml = format!(
        "<testsuite><testcase name=\"x\"><failure message=\"m\">left is {first}&#112;{}</failure></testcase></testsuite>",
        &last[1..]
    );
    sandbox.write("out.txt", text).write("out.xml", xml);
    let pack = built(
        &sandbox,
        &[
            "--results",
            "out.txt",
            "--results",
            "out.xml",
            "--out",
            "pack.json",
        ],
    );
    let told = pack["redaction"]["replaced"].as_array().unwrap();
    let items: Vec<&str> = told.iter().map(|it| it["item"].as_str().unwrap()).collect();
    assert_eq!(items, ["delta/failures/a", "delta/failures/x"]);
    let kept = std::fs::read_to_string(sandbox.root().join("pack.json")).unwrap();
    assert!(!kept.contains("0123456789abcdefghij"), "{kept}");
    let again = sandbox.windlass(&["pack", "rebuild", "last"]).succeeds();
    assert!(
        again.stdout.contains("reproduced byte for byte"),
        "{}",
        again.stdout
    );
}

#[test]
fn readme_shows_sections_on_goal() {
    let sandbox = sample();
    let readme = "# Thing\n\nIt does things.\n\n## Retries\n\nFailing steps are tried again.\n\n## Donate\n\nPlease give.\n";
    sandbox.write("README.md", readme).commit("two");
    let pack = built(&sandbox, &[]);
    let docs = pack["docRefs"].as_array().unwrap();
    let readme = docs.iter().find(|it| it["path"] == "README.md").unwrap();
    let text = readme["excerpt"].as_str().unwrap();
    assert!(
        text.contains("It does things") && text.contains("tried again"),
        "{text}"
    );
    assert!(!text.contains("Donate"), "{text}");
}

#[test]
fn html_document_yields_goal_sections() {
    let sandbox = sample();
    let filler = (0..80).map(|at| format!("## Part {at}\n\nWalruses and whales number {at}.\n\n"));
    let filler: String = filler.collect();
    let readme = format!(
        "<p align=\"center\">\n<img src=\"a.svg\">\n</p>\n\n# Thing\n\nIt is small.\n\n## Retries\n\n<table>\n<tr><td>--retry-max</td><td>default 7</td></tr>\n</table>\n\n## Failing steps\n\n```\n<step>\n  <times>3</times>\n</step>\n```\n\n{filler}"
    );
    let rows: String = (0..90)
        .map(|at| format!("<p>\n<img src=\"{at}.svg\">\n</p>\n"))
        .collect();
    sandbox
        .write("README.md", readme)
        .write("docs/options.html", rows.as_str())
        .commit("two");
    let pack = built(&sandbox, &["--doc", "docs/options.html"]);
    let docs = pack["docRefs"].as_array().unwrap();
    let of = |path: &str| {
        let own = docs.iter().find(|it| it["path"] == path);
        own.unwrap()["excerpt"].as_str().unwrap()
    };
    let text = of("README.md");
    assert!(
        text.contains("--retry-max") && text.contains("<times>3"),
        "{text}"
    );
    assert!(
        !text.contains("a.svg") && !text.contains("Part 7"),
        "{text}"
    );
    // A document named by the user is shown even if nothing in it matches the goal.
    assert_eq!(of("docs/options.html"), rows.trim_end());
}

#[test]
fn non_text_document_is_reported() {
    let sandbox = sample();
    let wide = "\u{feff}# Plan\n".encode_utf16().flat_map(u16::to_le_bytes);
    let wide: Vec<u8> = wide.collect();
    for (bytes, why) in [(wide.as_slice(), "in UTF-16"), (b"# Plan\n\0\n", "binary")] {
        sandbox.write("docs/PLAN.md", bytes);
        let notes = built(&sandbox, &[])["sourceNotes"].to_string();
        assert!(
            notes.contains(&format!("`docs/PLAN.md` is {why}")),
            "{notes}"
        );
    }
}

#[test]
fn secret_named_values_are_masked() {
    let sandbox = sample();
    // The value doesn't look like a secret: only the names of the entries give it away.
    let secret = "tr0ub4dor&3xyz";
    let pack = built(
        &sandbox,
        &[
            "--constraint",
            &format!("password={secret}"),
            "--decision",
            &format!("db_password={secret}"),
            "--out",
            "pack.json",
        ],
    );
    let kept = std::fs::read_to_string(sandbox.root().join("pack.json")).unwrap();
    assert!(!kept.contains(secret), "{kept}");
    let told = pack["redaction"]["replaced"].as_array().unwrap();
    let items: Vec<&str> = told.iter().map(|it| it["item"].as_str().unwrap()).collect();
    assert_eq!(items, ["constraints/password", "decisions/db_password"]);
}

#[test]
fn file_changed_in_every_commit_is_no_hint() {
    let sandbox = sample();
    sandbox
        .write("src/backoff.rs", "pub fn wait() {}\n")
        .write("settings.lock", "0\n")
        .commit("two");
    // `backoff.rs` always changes together with `retry.rs`. `settings.lock` does too, but since
    // it's part of every commit, this says nothing.
    for turn in 0..12 {
        let other = if turn % 4 == 0 {
            "src/retry.rs"
        } else {
            "src/other.rs"
        };
        sandbox.write("settings.lock", format!("{turn}\n"));
        sandbox.write(other, format!("pub fn again() {{ {turn}; }}\n"));
        if turn % 4 == 0 {
            sandbox.write("src/backoff.rs", format!("pub fn wait() {{ {turn}; }}\n"));
        }
        sandbox.commit("more");
    }
    let pack = built(&sandbox, &["--file", "src/retry.rs"]);
    let files = names(&pack, "/relevantFiles", "path");
    assert!(files.contains(&"src/backoff.rs"), "{files:?}");
    assert!(!files.contains(&"settings.lock"), "{files:?}");
}

#[test]
fn excerpts_follow_the_goal() {
    let sandbox = sample();
    let mut text = String::new();
    for name in ["alpha", "beta", "gamma", "delta", "omega"] {
        text.push_str(&format!("def {name}(url):\n"));
        (0..30).for_each(|line| text.push_str(&format!("    url.{name}_{line}()\n")));
        text.push('\n');
    }
    text.push_str("def credentials(url):\n    path = '~/.netrc'\n    host = url.split(':')[0]\n    return lookup_netrc(path, host)\n");
    sandbox.write("requests/utils.py", text).commit("two");
    let args = [
        "pack",
        "build",
        "Fix netrc lookup for hosts with ports",
        "--format",
        "json",
    ];
    let pack = sandbox.windlass(&args).succeeds().json();
    let file = pack["relevantFiles"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["path"] == "requests/utils.py");
    let excerpt = file.unwrap()["excerpt"].as_str().unwrap();
    assert!(excerpt.contains("lookup_netrc(path, host)"), "{excerpt}");
    assert!(!excerpt.contains("alpha_3"), "{excerpt}");
}

#[test]
fn duplicate_excerpts_are_shown_once() {
    let sandbox = sample();
    let manual = |version: &str| {
        format!(
            "# Manual {version}\n\n## Quoting of fields\n\nA field with a separator is quoted by the filter.\nQuotes inside of a quoted field are doubled.\nEach row of fields ends with a line break.\n"
        )
    };
    for version in ["dev", "v1", "v2"] {
        sandbox.write(&format!("manual/{version}.md"), manual(version));
    }
    // These match the goal as well, but a changelog, a license or a lock file is rarely what the
    // goal is about.
    let history = "Changed how fields are quoted, and how the filter quotes separators.\n";
    sandbox.write("CHANGELOG.md", history);
    sandbox.write("LICENSE", history);
    sandbox.write("code.lock", history).commit("two");
    let goal = "Quote fields with a separator in the filter";
    let pack = sandbox
        .windlass(&["pack", "build", goal, "--format", "json"])
        .succeeds()
        .json();
    let files = names(&pack, "/relevantFiles", "path");
    let is_aside = |it: &&str| matches!(*it, "CHANGELOG.md" | "LICENSE" | "code.lock");
    assert!(!files.iter().any(is_aside), "{files:?}");
    let manuals = files.iter().filter(|it| it.starts_with("manual/"));
    let manuals: Vec<&str> = manuals.copied().collect();
    assert_eq!(manuals.len(), 3, "{files:?}");
    let all = pack["relevantFiles"].as_array().unwrap().iter();
    let all = all.filter(|it| manuals.contains(&it["path"].as_str().unwrap()));
    assert_eq!(
        all.filter(|it| it["excerpt"].is_string()).count(),
        1,
        "{pack}"
    );
    let best = manuals[0];
    let origins = pack["provenance"]["items"].as_array().unwrap();
    for other in &manuals[1..] {
        let item = format!("relevantFiles/{other}");
        let origin = origins.iter().find(|it| it["item"] == item).unwrap();
        let why = origin["why"].to_string();
        assert!(why.contains(&format!("also in `{best}`")), "{why}");
        assert!(origin["linesLeftOut"].as_u64() > Some(2), "{origin}");
    }
    // A goal that mentions the changelog does get it.
    let goal = "Quote fields with a separator in the filter, and say so in the changelog";
    let pack = sandbox
        .windlass(&["pack", "build", goal, "--format", "json"])
        .succeeds()
        .json();
    assert!(names(&pack, "/relevantFiles", "path").contains(&"CHANGELOG.md"));
}

#[test]
fn goal_names_rank_first_without_generated() {
    let sandbox = sample();
    let fillers = |from: u32| -> String {
        let line = |n: u32| format!("fn rows_are_counted_{n}() {{\n    count_rows({n});\n}}\n\n");
        (from..from + 60).map(line).collect()
    };
    sandbox.write(
        "src/counting.rs",
        format!("//! Counts rows, and stops.\n\n{}", fillers(0)),
    );
    sandbox.write(
        "src/limits.rs",
        format!(
            "{}pub struct Limits {{\n    pub row_limit: u32,\n}}\n",
            fillers(100)
        ),
    );
    sandbox.write(
        "src/table.c",
        format!(
            "/* A Bison parser, made by GNU Bison 3.8.2.  */\n{}",
            "/* stop counting rows at a limit */\nint rows;\n".repeat(9)
        ),
    );
    sandbox.write(
        "src/table.y",
        "/* stop counting rows at a limit */\nrows: row | rows row;\n",
    );
    let goal = "stop counting rows at row_limit";
    let pack: serde_json::Value = sandbox
        .windlass(&[
            "pack",
            "build",
            goal,
            "--format",
            "json",
            "--max-tokens",
            "20000",
        ])
        .succeeds()
        .json();
    let files = pack["relevantFiles"].as_array().unwrap();
    let of = |path: &str| files.iter().find(|file| file["path"] == path);
    assert_eq!(files[0]["path"], "src/limits.rs", "{files:?}");
    let text = files[0]["excerpt"].as_str().unwrap();
    assert!(text.contains("pub row_limit: u32"), "{text}");
    // We'd rather show the grammar than the parser that Bison generated from it.
    let made = of("src/table.c");
    assert!(
        made.is_none_or(|file| file["excerpt"].is_null()),
        "{made:?}"
    );
    let source = of("src/table.y").unwrap();
    assert!(
        source["excerpt"].as_str().unwrap().contains("rows: row"),
        "{source}"
    );
}

#[test]
fn pack_cut_mid_character_is_reported() {
    let sandbox = sample();
    sandbox.write(
        "docs/PLAN.md",
        "# Plan\n\nRetry failing steps “three times”.\n",
    );
    built(&sandbox, &["--out", "pack.json"]);
    let bytes = std::fs::read(sandbox.root().join("pack.json")).unwrap();
    // 0xe2 begins a character of three bytes (the opening quote), and we cut right after it.
    let at = bytes.iter().position(|byte| *byte == 0xe2).unwrap();
    std::fs::write(sandbox.root().join("cut.json"), &bytes[..at + 1]).unwrap();
    let told = sandbox
        .windlass(&["pack", "show", "cut.json"])
        .exits_with(2);
    assert!(
        told.stderr.contains("ends within a character"),
        "{}",
        told.stderr
    );
}

#[test]
fn docs_root_must_be_in_repository() {
    let sandbox = sample();
    sandbox
        .write("guide/PLAN.md", "# Plan of the guide\n")
        .write("empty/.gitkeep", "")
        .write(".gitignore", "empty/\n");
    let root = sandbox.root().display().to_string();
    let absolute = format!("{root}/guide");
    for (given, shown) in [
        ("guide", "guide"),
        ("guide/", "guide"),
        ("src/../guide", "guide"),
        ("/guide", "guide"),
        (&*absolute, "guide"),
        (".", "."),
    ] {
        let pack = built(&sandbox, &["--docs-root", given]);
        assert_eq!(pack["docsRoot"], shown, "{given}");
        assert!(!pack.to_string().contains(&root), "{pack}");
        let has_plan = names(&pack, "/docRefs", "path").contains(&"guide/PLAN.md");
        assert_eq!(has_plan, shown == "guide", "{given}");
    }
    // Absolute paths in other options become relative, so the pack is the same on another machine.
    let plan = format!("{root}/docs/PLAN.md#retries");
    let pack = built(&sandbox, &["--plan", &plan]);
    assert!(!pack.to_string().contains(&root), "{pack}");
    assert_eq!(
        pack["provenance"]["request"]["plan"],
        "docs/PLAN.md#retries"
    );
    for (given, why) in [
        ("dosc", "did you mean `docs`?"),
        ("..", "no such folder"),
        ("/etc", "no such folder"),
        ("docs/PLAN.md", "it is a file"),
        ("", "it has no name"),
        ("empty", "no file in it is read"),
    ] {
        let args = ["pack", "build", GOAL, "--docs-root", given];
        let told = sandbox.windlass(&args).exits_with(3);
        assert!(told.stderr.contains(why), "{given}: {}", told.stderr);
        assert!(told.stdout.is_empty(), "{}", told.stdout);
    }
}

#[test]
fn unstored_pack_offers_no_next_page() {
    let sandbox = sample();
    let args = [
        "pack",
        "build",
        GOAL,
        "--format",
        "json",
        "--max-chars",
        "2200",
    ];
    let kept = sandbox.windlass(&args).succeeds().json();
    assert_eq!(kept["nextActions"][0]["tool"], "pack show", "{kept}");
    // The state folder can't be created because a file has its name.
    sandbox.write("state", "a file, where a folder would have to be\n");
    let mut command = sandbox.command(sandbox.root(), &args);
    command.env("XDG_STATE_HOME", sandbox.root().join("state"));
    let lost = answer(&mut command).succeeds();
    assert!(lost.stderr.contains("is not stored"), "{}", lost.stderr);
    let lost = lost.json();
    assert!(lost["truncation"].is_object(), "{lost}");
    assert_eq!(lost["nextActions"], json!(null), "{lost}");
}

#[test]
fn empty_and_binary_sources_are_reported() {
    let sandbox = sample();
    sandbox
        .write("docs/picture.md", [0u8, 1, 2].as_slice())
        .write("docs/empty.md", "\n")
        .write("src/table.rs", [0u8, 1].as_slice());
    for option in ["--doc", "--plan"] {
        let answer = sandbox.windlass(&["pack", "build", GOAL, option, "docs/picture.md"]);
        let answer = answer.exits_with(1);
        let told = "`docs/picture.md` cannot be used: it is binary";
        assert!(answer.stderr.contains(told), "{}", answer.stderr);
    }
    for (option, file, told) in [
        ("--doc", "docs/empty.md", "`docs/empty.md` is empty"),
        ("--file", "src/table.rs", "`src/table.rs` is binary"),
    ] {
        let answer = sandbox.windlass(&["pack", "build", GOAL, option, file]);
        let answer = answer.succeeds();
        assert!(answer.stderr.contains(told), "{}", answer.stderr);
    }
    // A document found by its usual name only gets a note, although it would be part of the
    // contract.
    sandbox.write("docs/OVERVIEW.md", [0u8, 1].as_slice());
    let answer = sandbox.windlass(&["pack", "build", GOAL]).succeeds();
    let told = "`docs/OVERVIEW.md` is binary, so the pack has no text of it";
    assert!(answer.stderr.contains(told), "{}", answer.stderr);
}

#[test]
fn conditions_in_merge_conflict_are_marked() {
    let sandbox = sample();
    let sides = "# Acceptance\n\n<<<<<<< HEAD\n- [ ] answers within 10 ms\n=======\n- [ ] answers within 50 ms\n>>>>>>> other\n";
    sandbox.write("docs/ACCEPTANCE.md", sides);
    let answer = sandbox.windlass(&["pack", "build", GOAL, "--format", "json"]);
    let answer = answer.succeeds();
    assert!(
        answer
            .stderr
            .contains("`docs/ACCEPTANCE.md` has merge conflict marks"),
        "{}",
        answer.stderr
    );
    let pack = answer.json();
    let done = pack["definitionOfDone"].as_array().unwrap();
    assert_eq!(done.len(), 3);
    assert!(
        done[2]
            .as_str()
            .unwrap()
            .contains("has merge conflict marks")
    );
    // A heading underline is not a conflict marker.
    let line = "# Acceptance\n=======\n\n- [ ] answers\n";
    sandbox.write("docs/ACCEPTANCE.md", line);
    let answer = sandbox.windlass(&["pack", "build", GOAL, "--format", "json"]);
    let answer = answer.succeeds();
    assert_eq!(answer.stderr, "");
    assert_eq!(answer.json()["definitionOfDone"], json!(["answers"]));
}

#[test]
fn same_request_from_any_folder_is_one_pack() {
    let sandbox = sample();
    let build = |folder: &str, args: &[&str]| -> serde_json::Value {
        let all = [&["pack", "build", GOAL, "--format", "json"], args].concat();
        sandbox
            .windlass_in(&sandbox.root().join(folder), &all)
            .succeeds()
            .json()
    };
    let root = ["--file", "src/retry.rs", "--doc", "docs/PLAN.md#retries"];
    let first = build("", &root);
    let request = &first["provenance"]["request"];
    assert_eq!(request["files"], json!(["src/retry.rs"]));
    assert_eq!(request["docs"], json!(["docs/PLAN.md#retries"]));
    let whole = sandbox.root().join("src/retry.rs");
    let below = ["--file", "retry.rs", "--doc", "../docs/PLAN.md#retries"];
    let round = [
        "--file",
        "./src/../src/retry.rs",
        "--doc",
        "./docs/PLAN.md#retries",
    ];
    let whole = ["--file", whole.to_str().unwrap(), "--doc", root[3]];
    for (folder, args) in [("src", below), ("", round), ("docs", whole)] {
        let pack = build(folder, &args);
        assert_eq!(pack["packId"], first["packId"], "{folder}: {args:?}");
    }
}
