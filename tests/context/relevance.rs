//! Ranking of a pack's relevant files.

use serde_json::{Value, json};

use crate::names;
use crate::support::Sandbox;

fn files(sandbox: &Sandbox, goal: &str) -> Vec<String> {
    let args = ["pack", "build", goal, "--format", "json"];
    let pack: Value = sandbox.windlass(&args).succeeds().json();
    let paths = names(&pack, "/relevantFiles", "path");
    paths.into_iter().map(str::to_owned).collect()
}

/// Creates a repository in which most files have `state`, three have `lifespan`, and many have
/// `server` and `preserve`.
fn sample() -> Sandbox {
    let sandbox = Sandbox::git();
    for at in 0..40 {
        let text = format!(
            "def part_{at}(state):\n    server = state.server\n    return preserve(server)\n"
        );
        sandbox.write(&format!("app/part_{at}.py"), text);
    }
    let kept = "class Router:\n    def lifespan(self, scope):\n        self.kept = scope.state\n";
    sandbox
        .write("app/routing.py", kept)
        .write("app/application.py", "def run(router):\n    router.lifespan(None)\n")
        .write("app/client.py", "def enter(app):\n    app.lifespan()\n")
        .write("app/static.py", "def serve(path):\n    return open(path)\n")
        .write("docs/lifespan.md", "# Lifespan\n\nThe lifespan has state.\n")
        .write("README.md", "# App\n\nIt may serve files, see `app/static.py`.\n\n![it](docs/logo.svg) [zh](docs/README-zh.md)\n")
        .write("docs/logo.svg", "<svg><text>serve state lifespan</text></svg>\n")
        .write("docs/README-zh.md", "# App\n\nserve files, state, lifespan\n")
        .commit("one");
    sandbox
}

#[test]
fn rare_word_outranks_word_count() {
    let sandbox = sample();
    let goal = "Where is the lifespan state kept";
    let found = files(&sandbox, goal);
    assert_eq!(found[0], "app/routing.py", "{found:?}");
    for wanted in ["app/application.py", "app/client.py", "docs/lifespan.md"] {
        assert!(found.iter().any(|it| it == wanted), "{wanted}: {found:?}");
    }
    // A document that names a file in another context gives it little weight.
    sandbox.write(
        "docs/ARCHITECTURE.md",
        "# Architecture\n\nFiles are given out by app/static.py.\n",
    );
    let found = files(&sandbox, goal);
    assert_eq!(found[0], "app/routing.py", "{found:?}");
    assert!(!found.iter().any(|it| it == "app/static.py"), "{found:?}");
}

#[test]
fn similar_words_and_side_files_do_not_match() {
    let found = files(&sample(), "serve files");
    assert_eq!(found[0], "app/static.py", "{found:?}");
    let is_beside = |path: &String| {
        path.starts_with("app/part_") || path.ends_with(".svg") || path.contains("README-")
    };
    assert!(!found.iter().any(is_beside), "{found:?}");
}

/// Creates a repository of sixty request handlers, each with the docstring `says`.
fn request_handlers(says: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    for at in 0..60 {
        let text =
            format!("def handle_{at}(request):\n    \"\"\"{says}\"\"\"\n    return request\n");
        sandbox.write(&format!("app/handler_{at}.py"), text);
    }
    sandbox
}

#[test]
fn short_words_match_whole_words_only() {
    let sandbox = request_handlers("Fixes the request of a client; catalogs it.");
    sandbox
        .write(
            "app/token.py",
            "def is_over(jwt, now):\n    return jwt < now\n",
        )
        .write(
            "app/rows.py",
            "def read(text):\n    return csv_rows(text)\n",
        )
        .write("app/shell.py", "def main():\n    return run_cli()\n")
        .commit("one");
    for (goal, wanted) in [
        ("The JWT of a request is over too early", "app/token.py"),
        ("CSV is read", "app/rows.py"),
        ("The CLI says nothing", "app/shell.py"),
    ] {
        let found = files(&sandbox, goal);
        assert_eq!(found.first().map(String::as_str), Some(wanted), "{found:?}");
    }
}

#[test]
fn rare_words_decide_long_goals() {
    let sandbox = request_handlers(
        "Some functionality: the implementation of consistently compressed responses, documentation and configuration.",
    );
    sandbox
        .write(
            "app/bodies.py",
            "def shorten(body):\n    return gzip(body)\n",
        )
        .commit("one");
    let goal = "Compressed responses must consistently be handled: the implementation of gzip is wrong. \
                Keep documentation and configuration of existing deployments compatible. Everything else \
                should immediately and correctly continue working without additional dependencies.";
    let found = files(&sandbox, goal);
    assert_eq!(
        found.first().map(String::as_str),
        Some("app/bodies.py"),
        "{found:?}"
    );
}

#[test]
fn hidden_folders_count_tool_state_does_not() {
    let sandbox = request_handlers("Handles it.");
    let steps = "jobs:\n  coverage:\n    steps:\n    - uses: thollander/upload@v1\n";
    sandbox
        .write(".github/workflows/main.yml", steps)
        .write(
            ".github/PULL_REQUEST_TEMPLATE.md",
            "Does the step thollander fail?\n",
        )
        .write(
            ".windlass/cases.toml",
            "question = \"the step thollander fails\"\n",
        )
        .commit("one");
    let workflow = ".github/workflows/main.yml";
    for goal in [
        "thollander",
        "The step thollander fails",
        "Use `thollander/upload`",
    ] {
        assert_eq!(files(&sandbox, goal), [workflow], "{goal}");
    }
    let args = [
        "pack",
        "build",
        "handlers",
        "--search",
        "thollander",
        "--format",
        "json",
    ];
    let pack: Value = sandbox.windlass(&args).succeeds().json();
    assert_eq!(names(&pack, "/relevantFiles", "path")[0], workflow);
    let found = sandbox.windlass(&["find", "thollander", "--format", "json"]);
    let found: Value = found.succeeds().json();
    assert_eq!(found["places"][0]["file"], workflow, "{found}");
    // Files in `.windlass` are only searched if the user names the folder.
    assert!(!found.to_string().contains(".windlass"), "{found}");
    let named = ["find", "thollander", "--in", ".windlass"];
    let named = sandbox.windlass(&named).succeeds().stdout;
    assert!(named.starts_with(".windlass/cases.toml"), "{named}");
}

#[test]
fn hyphenated_name_is_one_word() {
    let sandbox = request_handlers("The retry policy: a max wait.");
    sandbox
        .write("conf/client.ini", "retry-max-wait = 5\n")
        .commit("one");
    for goal in ["Raise `retry-max-wait` to 10", "Raise `--retry-max-wait`"] {
        let found = files(&sandbox, goal);
        assert_eq!(
            found.first().map(String::as_str),
            Some("conf/client.ini"),
            "{found:?}"
        );
    }
}

#[test]
fn oversized_file_is_reported() {
    let sandbox = sample();
    let large = "def walrus():\n    pass\n".repeat(60_000);
    sandbox
        .write("many.py", &*large)
        .write("other.py", "x = 1\n".repeat(200_000))
        .commit("two");
    let answer = sandbox
        .windlass(&["pack", "build", "fix the walrus"])
        .succeeds();
    let told = &answer.stderr;
    assert!(
        told.contains("files above 1 MiB are skipped: `many.py`;"),
        "{told}"
    );
    // The other large file has no word of the goal, so it isn't worth mentioning.
    assert!(!told.contains("other.py"), "{told}");
}

#[test]
fn source_notes_are_in_the_pack() {
    let sandbox = sample();
    sandbox
        .write("many.py", "def walrus():\n    pass\n".repeat(60_000))
        .write("docs/PLAN.md", "")
        .write("logo.bin", "\0\u{1}\0")
        .write("results.txt", "")
        .commit("two");
    let build = |format: &str| {
        let args = [
            "pack",
            "build",
            "fix the walrus",
            "--plan",
            "docs/PLAN.md",
            "--file",
            "logo.bin",
            "--results",
            "results.txt",
            "--format",
            format,
        ];
        sandbox.windlass(&args).succeeds()
    };
    let pack = build("json").json();
    let notes = [
        "`docs/PLAN.md` is empty",
        "`logo.bin` is binary, so only its name is shown",
        "`results.txt` is empty, so its failures are unknown",
        "not searched for the goal, because files above 1 MiB are skipped: `many.py`; `--file` and `--search` can still select lines of it",
    ];
    assert_eq!(pack["sourceNotes"], json!(notes));
    let id = pack["packId"].as_str().unwrap();
    for said in [
        build("text").stdout,
        build("markdown").stdout,
        build("tron").stdout,
        sandbox.windlass(&["pack", "show", id]).succeeds().stdout,
    ] {
        for note in notes {
            assert!(said.contains(note), "{note} is not in:\n{said}");
        }
    }
    let rebuilt = sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    assert!(
        rebuilt.stdout.contains("byte for byte"),
        "{}",
        rebuilt.stdout
    );
}

#[test]
fn redaction_mark_is_no_goal_word() {
    let sandbox = sample();
    sandbox
        .write(".windlass/redactions", "ticket: ACME-[0-9]{6}\n")
        .write("handle.py", "def handle():\n    return 1\n")
        .write(
            "machine.py",
            "# how ticket machines work\nredacted = \"ticket\"\n",
        )
        .commit("two");
    // The number of the ticket becomes `[redacted:ticket]`, which must not match `machine.py`.
    let goal = "fix handle of ACME-111111";
    let found = files(&sandbox, goal);
    assert!(found.contains(&"handle.py".to_owned()), "{found:?}");
    assert!(!found.contains(&"machine.py".to_owned()), "{found:?}");
}

#[test]
fn files_named_without_extension_rank_first() {
    let sandbox = sample();
    sandbox
        .write("app/middleware/hosts.py", "x = 1\n")
        .write("app/websockets.py", "y = 2\n")
        .write("app/trustedhost.py", "z = 3\n")
        .write("test/route.1.test.js", "it();\n")
        .commit("two");
    for (goal, wanted) in [
        (
            "Reject empty input in app/middleware/hosts",
            "app/middleware/hosts.py",
        ),
        (
            "Reject empty input in middleware/hosts: none",
            "app/middleware/hosts.py",
        ),
        ("Reject empty input in app.websockets", "app/websockets.py"),
        (
            "Reject empty input in app.websockets.Socket.state",
            "app/websockets.py",
        ),
        (
            "Reject empty input in `route.1.test`",
            "test/route.1.test.js",
        ),
        ("Reject empty input in trustedhost", "app/trustedhost.py"),
    ] {
        let found = files(&sandbox, goal);
        assert_eq!(found.first().map(String::as_str), Some(wanted), "{goal}");
    }
    // A file named by its path ranks above a file with a similar name.
    let found = files(&sandbox, "Use trustedhost in app/middleware/hosts");
    assert_eq!(
        found[..2],
        ["app/middleware/hosts.py", "app/trustedhost.py"],
        "{found:?}"
    );
}

#[test]
fn files_with_same_stem_all_rank_high() {
    let sandbox = sample();
    sandbox
        .write("lib/io/net.c", "int a;\n")
        .write("lib/io/net.h", "int b;\n")
        .commit("two");
    let found = files(
        &sandbox,
        "Reject empty input in io/net, as app/static.py does",
    );
    assert_eq!(
        found[..3],
        ["app/static.py", "lib/io/net.c", "lib/io/net.h"],
        "{found:?}"
    );
}
