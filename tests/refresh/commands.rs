//! Steps that start programs.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::Sandbox;

fn runbook(steps: &str, outputs: &[&str]) -> Sandbox {
    let sandbox = Sandbox::git();
    let outputs: String = outputs
        .iter()
        .map(|id| format!("  - {{ id: {id}, from: {id} }}\n"))
        .collect();
    sandbox.write(
        "runbooks/c.yaml",
        format!("schema_version: 1\nid: c\nsteps:\n{steps}outputs:\n{outputs}"),
    );
    sandbox
}

const ECHO: &str = "  - { id: say, uses: command, with: { argv: [echo, hello] } }\n";

#[test]
fn programs_need_trust_in_exact_runbook() {
    let sandbox = runbook(ECHO, &["say"]);
    let refused = sandbox.windlass(&["run", "c"]).exits_with(4);
    assert!(refused.stdout.contains("not trusted"), "{}", refused.stdout);
    assert!(
        refused.stdout.contains("windlass trust c --dry-run"),
        "{}",
        refused.stdout
    );
    sandbox
        .windlass(&["run", "c", "--allow-commands"])
        .succeeds();
    // `--allow-commands` only counts for a single run, so it isn't a form of trust.
    sandbox.windlass(&["run", "c"]).exits_with(4);

    let told = sandbox.windlass(&["trust", "c"]).succeeds();
    assert!(
        told.stdout.contains(r#"["echo","hello"]"#),
        "{}",
        told.stdout
    );
    assert!(
        sandbox
            .windlass(&["run", "c"])
            .succeeds()
            .stdout
            .contains("hello")
    );

    sandbox.edit("runbooks/c.yaml", "hello", "goodbye");
    sandbox.windlass(&["run", "c"]).exits_with(4);
    sandbox.edit("runbooks/c.yaml", "goodbye", "hello");
    // Trust belongs to the contents, so it's back along with the reviewed version.
    sandbox.windlass(&["run", "c"]).succeeds();
    sandbox.windlass(&["trust", "c", "--revoke"]).succeeds();
    sandbox.windlass(&["run", "c"]).exits_with(4);
}

#[test]
fn script_changed_by_earlier_step_is_refused() {
    let steps = "  - { id: write, uses: command, with: { argv: [cp, new.txt, t.sh] } }\n  - { id: say, uses: command, with: { argv: [sh, t.sh] }, needs: [write] }\n";
    let sandbox = runbook(steps, &["write", "say"]);
    let outer = "schema_version: 1\nid: outer\nsteps: [{ id: n, uses: runbook, with: { name: c } }]\noutputs: [{ id: n, from: n }]\n";
    sandbox
        .write("runbooks/outer.yaml", outer)
        .write("t.sh", "echo reviewed\n")
        .write("new.txt", "echo reviewed\n");
    for name in ["c", "outer"] {
        sandbox.windlass(&["trust", name]).succeeds();
        let pack = sandbox.windlass(&["run", name]).succeeds().stdout;
        assert!(pack.contains("reviewed"), "{pack}");
        sandbox.write("new.txt", "echo something else\n");
        let pack = sandbox.windlass(&["run", name]).exits_with(4).stdout;
        assert!(
            pack.contains("`t.sh` changed since the run began"),
            "{pack}"
        );
        assert!(!pack.contains("something else"), "{pack}");
        // `--allow-commands` works without a review.
        sandbox.write("t.sh", "echo reviewed\n");
        let args = ["run", name, "--allow-commands"];
        let pack = sandbox.windlass(&args).succeeds().stdout;
        assert!(pack.contains("something else"), "{pack}");
        sandbox
            .write("t.sh", "echo reviewed\n")
            .write("new.txt", "echo reviewed\n");
    }
}

#[test]
#[cfg(unix)]
fn program_folder_must_be_in_repository() {
    let sandbox = runbook(
        "  - { id: make, uses: command, with: { argv: [sh, -c, 'rm -rf l/late; ln -s / l/late'] } }\n  \
           - { id: say, uses: command, needs: [make], with: { argv: [ls, -a], cwd: { $ref: '#/inputs/at' } } }\n",
        &["say"],
    );
    sandbox.edit(
        "runbooks/c.yaml",
        "id: c\n",
        "id: c\ninputs: { at: { type: string, default: l } }\n",
    );
    sandbox.write("l/late/file", "").write("d/inside", "");
    std::os::unix::fs::symlink("/", sandbox.root().join("l/out")).unwrap();
    std::os::unix::fs::symlink("../d", sandbox.root().join("l/in")).unwrap();
    let run = |at: &str| {
        let input = format!("at={at}");
        sandbox.windlass(&["run", "c", "--allow-commands", "-i", &input])
    };
    assert!(run("l/in").succeeds().stdout.contains("inside"));
    for (at, why) in [
        ("l/out", "outside the repository"),
        ("l/out/etc", "outside the repository"),
        // This link appears only during the run.
        ("l/late", "outside the repository"),
        (".git", "it is secret by the rule"),
    ] {
        let pack = run(at).exits_with(4).stdout;
        assert!(
            pack.contains(why) && !pack.contains("etc\n"),
            "{at}: {pack}"
        );
    }
    for (at, why) in [("no", "does not exist"), ("d/inside", "not a folder")] {
        let pack = run(at).exits_with(1).stdout;
        assert!(pack.contains(why), "{at}: {pack}");
    }
}

#[test]
fn new_module_ends_trust() {
    let steps = "  - { id: say, uses: command, with: { argv: [python3, -m, tool], cwd: d }, on_failure: continue }\n";
    let sandbox = runbook(steps, &["say"]);
    sandbox.write("d/x.txt", "x");
    let report = sandbox
        .windlass(&["trust", "c", "--format", "json"])
        .succeeds()
        .json();
    let files: Vec<&str> = report["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|program| program["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, Vec::<&str>::new());
    sandbox.windlass(&["run", "c"]).succeeds();
    // The module didn't exist during the review, so trust doesn't cover it.
    sandbox.write("d/tool.py", "print('unseen')\n");
    let pack = sandbox.windlass(&["run", "c"]).exits_with(4).stdout;
    assert!(!pack.contains("unseen"), "{pack}");
}

#[test]
fn changed_argument_file_ends_trust() {
    let steps = "  - { id: say, uses: command, with: { argv: [sh, -c, '. ./lib.sh; cat notes.txt'], unpinned: [notes.txt] } }\n  - { id: late, uses: command, with: { argv: [sh, { $ref: '#/inputs/script' }] } }\n";
    let sandbox = runbook(steps, &["say", "late"]);
    sandbox.edit(
        "runbooks/c.yaml",
        "id: c\n",
        "id: c\ninputs: { script: { type: string, default: late.sh } }\n",
    );
    sandbox
        .write("lib.sh", "echo before\n")
        .write("late.sh", "echo late\n")
        .write("notes.txt", "one\n");
    let told = sandbox.windlass(&["trust", "c"]).succeeds().stdout;
    assert!(told.contains("starts lib.sh"), "{told}");
    assert!(told.contains("c/say excludes [\"notes.txt\"]"), "{told}");
    assert!(
        told.contains("argument 1 is only known when it runs"),
        "{told}"
    );
    let pack = sandbox.windlass(&["run", "c"]).succeeds().stdout;
    assert!(pack.contains("before"), "{pack}");
    assert!(pack.contains("`late.sh`, which an input names"), "{pack}");
    // `unpinned` excludes this file, so it may change.
    sandbox.write("notes.txt", "two\n");
    let pack = sandbox.windlass(&["run", "c"]).succeeds().stdout;
    assert!(pack.contains("two"), "{pack}");
    sandbox.write("lib.sh", "echo after\n");
    let pack = sandbox.windlass(&["run", "c"]).exits_with(4).stdout;
    assert!(!pack.contains("after"), "{pack}");
}

#[test]
fn trust_covers_the_reviewed_digest() {
    let sandbox = runbook(ECHO, &["say"]);
    let looked = sandbox
        .windlass(&["trust", "c", "--dry-run", "--format", "json"])
        .succeeds()
        .json();
    let digest = looked["digest"].as_str().unwrap();
    assert_eq!(looked["next_actions"][0]["args"]["digest"], digest);
    sandbox.edit("runbooks/c.yaml", "hello", "something else");
    let refused = sandbox
        .windlass(&["trust", "c", "--digest", digest])
        .exits_with(5);
    assert!(
        refused.stderr.contains("differs from the reviewed version"),
        "{}",
        refused.stderr
    );
    sandbox.windlass(&["run", "c"]).exits_with(4);
    sandbox.edit("runbooks/c.yaml", "something else", "hello");
    // With the reviewed text back in place, the digest fits again.
    sandbox
        .windlass(&["trust", "c", "--digest", digest])
        .succeeds();
    sandbox.windlass(&["run", "c"]).succeeds();
    sandbox
        .windlass(&["trust", "c", "--digest", "nonsense"])
        .exits_with(2);
}

#[test]
fn trust_covers_nested_runbooks() {
    let sandbox = runbook(
        "  - { id: inner, uses: runbook, with: { name: inner } }\n",
        &["inner"],
    );
    let inner = |word: &str| {
        format!(
            "schema_version: 1\nid: inner\nsteps:\n  - {{ id: s, uses: command, with: {{ argv: [echo, {word}] }} }}\noutputs:\n  - {{ id: s, from: s }}\n"
        )
    };
    sandbox.write("runbooks/inner.yaml", inner("one"));
    sandbox.windlass(&["run", "c"]).exits_with(4);
    let told = sandbox.windlass(&["trust", "c"]).succeeds();
    assert!(
        told.stdout.contains(r#"inner/s runs ["echo","one"]"#),
        "{}",
        told.stdout
    );
    assert!(
        sandbox
            .windlass(&["run", "c"])
            .succeeds()
            .stdout
            .contains("one")
    );
    // A change to the nested runbook also revokes the trust in the outer one.
    sandbox.write("runbooks/inner.yaml", inner("two"));
    let answer = sandbox.windlass(&["run", "c"]).exits_with(4);
    assert!(!answer.stdout.contains("two"), "{}", answer.stdout);
}

#[test]
fn failed_program_shows_output_and_retries() {
    let steps = r#"
  - id: flaky
    uses: command
    with: { argv: [sh, -c, 'echo try >> tries; test $(wc -l < tries) -ge 3'] }
    retry: { max_attempts: 3, backoff: 1ms }
  - id: broken
    uses: command
    with: { argv: [sh, -c, 'echo no such thing >&2; exit 7'] }
    on_failure: continue
  - { id: after, uses: command, with: { argv: [echo, still here] }, needs: [broken] }
"#;
    let sandbox = runbook(steps, &["flaky", "broken", "after"]);
    let answer = sandbox
        .windlass(&["run", "c", "--allow-commands"])
        .succeeds();
    assert_eq!(sandbox.read("tries").lines().count(), 3);
    assert!(answer.stdout.contains("partial"), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("`sh` exited with 7")
            && answer.stdout.contains("stderr:\n      no such thing\n"),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.contains("still here"), "{}", answer.stdout);
}

#[test]
fn failed_output_can_be_paged() {
    let steps = "
  - id: tests
    uses: command
    with: { argv: [sh, -c, 'for n in $(seq 300); do echo check $n; done; echo one warning >&2; exit 1'] }
";
    let sandbox = runbook(steps, &["tests"]);
    let run = [
        "run",
        "c",
        "--allow-commands",
        "--format",
        "json",
        "--max-chars",
        "1500",
    ];
    let mut page = sandbox.windlass(&run).exits_with(1).json();
    let items = page["sections"][0]["items"].as_array().unwrap().clone();
    assert_eq!(items[0]["value"]["stderr"], "one warning\n");
    let tail = items[1]["value"]["stdout"].as_str().unwrap();
    assert!(tail.ends_with("check 299\ncheck 300"), "{tail}");
    let mut read = Vec::new();
    while let Some(cursor) = page["sections"][0]["next_cursor"].as_str() {
        let next = [
            "run",
            "--cursor",
            cursor,
            "--format",
            "json",
            "--max-chars",
            "1500",
        ];
        page = sandbox.windlass(&next).succeeds().json();
        let text = page["sections"][0]["items"][0]["value"]["stdout"]
            .as_str()
            .unwrap();
        read.extend(text.lines().map(str::to_owned));
    }
    read.extend(tail.lines().map(str::to_owned));
    let all: Vec<String> = (1..=300).map(|nr| format!("check {nr}")).collect();
    assert_eq!(read, all);

    let shown = sandbox.windlass(&["runs", "show"]).succeeds().stdout;
    assert!(
        shown.contains("standard error:\n")
            && shown.contains("standard output, 260 lines before:\n"),
        "{shown}"
    );
}

#[test]
fn timeout_ends_program_and_children() {
    let steps = "
  - id: slow
    uses: command
    with: { argv: [sh, -c, 'sleep 600 & echo $! > child; echo so far; wait'] }
    timeout: 200ms
";
    let sandbox = runbook(steps, &["slow"]);
    let answer = sandbox
        .windlass(&["run", "c", "--allow-commands"])
        .exits_with(1);
    assert!(
        answer.stdout.contains("took longer than its limit")
            && answer.stdout.contains("stdout:\n      so far\n"),
        "{}",
        answer.stdout
    );
    // Besides the shell, its child has to be gone as well.
    assert!(!is_running(sandbox.read("child").trim()));
}

#[test]
#[cfg(target_os = "linux")]
fn timeout_ends_detached_sessions() {
    // With its output redirected, the detached process doesn't even hold our pipe open.
    for output in ["", " > log 2>&1"] {
        let steps = format!(
            "
  - id: slow
    uses: command
    with: {{ argv: [sh, -c, 'setsid sh -c \"sleep 600 & echo \\$! > child; wait\"{output} & wait'] }}
    timeout: 500ms
"
        );
        let sandbox = runbook(&steps, &["slow"]);
        sandbox
            .windlass(&["run", "c", "--allow-commands"])
            .exits_with(1);
        let child = sandbox.read("child");
        assert!(!is_running(child.trim()), "{output}");
    }
}

#[test]
fn interrupt_ends_programs_and_cleans_up() {
    let sandbox = Sandbox::git();
    let text = "
schema_version: 1
id: c
steps:
  - { id: slow, uses: command, with: { argv: [sh, -c, 'sleep 600 & echo $! > child; echo begun >&2; echo started; wait'] } }
finally:
  - { id: clean, uses: command, with: { argv: [touch, cleaned] } }
outputs:
  - { id: slow, from: slow }
";
    sandbox.write("runbooks/c.yaml", text);
    std::process::Command::new("mkfifo")
        .arg(sandbox.root().join("ready"))
        .status()
        .unwrap();
    sandbox.edit("runbooks/c.yaml", "echo started", "echo started > ready");
    let mut command = sandbox.command(sandbox.root(), &["run", "c", "--allow-commands"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Opening the pipe waits until the step has started.
    let mut word = String::new();
    std::fs::File::open(sandbox.root().join("ready"))
        .unwrap()
        .read_to_string(&mut word)
        .unwrap();
    std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    let answer = child.wait_with_output().unwrap();
    assert_eq!(answer.status.code(), Some(130));
    let shown = String::from_utf8_lossy(&answer.stdout);
    assert!(shown.contains("stderr:\n      begun\n"), "{shown}");
    assert!(sandbox.root().join("cleaned").exists());
    assert!(!is_running(sandbox.read("child").trim()));
}

#[test]
#[cfg(unix)]
fn missing_interpreter_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let steps = "  - { id: say, uses: command, with: { argv: [./x.sh] } }\n";
    let sandbox = runbook(steps, &["say"]);
    sandbox.write("x.sh", "#!/no/such/bin -x\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.root().join("x.sh"), mode).unwrap();
    let run = ["run", "c", "--allow-commands"];
    let pack = sandbox.windlass(&run).exits_with(1).stdout;
    assert!(
        pack.contains("its interpreter `/no/such/bin` is not there"),
        "{pack}"
    );
    std::fs::remove_file(sandbox.root().join("x.sh")).unwrap();
    let pack = sandbox.windlass(&run).exits_with(1).stdout;
    assert!(pack.contains("there is no such program"), "{pack}");
}

#[test]
fn program_gets_only_given_environment() {
    let steps = "  - { id: env, uses: command, with: { argv: [env], env: { GIVEN: here }, inherit_env: [ASKED], parse: lines } }\n";
    let sandbox = runbook(steps, &["env"]);
    let mut command = sandbox.command(
        sandbox.root(),
        &["run", "c", "--allow-commands", "--format", "json"],
    );
    command
        .env("ASKED", "let through")
        .env("UNASKED", "kept out");
    let answer = crate::support::answer(&mut command).succeeds();
    let lines = answer.json()["sections"][0]["items"][0]["value"]["lines"].to_string();
    assert!(
        lines.contains("GIVEN=here") && lines.contains("ASKED=let through"),
        "{lines}"
    );
    assert!(!lines.contains("UNASKED"), "{lines}");
}

#[test]
fn endless_output_is_cut_or_stopped() {
    let steps = "  - { id: yes, uses: command, with: { argv: [sh, -c, 'yes | head -c 3000000'], max_output_bytes: 1000 } }\n";
    let sandbox = runbook(steps, &["yes"]);
    let answer = sandbox
        .windlass(&["run", "c", "--allow-commands", "--format", "json"])
        .succeeds();
    assert_eq!(
        answer.json()["sections"][0]["items"][0]["value"]["truncated"],
        true
    );
}

fn is_running(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A zombie is dead, but its parent hasn't waited for it yet.
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn untrusted_caller_gains_no_trust() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/tool.yaml",
        "schema_version: 1\nid: tool\ninputs:\n  script: { type: string, default: 'true' }\nsteps:\n  - { id: s, uses: command, with: { argv: [sh, -c, { $ref: '#/inputs/script' }] } }\noutputs:\n  - { id: s, from: s }\n",
    );
    sandbox.write(
        "runbooks/c.yaml",
        "schema_version: 1\nid: c\nsteps:\n  - { id: t, uses: runbook, with: { name: tool, inputs: { script: touch pwned } } }\noutputs:\n  - { id: t, from: t }\n",
    );
    sandbox.windlass(&["trust", "tool"]).succeeds();
    // The trust in `tool` covers its own default, but not an input from an untrusted caller.
    sandbox.windlass(&["run", "c"]).exits_with(4);
    assert!(!sandbox.root().join("pwned").exists());
    sandbox.edit("runbooks/c.yaml", ", inputs: { script: touch pwned }", "");
    sandbox.windlass(&["run", "c"]).succeeds();
    sandbox
        .windlass(&["trust", "runbooks/tool.yaml", "--revoke"])
        .succeeds();
    sandbox.windlass(&["run", "c"]).exits_with(4);
}

#[test]
fn runbook_may_nest_one_with_its_id() {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "runbooks/a.yaml",
            "schema_version: 1\nid: b\nsteps: [{ id: n, uses: runbook, with: { name: b } }]\noutputs: [{ id: n, from: n }]\n",
        )
        .write(
            "runbooks/b.yaml",
            "schema_version: 1\nid: b\nsteps: [{ id: say, uses: command, with: { argv: [echo, hello] } }]\noutputs: [{ id: say, from: say }]\n",
        );
    sandbox.windlass(&["run", "runbooks/a.yaml"]).exits_with(4);
    let told = sandbox.windlass(&["trust", "runbooks/a.yaml"]).succeeds();
    assert!(told.stdout.contains("echo"), "{}", told.stdout);
    sandbox.windlass(&["run", "runbooks/a.yaml"]).succeeds();
}

#[test]
fn changed_script_ends_trust() {
    let steps = "  - { id: one, uses: command, with: { argv: [bash, -eu, tools/one.sh] } }\n  \
                   - { id: two, uses: command, with: { argv: [sh, ../two.sh], cwd: tools } }\n  \
                   - { id: three, uses: command, with: { argv: [sh, -c, 'test ! -e three.sh || sh three.sh', three.sh] } }\n  \
                   - { id: four, uses: command, with: { argv: [sh, four.sh], ok_exit_codes: [0, 2, 127] } }\n";
    let sandbox = runbook(steps, &["one", "two", "three", "four"]);
    sandbox
        .write("tools/one.sh", "echo one\n")
        .write("two.sh", "echo two\n");
    let told = sandbox.windlass(&["trust", "c"]).succeeds();
    for line in ["starts tools/one.sh  b", "starts two.sh  b"] {
        assert!(told.stdout.contains(line), "{}", told.stdout);
    }
    assert!(!told.stdout.contains("three.sh  "), "{}", told.stdout);
    sandbox.windlass(&["run", "c"]).succeeds();

    for (file, old) in [("tools/one.sh", "one"), ("two.sh", "two")] {
        sandbox.edit(file, old, "pwned");
        let refused = sandbox.windlass(&["run", "c"]).exits_with(4);
        assert!(!refused.stdout.contains("pwned"), "{}", refused.stdout);
        sandbox.edit(file, "pwned", old);
        sandbox.windlass(&["run", "c"]).succeeds();
    }
    // During the review, this script didn't exist.
    sandbox.write("four.sh", "echo pwned\n");
    sandbox.windlass(&["run", "c"]).exits_with(4);
}

#[test]
fn trust_covers_indirect_programs() {
    let steps = "  - { id: one, uses: command, with: { argv: [tool], env: { PATH: 'bin:/usr/bin:/bin' } } }\n  \
                   - { id: two, uses: command, with: { argv: [timeout, '9', ./two] } }\n  \
                   - { id: three, uses: command, with: { argv: [bash, --rcfile, pre.sh, main.sh] } }\n  \
                   - { id: four, uses: command, with: { argv: [sh, -c, ':'], env: { ENV: rc } } }\n  \
                   - { id: five, uses: command, with: { argv: [cat, data.txt] } }\n";
    let sandbox = runbook(steps, &["one", "two", "three", "four", "five"]);
    for program in ["bin/tool", "two"] {
        sandbox.write(program, "#!/bin/sh\n");
        let chmod = ["+x", program];
        let done = std::process::Command::new("chmod")
            .args(chmod)
            .current_dir(sandbox.root())
            .status();
        assert!(done.unwrap().success());
    }
    for file in ["pre.sh", "main.sh", "rc", "data.txt"] {
        sandbox.write(file, "# x\n");
    }
    let told = sandbox.windlass(&["trust", "c"]).succeeds().stdout;
    let variables = r#"c/one runs ["tool"], with the variables {"PATH":"bin:/usr/bin:/bin"}"#;
    assert!(
        told.contains(variables) && told.contains("  c/one may start or load other files"),
        "{told}"
    );
    assert!(
        told.contains("`two` may load files that it names itself"),
        "{told}"
    );
    assert!(
        !told.contains("c/five may start") && !told.contains("data.txt  b"),
        "{told}"
    );
    let ran = sandbox.windlass(&["run", "c"]).succeeds().stdout;
    assert!(
        ran.contains("not covered by trust: `two` may load files that it names itself"),
        "{ran}"
    );
    for file in ["bin/tool", "two", "pre.sh", "main.sh", "rc"] {
        let before = sandbox.read(file);
        sandbox.write(file, format!("{before}# changed\n"));
        sandbox.windlass(&["run", "c"]).exits_with(4);
        sandbox.write(file, before);
    }
    // `cat` doesn't run its argument, so this file may change.
    sandbox.write("data.txt", "changed\n");
    sandbox.windlass(&["run", "c"]).succeeds();
}

#[cfg(unix)]
#[test]
fn unreadable_program_is_not_trusted() {
    let sandbox = runbook(
        "  - { id: s, uses: command, with: { argv: [./tool] } }\n",
        &["s"],
    );
    std::os::unix::fs::symlink("/bin/echo", sandbox.root().join("tool")).unwrap();
    for arguments in [&["trust", "c"][..], &["trust", "c", "--dry-run"]] {
        let refused = sandbox.windlass(arguments).exits_with(4);
        let why = "`tool`, which a step starts, cannot be trusted: it is outside the repository";
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    sandbox.windlass(&["run", "c"]).exits_with(4);
    sandbox
        .windlass(&["run", "c", "--allow-commands"])
        .succeeds();
}

#[test]
fn trust_list_shows_changed_runbooks() {
    let sandbox = runbook(ECHO, &["say"]);
    sandbox.windlass(&["trust", "c"]).succeeds();
    let listed = |sandbox: &Sandbox| sandbox.windlass(&["trust", "--list"]).succeeds().stdout;
    let doctor = |sandbox: &Sandbox| sandbox.windlass(&["doctor"]).succeeds().stdout;
    assert!(
        !listed(&sandbox).contains("changed"),
        "{}",
        listed(&sandbox)
    );
    assert!(doctor(&sandbox).contains("1 runbook may start programs"));

    sandbox.edit("runbooks/c.yaml", "hello", "goodbye");
    let now = listed(&sandbox);
    assert!(
        now.contains("changed since, and not trusted in its current version"),
        "{now}"
    );
    assert!(now.contains(r#"c/say runs ["echo","goodbye"]"#), "{now}");
    let json = sandbox
        .windlass(&["trust", "--list", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(json["trusted"][0]["state"], "changed");
    assert_eq!(json["trusted"][0]["now"]["commands"][0]["step"], "say");
    let said = doctor(&sandbox);
    assert!(
        said.contains("no runbook is trusted to start programs"),
        "{said}"
    );
    assert!(
        said.contains(r#"`c` changed since it was trusted; it requests ["echo","goodbye"]"#),
        "{said}"
    );

    sandbox.windlass(&["trust", "c"]).succeeds();
    assert!(listed(&sandbox).contains("an earlier version"));
    assert!(doctor(&sandbox).contains("1 runbook may start programs"));
    sandbox.edit("runbooks/c.yaml", "schema_version: 1", "schema_version: 0");
    assert!(listed(&sandbox).contains("cannot be used"));
}

#[test]
fn trusting_secrets_file_lists_openings() {
    let sandbox = runbook(ECHO, &["say"]);
    sandbox.write(".windlass/secrets", "private/**\n!keys/demo.pem\n");
    for arguments in [
        &["trust", ".windlass/secrets", "--dry-run"][..],
        &["trust", ".windlass/secrets"],
        &["trust", ".windlass/secrets", "--dry-run"],
        &["trust", ".windlass/secrets"],
    ] {
        let told = sandbox.windlass(arguments).succeeds();
        assert!(told.stdout.contains("!keys/demo.pem"), "{}", told.stdout);
    }
    let doctor = sandbox.windlass(&["doctor"]).succeeds().stdout;
    assert!(
        doctor.contains("no runbook is trusted to start programs"),
        "{doctor}"
    );
    assert!(
        doctor.contains("whose lines make paths readable: `!keys/demo.pem` (line 2)"),
        "{doctor}"
    );

    sandbox.edit(".windlass/secrets", "demo", "live");
    let doctor = sandbox.windlass(&["doctor"]).succeeds().stdout;
    assert!(
        doctor.contains(".windlass/secrets changed since it was trusted, and would make paths readable: `!keys/live.pem`"),
        "{doctor}"
    );
    let listed = sandbox.windlass(&["trust", "--list"]).succeeds().stdout;
    assert!(
        listed.contains("changed since") && listed.contains("!keys/live.pem"),
        "{listed}"
    );
}
