//! Documents: what is wrong with them is said with its place, quickly, and nothing is written.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;
mod vcontext;

mod formulas;

use support::Sandbox;

const GOOD: &str = "schema_version: 1\nid: r\nsteps:\n  - { id: a, uses: files }\noutputs:\n  - { id: a, from: a }\n";

/// Checks `text` and gives back what was said.
#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/r.yaml", text);
    let checked = sandbox.windlass(&["check", "r"]).exits_with(2);
    let run = sandbox.windlass(&["run", "r"]).exits_with(2);
    assert!(run.stdout.is_empty() && checked.stdout.is_empty());
    assert!(!sandbox.home().exists(), "nothing is written");
    checked.stderr
}

#[test]
fn every_mistake_is_named_with_its_place_and_a_remedy() {
    let text = "schema_version: 1
id: r
steps:
  - { id: a, uses: serach, with: { pattern: x } }
  - { id: b, uses: search, with: { patern: x } }
  - { id: c, uses: select, with: { from: { $ref: '#/steps/d/output/x' } } }
  - { id: e, uses: files, needs: [f] }
  - { id: f, uses: files, needs: [e] }
outputs:
  - { id: z, from: nothing }
";
    let said = refused(text);
    for wanted in [
        "runbooks/r.yaml:4:",
        "did you mean `search`?",
        "did you mean `pattern`?",
        "`d`",
        "e -> f -> e",
        "nothing",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
}

#[test]
fn hostile_documents_are_refused() {
    let deep_flow = format!(
        "schema_version: 1\nid: r\nsteps: {}{}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let deep_block = format!(
        "schema_version: 1\nid: r\nsteps:\n{}x\n",
        (0..10_000).map(|_| "- ").collect::<String>()
    );
    let huge = format!("{GOOD}# {}\n", "x".repeat(5 << 20));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let previous = format!("*a{}", n - 1);
        bomb.push_str(&format!(
            "a{n}: &a{n} [{}]\n",
            vec![previous; 10].join(", ")
        ));
    }
    let cases: [(&str, Vec<u8>); 10] = [
        ("deep flow", deep_flow.into()),
        ("deep block", deep_block.into()),
        ("huge", huge.into()),
        ("alias bomb", format!("{bomb}{GOOD}").into()),
        ("tag", GOOD.replace("id: r", "id: !!python/object r").into()),
        ("merge key", GOOD.replace("id: r", "<<: {}\nid: r").into()),
        (
            "duplicate key",
            GOOD.replace("id: r", "id: r\nid: s").into(),
        ),
        (
            "not a number",
            GOOD.replace("schema_version: 1", "schema_version: .inf")
                .into(),
        ),
        (
            "truncated",
            GOOD[..GOOD.len() / 2]
                .trim_end_matches(' ')
                .to_owned()
                .into_bytes(),
        ),
        ("not UTF-8", [GOOD.as_bytes(), b"# \xff\xfe\n"].concat()),
    ];
    for (what, text) in cases {
        let said = refused(text);
        assert!(said.contains("runbooks/r.yaml"), "{what}: {said}");
    }
}

#[test]
fn a_newer_version_is_refused_and_a_wrong_name_gets_the_nearest() {
    assert!(refused(GOOD.replace("schema_version: 1", "schema_version: 2")).contains("newer"));
    let sandbox = Sandbox::git();
    let contracts = GOOD.replace("id: r\n", "id: contracts\n");
    sandbox.write("runbooks/contracts.yaml", &contracts);
    let answer = sandbox.windlass(&["run", "contrats"]).exits_with(3);
    assert!(
        answer.stderr.contains("did you mean `contracts`?"),
        "{}",
        answer.stderr
    );
    let answer = sandbox
        .windlass(&["run", "runbooks/none.yaml"])
        .exits_with(3);
    assert!(
        answer.stderr.contains("does not exist"),
        "{}",
        answer.stderr
    );
    sandbox.write(".windlass/contracts.yaml", &contracts);
    let answer = sandbox.windlass(&["run", "contracts"]).exits_with(2);
    assert!(
        answer.stderr.contains(".windlass/contracts.yaml"),
        "{}",
        answer.stderr
    );
}

#[test]
fn inputs_are_checked_before_anything_runs() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/r.yaml",
        GOOD.replace("steps:", "inputs:\n  depth: { type: integer }\nsteps:")
            .replace(
                "uses: files }",
                "uses: select, with: { from: { $ref: '#/inputs/depth' } } }",
            ),
    );
    assert!(
        sandbox
            .windlass(&["run", "r"])
            .exits_with(2)
            .stderr
            .contains("required")
    );
    assert!(
        sandbox
            .windlass(&["run", "r", "-i", "depth=x"])
            .exits_with(2)
            .stderr
            .contains("integer")
    );
    assert!(
        sandbox
            .windlass(&["run", "r", "-i", "dpeth=1"])
            .exits_with(2)
            .stderr
            .contains("did you mean `depth`?")
    );
    sandbox.windlass(&["run", "r", "-i", "depth=3"]).succeeds();
}

#[test]
fn literal_inputs_are_checked_before_anything_runs() {
    let said = refused(
        "schema_version: 1
id: r
steps:
  - { id: a, uses: search, with: { pattern: '(', paths: [../x] } }
  - { id: b, uses: command, with: { argv: [''] } }
",
    );
    for wanted in [
        "runbooks/r.yaml:4:45",
        "the pattern is not a regular expression: unclosed group",
        "runbooks/r.yaml:4:58",
        "`../x` leads upwards",
        "runbooks/r.yaml:5:44",
        "the name of the program is empty",
    ] {
        assert!(said.contains(wanted), "{wanted}:\n{said}");
    }
}

#[test]
fn runbooks_that_run_each_other_in_a_circle_are_refused() {
    let runs = |name: &str, other: &str| {
        format!(
            "schema_version: 1\nid: {name}\nsteps:\n  - id: x\n    uses: runbook\n    with:\n      name: {other}\n\
             outputs:\n  - {{ id: x, from: x }}\n"
        )
    };
    let sandbox = Sandbox::git();
    for (name, other) in [
        ("self", "self"),
        ("a", "b"),
        ("b", "runbooks/c.yaml"),
        ("c", "a"),
        ("outer", "a"),
    ] {
        sandbox.write(&format!("runbooks/{name}.yaml"), runs(name, other));
    }
    for (name, chain) in [
        ("self", "self -> self"),
        ("a", "a -> b -> runbooks/c.yaml -> a"),
        ("outer", "a -> b -> runbooks/c.yaml -> a"),
    ] {
        for command in ["check", "run", "plan"] {
            let said = sandbox.windlass(&[command, name]).exits_with(2).stderr;
            assert!(
                said.contains(&format!("in a circle: {chain}\n"))
                    && said.contains(&format!("runbooks/{name}.yaml:7:13")),
                "{command} {name}:\n{said}"
            );
        }
    }
}

#[test]
fn runbooks_that_are_not_there_or_too_deep_are_refused() {
    let runs = |name: &str, other: &str| {
        format!(
            "schema_version: 1\nid: {name}\nsteps:\n  - id: x\n    uses: runbook\n    with:\n      name: {other}\n\
             outputs:\n  - {{ id: x, from: x }}\n"
        )
    };
    let sandbox = Sandbox::git();
    sandbox
        .write("runbooks/lost.yaml", runs("lost", "levle-2"))
        .write("runbooks/file.yaml", runs("file", "docs/none.yaml"))
        .write(
            "runbooks/level-9.yaml",
            GOOD.replace("id: r\n", "id: level-9\n"),
        );
    for level in 0..9 {
        let (name, other) = (format!("level-{level}"), format!("level-{}", level + 1));
        sandbox.write(&format!("runbooks/{name}.yaml"), runs(&name, &other));
    }
    for command in ["check", "run", "plan"] {
        let said = sandbox.windlass(&[command, "lost"]).exits_with(2).stderr;
        assert!(
            said.contains(
                "error[nested-runbook]: there is no runbook `levle-2`; did you mean `level-2`?"
            ) && said.contains("runbooks/lost.yaml:7:13"),
            "{said}"
        );
    }
    let said = sandbox.windlass(&["check", "file"]).exits_with(2).stderr;
    assert!(said.contains("`docs/none.yaml`"), "{said}");
    // The outermost one runs eight.
    sandbox.windlass(&["run", "level-1"]).succeeds();
    for command in ["check", "run"] {
        let said = sandbox.windlass(&[command, "level-0"]).exits_with(2).stderr;
        assert!(
            said.contains(
                "error[runbook-depth]: runbooks are nested more than 8 deep: level-0 -> level-1 ->"
            ),
            "{said}"
        );
    }
}

#[test]
fn a_runbook_is_run_by_its_id() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.txt", "x\n")
        .write("runbooks/file.yaml", GOOD.replace("id: r\n", "id: other\n"));
    sandbox.windlass(&["run", "other"]).succeeds();
    sandbox.windlass(&["run", "runbooks/file.yaml"]).succeeds();
    let said = sandbox.windlass(&["run", "file"]).exits_with(3).stderr;
    assert!(
        said.contains(
            "there is no runbook `file`; did you mean `other` (in `runbooks/file.yaml`)?"
        ),
        "{said}"
    );
    let said = sandbox.windlass(&["run", "fiel"]).exits_with(3).stderr;
    assert!(
        said.contains("did you mean `other` (in `runbooks/file.yaml`)?"),
        "{said}"
    );
    for name in ["other", "runbooks/file.yaml"] {
        let said = sandbox.windlass(&["check", name]).succeeds().stderr;
        assert!(
            said.contains("warning[file-name]: the runbook `other` is in a file of another name")
                && said.contains("runbooks/file.yaml:2:5"),
            "{said}"
        );
    }
    assert!(
        !sandbox
            .windlass(&["run", "other"])
            .succeeds()
            .stderr
            .contains("file-name")
    );

    // In a file of its own name, another one of that id does not hide it; but it is a mistake.
    sandbox.write("runbooks/third.yml", GOOD.replace("id: r\n", "id: other\n"));
    let said = sandbox.windlass(&["run", "other"]).exits_with(2).stderr;
    let both = "there are two runbooks `other`: `runbooks/file.yaml` and `runbooks/third.yml`";
    assert!(said.contains(both), "{said}");
    let said = sandbox.windlass(&["check"]).exits_with(2).stderr;
    assert!(
        said.contains("error[duplicate-runbook]") && said.contains(both),
        "{said}"
    );
    let said = sandbox
        .windlass(&["check", "--format", "json"])
        .exits_with(2)
        .stdout;
    assert!(said.contains("duplicate-runbook"), "{said}");
}

#[test]
fn a_document_outside_the_repository_can_be_run() {
    let sandbox = Sandbox::git();
    let file = sandbox.outside().join("mine.yaml");
    std::fs::write(&file, GOOD).unwrap();
    sandbox.write("a.txt", "x\n");
    let answer = sandbox
        .windlass(&["run", file.to_str().unwrap()])
        .succeeds();
    assert!(answer.stdout.contains("a.txt"), "{}", answer.stdout);
}

#[test]
fn plans_are_shown_in_every_form() {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/r.yaml", GOOD);
    for format in ["text", "json", "dot", "mermaid"] {
        let shown = sandbox
            .windlass(&["plan", "r", "--format", format])
            .succeeds()
            .stdout;
        assert!(shown.contains("files"), "{format}: {shown}");
    }
    let explained = sandbox
        .windlass(&["plan", "r", "--explain"])
        .succeeds()
        .stdout;
    assert!(
        explained.contains("at once") && explained.contains("section `a`"),
        "{explained}"
    );
}

#[test]
fn a_plan_is_explained_with_the_inputs_that_are_known() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1
id: r
inputs:
  focus: { type: string, default: src }
  deep: { type: boolean, default: false }
steps:
  - { id: a, uses: search, with: { pattern: x, paths: [{ $ref: '#/inputs/focus' }] } }
  - { id: b, uses: read, with: { file: f }, if: inputs.deep }
  - { id: c, uses: command, with: { argv: ['true'] }, if: steps.a.output.total > 0 }
outputs:
  - { id: a, from: a }
  - { id: b, from: b }
",
    );
    let explain = |more: &[&str]| {
        let args = [&["plan", "r", "--explain"], more].concat();
        sandbox.windlass(&args).succeeds().stdout
    };
    let text = explain(&[]);
    for wanted in [
        "searches the files under `src` for lines that match the regular expression `x`",
        "not this time: `inputs.deep` does not hold, so it is skipped",
        "only if `steps.a.output.total > 0`: not known yet, it depends on step `a`",
        "starts a program",
        "`windlass trust r --dry-run`",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    let json = explain(&[
        "--input",
        "focus=lib",
        "-i",
        "deep=true",
        "--format",
        "json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let steps = &json["explanation"];
    assert_eq!(
        steps[0]["touches"][0],
        "searches the files under `lib` for lines that match the regular expression `x`"
    );
    assert_eq!(steps[1]["when"][1], "because `inputs.deep` holds");
    assert!(steps[2]["refused"].is_string());
    let args = ["plan", "r", "--explain", "--input", "focs=lib"];
    let said = sandbox.windlass(&args).exits_with(2).stderr;
    assert!(said.contains("did you mean `focus`?"), "{said}");
}

#[test]
fn init_writes_a_runbook_that_runs_and_never_replaces_one() {
    let sandbox = Sandbox::git();
    sandbox
        .write("README.md", "# Hello\n\nworld\n")
        .write("package.json", "{}\n")
        .write("index.js", "export const a = 1;\n");
    sandbox.commit("x");
    sandbox.windlass(&["init"]).succeeds();
    sandbox.windlass(&["check"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(run.contains("index.js:1") && run.contains("Hello"), "{run}");
    sandbox.write("runbooks/overview.yaml", "mine");
    sandbox.windlass(&["init"]).exits_with(5);
    assert_eq!(sandbox.read("runbooks/overview.yaml"), "mine");
}

#[test]
fn init_shows_where_programs_start_and_survives_a_shorter_readme() {
    let sandbox = Sandbox::git();
    let prototypes: String = (0..40).map(|nr| format!("int f{nr}(int);\n")).collect();
    sandbox
        .write("README.md", "# Hello\n\none\ntwo\nthree\n")
        .write("src/a.h", &prototypes)
        .write("src/main.c", "\nint main(int argc, char *argv[]) {\n}\n");
    sandbox.commit("x");
    sandbox.windlass(&["init"]).succeeds();
    sandbox.write("README.md", "# Hello\n");
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(run.contains("src/main.c:2"), "{run}");
    assert!(run.contains("so lines 1-5 end there"), "{run}");
}

#[test]
fn init_shows_the_root_of_an_api_before_the_rest_of_it() {
    for (root, offered, inner, text) in [
        (
            "src/lib.rs",
            "pub use inner::deep;\n",
            "src/a/lib.rs",
            "pub fn deep() {}\n",
        ),
        (
            "pkg/__init__.py",
            "from .a import deep\n",
            "pkg/a/core.py",
            "def deep(): pass\n",
        ),
        (
            "src/index.ts",
            "export * from './a/deep'\n",
            "src/a/deep.ts",
            "export const deep = 1\n",
        ),
        (
            "api.go",
            "func Offer() {}\n",
            "a/deep.go",
            "func Deep() {}\n",
        ),
    ] {
        let sandbox = Sandbox::git();
        sandbox.write(root, offered).write(inner, text);
        sandbox.write(&format!("tests/{root}"), offered);
        sandbox.windlass(&["init"]).succeeds();
        let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
        let (before, rest) = run.split_once("Public API  ").unwrap();
        let (api, rest) = rest.split_once("Entry points  ").unwrap();
        assert!(!before.contains(inner), "{run}");
        assert!(
            api.contains(&format!("{root}:1")) && !api.contains(inner),
            "{run}"
        );
        assert!(
            !rest.contains(&format!("{root}:1")) && rest.contains(inner),
            "{run}"
        );
    }
}

#[test]
fn init_finds_the_api_by_manifests_and_not_by_names_alone() {
    let sandbox = Sandbox::git();
    sandbox
        .write("packages/bench/index.ts", "import './a';\n")
        .write(
            "packages/bench/package.json",
            r#"{"name": "bench", "private": true}"#,
        )
        .write("packages/lib/package.json", r#"{"name": "lib"}"#)
        .write(
            "packages/lib/src/index.ts",
            "export { parse } from './core/parse';\nexport * from './core/types';\n",
        )
        .write(
            "packages/lib/src/core/parse.ts",
            "export const parse = 1;\n",
        );
    sandbox.windlass(&["init"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    let (_, api) = run.split_once("Public API  ").unwrap();
    let (api, _) = api.split_once("Entry points  ").unwrap();
    assert!(api.contains("packages/lib/src/index.ts:1"), "{run}");
    assert!(!api.contains("bench"), "{run}");

    // Nothing leads there: of those with the name the nearest that offers something.
    sandbox.write(".gitignore", "package.json\n");
    sandbox.windlass(&["init", "--force"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(run.contains("packages/lib/src/index.ts:1"), "{run}");

    // A file of the name that offers nothing is no API.
    let sandbox = Sandbox::git();
    sandbox.write("index.ts", "import './a';\n");
    sandbox.windlass(&["init"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(!run.contains("Public API"), "{run}");
}

#[test]
fn init_takes_for_starts_what_starts_a_program() {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "src/main.c",
            "int umain(int argc, char* argv[]);\nint wmain(int argc) {\n}\nint main(int argc, char* argv[]) {\n}\n",
        )
        .write("src/old.c", "int\nmain(argc, argv)\n{\n}\n")
        .write("src/compile.h", "int block_has_main(block);\nint main(void);\n")
        .write(
            "src/compile.c",
            "int block_has_main(block top) {\n}\nstatic int domain(int a) {\n}\n",
        );
    sandbox.windlass(&["init"]).succeeds();
    let run = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    let (_, starts) = run.split_once("Where programs start  ").unwrap();
    let (starts, _) = starts.split_once("Entry points  ").unwrap();
    for place in ["src/main.c:2", "src/main.c:4", "src/old.c:2"] {
        assert!(starts.contains(place), "{place}: {run}");
    }
    assert!(
        !starts.contains("compile") && !starts.contains("main.c:1"),
        "{run}"
    );
}

#[test]
fn init_writes_nothing_among_the_files_of_git_itself() {
    let sandbox = Sandbox::git();
    sandbox.write("bare.git/HEAD", "ref: refs/heads/main\n");
    for folder in ["objects/info", "refs/heads", "hooks"] {
        sandbox.write(&format!("bare.git/{folder}/x"), "");
    }
    let outside = tempfile::tempdir().unwrap();
    let bare = outside.path().join("bare.git");
    std::fs::rename(sandbox.root().join("bare.git"), &bare).unwrap();
    for folder in [&bare, &bare.join("hooks")] {
        for arguments in [&["init"][..], &["init", "--force"]] {
            let mut command = sandbox.command(folder, arguments);
            let refused = support::answer(&mut command).exits_with(4).stderr;
            assert!(
                refused.contains("folder of git itself") && refused.contains("git worktree add"),
                "{refused}"
            );
        }
        assert!(!folder.join("runbooks").exists() && !folder.join(".windlass").exists());
    }
}

#[test]
fn init_marks_the_root_where_there_is_no_git() {
    let sandbox = Sandbox::folder();
    sandbox.write("sub/a.txt", "text\n");
    let said = sandbox.windlass(&["init"]).succeeds().stderr;
    assert!(said.contains("wrote .windlass/secrets"), "{said}");
    let folder = sandbox.root().join("sub");
    let mut command = sandbox.command(&folder, &["run", "overview"]);
    let answer = support::answer(&mut command).succeeds();
    assert!(answer.stdout.contains("Overview"), "{}", answer.stdout);
    let again = sandbox.windlass(&["init", "--force"]).succeeds().stderr;
    assert!(!again.contains(".windlass"), "{again}");
}

#[test]
fn schemas_are_printed_by_name() {
    let sandbox = Sandbox::folder();
    let names = sandbox.windlass(&["schema"]).succeeds().stdout;
    for name in names.lines() {
        let schema = sandbox.windlass(&["schema", name]).succeeds().json();
        assert!(schema.is_object(), "{name}");
    }
    assert!(
        sandbox
            .windlass(&["schema", "runbok"])
            .exits_with(3)
            .stderr
            .contains("`runbook`")
    );
    for name in ["search", "serach", "step-search", "step-serch.output"] {
        let near = sandbox.windlass(&["schema", name]).exits_with(3).stderr;
        assert!(near.contains("`step-search."), "{name}: {near}");
    }
}

#[test]
fn what_others_wrote_is_no_entry_point() {
    let sandbox = Sandbox::git();
    sandbox.write("src/main.rs", "fn main() {}\npub fn own() {}\n");
    for folder in ["deps", "third_party", "vendor", "external", "3rdparty"] {
        let path = format!("{folder}/lib/main.rs");
        sandbox.write(&path, "fn main() {}\npub fn foreign() {}\n");
    }
    sandbox.windlass(&["init"]).succeeds();
    let shown = sandbox.windlass(&["run", "overview"]).succeeds().stdout;
    assert!(
        shown.contains("src/main.rs:1") && shown.contains("own"),
        "{shown}"
    );
    assert!(
        !shown.contains("/lib/") && !shown.contains("foreign"),
        "{shown}"
    );
    let runbook = sandbox.read("runbooks/overview.yaml");
    assert!(!runbook.contains("Pods"), "{runbook}");
}

#[test]
fn anchors_as_json_lines_are_checked_line_by_line() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "a.jsonl",
        "{\"id\":\"a\",\"file\":\"x\",\"start_line\":1}\n{\"id\":\"b\"}\n",
    );
    let said = sandbox.windlass(&["check", "a.jsonl"]).exits_with(2).stderr;
    assert!(
        said.contains("a.jsonl:2:1") && said.contains("file"),
        "{said}"
    );
    sandbox.write(
        "a.jsonl",
        "{\"id\":\"a\",\"file\":\"x\",\"start_line\":1}\n",
    );
    sandbox.windlass(&["check", "a.jsonl"]).succeeds();
}

#[test]
fn commands_that_findings_name_are_about_the_repository_that_was_named() {
    let sandbox = Sandbox::git();
    sandbox.write("sub/x", "x");
    for format in ["json", "text"] {
        let checked = sandbox
            .windlass_in(
                &sandbox.root().join("sub"),
                &[
                    "--root", "..", "check", "none", "nothing", "--format", format,
                ],
            )
            .exits_with(2);
        let said = format!("{}{}", checked.stdout, checked.stderr);
        assert!(
            said.contains("`windlass --root .. init`"),
            "{format}: {said}"
        );
    }
}

#[test]
fn a_sort_of_document_has_one_limit_wherever_it_lies() {
    let sandbox = Sandbox::git();
    sandbox.write("a.rs", "fn a_function() {}\n");
    let outside = sandbox.outside();
    // Blank lines are skipped, so that only the size matters.
    let lines = format!(
        "{{\"id\":\"a\",\"file\":\"a.rs\",\"start_line\":1,\"end_line\":1}}\n{}",
        "\n".repeat(5 << 20)
    );
    let runbook = format!(
        "schema_version: 1\nid: r\nsteps: [{{ id: s, uses: files }}]\noutputs: [{{ id: s, from: s }}]\n{}",
        "#\n".repeat(3 << 20)
    );
    for (name, text) in [("lines.jsonl", &lines), ("r.yaml", &runbook)] {
        sandbox.write(name, text);
        std::fs::copy(sandbox.root().join(name), outside.join(name)).unwrap();
    }
    for folder in [sandbox.root(), &outside] {
        let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let lines = place("lines.jsonl");
        let args = ["anchor", "add", "--from", &lines, "--replace"];
        sandbox.windlass(&args).succeeds();
        let refused = sandbox.windlass(&["run", &place("r.yaml")]).exits_with(2);
        assert!(
            refused.stderr.contains("more than 4 MiB"),
            "{}",
            refused.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn links_to_nothing_and_out_of_the_repository_are_told_of() {
    use std::os::unix::fs::symlink;

    let sandbox = Sandbox::git();
    sandbox.write("runbooks/r.yaml", GOOD);
    sandbox.write("lib/linked.yaml", GOOD.replace("id: r\n", "id: linked\n"));
    let link = |to: &str, name: &str| {
        symlink(to, sandbox.root().join(format!("runbooks/{name}.yaml"))).unwrap();
    };
    link("../lib/linked.yaml", "linked");
    sandbox.windlass(&["check"]).succeeds();
    link("none.yaml", "gone");
    link("/etc/hostname", "away");
    let checked = sandbox.windlass(&["check"]).exits_with(2);
    for said in [
        "`runbooks/gone.yaml` cannot be used: it is a link to nothing",
        "`runbooks/away.yaml` cannot be used: it is a link that leads out of the repository",
    ] {
        assert!(checked.stderr.contains(said), "{}", checked.stderr);
    }
    for said in ["runbooks/r.yaml: valid", "runbooks/linked.yaml: valid"] {
        assert!(checked.stdout.contains(said), "{}", checked.stdout);
    }
    let run = sandbox.windlass(&["run", "gone"]).exits_with(3);
    assert!(
        run.stderr.contains("it is a link to nothing"),
        "{}",
        run.stderr
    );
    sandbox.windlass(&["run", "linked"]).succeeds();
    // Who asks for something else is not told.
    let other = sandbox.windlass(&["run", "other"]).exits_with(3);
    assert!(!other.stderr.contains("link "), "{}", other.stderr);
}
