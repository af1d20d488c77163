//! Secrets never leave the repository.

use crate::support::Sandbox;

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

fn with_runbook(steps: &str, from: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    let text = format!(
        "schema_version: 1\nid: s\nsteps:\n{steps}outputs:\n  - {{ id: out, title: Out, from: {from} }}\n"
    );
    sandbox.write("runbooks/s.yaml", text);
    sandbox
}

#[test]
fn token_in_source_is_redacted_everywhere() {
    let sandbox = with_runbook(
        "  - { id: found, uses: search, with: { pattern: token } }\n",
        "found",
    );
    sandbox
        .write("src/config.py", format!("token = \"{TOKEN}\"\nother = 1\n"))
        .commit("x");
    sandbox
        .windlass(&["anchor", "add", "config", "src/config.py:1-2"])
        .succeeds();
    for args in [
        &["run", "s"][..],
        &["run", "s", "--format", "json"],
        &["run", "s", "--format", "markdown"],
        &["anchor", "show", "config"],
        &["anchor", "show", "config", "--format", "json"],
        &["anchor", "check", "--format", "jsonl"],
    ] {
        let answer = sandbox.windlass(args).succeeds();
        assert!(
            !answer.stdout.contains("ghp_0123"),
            "{args:?}:\n{}",
            answer.stdout
        );
    }
    let shown = sandbox.windlass(&["anchor", "show", "config"]).stdout;
    assert!(
        shown.contains("[redacted:") && shown.contains("other = 1"),
        "{shown}"
    );
    // The files that Windlass stores don't have the token either.
    for file in walk(&sandbox.home()) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("ghp_0123"), "{}", file.display());
    }
}

#[test]
fn secret_files_are_closed_through_links() {
    let sandbox = with_runbook(
        "  - { id: r, uses: read, with: { file: notes.txt } }\n",
        "r",
    );
    sandbox.write(".env", "PASSWORD=hunter2hunter2\n");
    std::os::unix::fs::symlink(".env", sandbox.root().join("notes.txt")).unwrap();
    for file in [".env:1", "notes.txt:1"] {
        let answer = sandbox
            .windlass(&["anchor", "add", "x", file])
            .exits_with(4);
        assert!(!answer.stderr.contains("hunter2"), "{}", answer.stderr);
    }
    let answer = sandbox.windlass(&["run", "s"]).exits_with(1);
    assert!(!answer.stdout.contains("hunter2"), "{}", answer.stdout);
    assert!(answer.stdout.contains("secret"), "{}", answer.stdout);
}

#[test]
fn link_out_of_repo_is_not_followed() {
    let sandbox = with_runbook("  - { id: r, uses: read, with: { file: link.txt } }\n", "r");
    std::fs::write(sandbox.outside().join("private.txt"), "private things\n").unwrap();
    std::os::unix::fs::symlink(
        sandbox.outside().join("private.txt"),
        sandbox.root().join("link.txt"),
    )
    .unwrap();
    let answer = sandbox.windlass(&["run", "s"]).exits_with(1);
    assert!(
        !answer.stdout.contains("private things"),
        "{}",
        answer.stdout
    );
}

#[test]
fn program_output_is_scanned() {
    let sandbox = with_runbook(
        &format!("  - {{ id: c, uses: command, with: {{ argv: [echo, 'key {TOKEN}'] }} }}\n"),
        "c",
    );
    let answer = sandbox
        .windlass(&["run", "s", "--allow-commands"])
        .succeeds();
    assert!(
        answer.stdout.contains("[redacted:") && !answer.stdout.contains("ghp_0123"),
        "{}",
        answer.stdout
    );
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn secret_list_is_narrowed_only_by_trust() {
    let sandbox = with_runbook(
        "  - { id: r, uses: read, with: { file: keys/demo.pem } }\n",
        "r",
    );
    sandbox
        .write("keys/demo.pem", "not a key\n")
        .write("private/plan.txt", "the plan\n");
    sandbox.write(".windlass/secrets", "private/**\n!keys/demo.pem\n");
    // As long as nobody trusts the file, it can add secrets, but can't take any off the list.
    sandbox
        .windlass(&["anchor", "add", "x", "private/plan.txt:1"])
        .exits_with(4);
    sandbox.windlass(&["run", "s"]).exits_with(1);
    let doctor = sandbox.windlass(&["doctor"]).succeeds();
    assert!(
        doctor.stdout.contains("!keys/demo.pem"),
        "{}",
        doctor.stdout
    );

    sandbox.windlass(&["trust", ".windlass/secrets"]).succeeds();
    assert!(
        sandbox
            .windlass(&["run", "s"])
            .succeeds()
            .stdout
            .contains("not a key")
    );
    sandbox
        .windlass(&["anchor", "add", "x", "private/plan.txt:1"])
        .exits_with(4);
    // The file has changed, so its exceptions have to be trusted again.
    sandbox.edit(".windlass/secrets", "private", "secret");
    sandbox.windlass(&["run", "s"]).exits_with(1);
}

#[test]
fn labels_inputs_and_errors_are_redacted() {
    let steps = format!(
        "  - {{ id: lit, uses: select, with: {{ from: ['{TOKEN}', {{ $ref: '#/inputs/key' }}] }} }}\n  \
           - {{ id: fail, uses: command, with: {{ argv: [sh, -c, 'exit 3', '{TOKEN}'] }}, on_failure: continue }}\n"
    );
    let sandbox = with_runbook(&steps, "lit");
    sandbox.edit("runbooks/s.yaml", "id: s\n", &format!("id: s\ntitle: 'a {TOKEN}'\ninputs:\n  key: {{ type: string, default: '{TOKEN}' }}\n  count: {{ type: integer, default: 1 }}\n"));
    sandbox.edit(
        "runbooks/s.yaml",
        "outputs:\n",
        "outputs:\n  - { id: fail, from: fail }\n",
    );
    sandbox.write("a.txt", "x\n").write(
        "runbooks/bad.yaml",
        format!("schema_version: 1\nid: bad\nstepz: '{TOKEN}'\n"),
    );
    let add = ["anchor", "add", "x", "a.txt:1", "-l"];
    let label = format!("label {TOKEN}");
    let refused = sandbox.windlass(&[&add[..], &[&label]].concat());
    let refused = refused.exits_with(4).stderr;
    assert!(!refused.contains("ghp_0123"), "{refused}");
    // The file may be edited by hand.
    sandbox
        .windlass(&[&add[..], &["label TOKEN"]].concat())
        .succeeds();
    let notebook = sandbox.notebook();
    let text = std::fs::read_to_string(&notebook).unwrap();
    std::fs::write(&notebook, text.replace("label TOKEN", &label)).unwrap();
    let count = format!("count={TOKEN}");
    for args in [
        &["run", "s", "--allow-commands"][..],
        &["run", "s", "--allow-commands", "--format", "json"],
        &[
            "run",
            "s",
            "--allow-commands",
            "--format",
            "markdown",
            "--response-mode",
            "full",
        ],
        &["run", "s", "--input", &count],
        &["plan", "s"],
        &["plan", "s", "--format", "json"],
        &["plan", "s", "--format", "dot"],
        &["plan", "s", "--explain"],
        &["trust", "s", "--dry-run"],
        &["trust", "s", "--dry-run", "--format", "json"],
        &["check", "bad"],
        &["check", "bad", "--format", "json"],
        &["anchor", "list"],
        &["anchor", "list", "--format", "json"],
        &["anchor", "show", "x"],
        &["anchor", "check", "--format", "jsonl"],
        &["-vv", "run", "s", "--allow-commands"],
    ] {
        let answer = sandbox.windlass(args);
        let said = answer.stdout + &answer.stderr;
        assert!(!said.contains("ghp_0123"), "{args:?}:\n{said}");
        assert!(!said.is_empty(), "{args:?}");
    }
}

#[test]
fn outside_documents_expose_no_secrets() {
    let sandbox = with_runbook(
        "  - { id: r, uses: runbook, with: { name: /etc/passwd } }\n",
        "r",
    );
    let answer = sandbox.windlass(&["run", "s"]);
    assert!(
        answer.code != 0 && !answer.stdout.contains("root:"),
        "{}",
        answer.stdout
    );
    let key = sandbox.outside().join("id_rsa");
    std::fs::write(&key, "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n").unwrap();
    let answer = sandbox
        .windlass(&["check", key.to_str().unwrap()])
        .exits_with(4);
    assert!(!answer.stderr.contains("MIIE"), "{}", answer.stderr);
    let answer = sandbox.windlass(&["check", "/etc/passwd"]);
    assert!(
        answer.code != 0 && !answer.stderr.contains("root:"),
        "{}",
        answer.stderr
    );
}

#[test]
fn secret_is_not_split_by_cut() {
    // If the output were cut first, the start of the token would be left, and no rule recognizes
    // that.
    let steps = format!(
        "  - {{ id: c, uses: command, with: {{ argv: [echo, 'prefix {TOKEN}'], max_output_bytes: 20 }} }}\n"
    );
    let sandbox = with_runbook(&steps, "c");
    let answer = sandbox
        .windlass(&["run", "s", "--allow-commands"])
        .succeeds();
    assert!(!answer.stdout.contains("ghp_"), "{}", answer.stdout);
}

#[test]
fn invalid_secret_list_opens_nothing() {
    let sandbox = with_runbook("  - { id: r, uses: read, with: { file: a.txt } }\n", "r");
    sandbox
        .write("a.txt", "x\n")
        .write(".windlass/secrets", "priv[ate/**\n");
    let answer = sandbox.windlass(&["run", "s"]);
    assert!(
        answer.code != 0 && answer.stdout.is_empty(),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stderr.contains(".windlass/secrets"),
        "{}",
        answer.stderr
    );
}

#[test]
fn log_output_is_redacted() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/v.yaml",
        "schema_version: 1\nid: v\ninputs: { token: { type: string } }\nsteps:\n  - { id: a, uses: command, with: { argv: [{ $ref: '#/inputs/token' }] } }\noutputs: [{ id: a, from: a }]\n",
    );
    let input = format!("token=/nowhere/{TOKEN}");
    let args = ["-vvv", "run", "v", "--allow-commands", "--input", &input];
    let answer = sandbox.windlass(&args).exits_with(1);
    assert!(answer.stderr.contains("step ended"), "{}", answer.stderr);
    for text in [&answer.stdout, &answer.stderr] {
        assert!(!text.contains("ghp_0123"), "{text}");
    }
}

#[test]
fn token_in_file_name_is_redacted() {
    let steps = "  - { id: found, uses: search, with: { pattern: needle } }\n  \
                   - { id: all, uses: files, with: { globs: ['**/*.md'] } }\n";
    let sandbox = with_runbook(steps, "found");
    let runbook = sandbox.read("runbooks/s.yaml");
    sandbox.write("runbooks/s.yaml", runbook + "  - { id: all, from: all }\n");
    let (file, folder) = (format!("notes-{TOKEN}.md"), format!("d-{TOKEN}/ok.md"));
    sandbox
        .write(&file, "a needle of some length\n")
        .write(&folder, "one more needle, and more\n")
        .write("plain.md", "the last needle of them\n");
    for (id, file) in [("one", &file), ("two", &folder)] {
        let said = sandbox
            .windlass(&["anchor", "add", id, &format!("{file}:1")])
            .succeeds();
        assert!(!said.stderr.contains("ghp_0123"), "{}", said.stderr);
    }
    // Moved evidence in a file that can't be named isn't offered for capture.
    sandbox.write(&file, "a line before\na needle of some length\n");
    for args in [
        &["run", "s"][..],
        &["run", "s", "--format", "json"],
        &["run", "s", "--format", "markdown"],
        &["anchor", "list"],
        &["anchor", "list", "--format", "json"],
        &["anchor", "check", "--format", "jsonl"],
        &["anchor", "show", "one", "two"],
        &["anchor", "show", "one", "two", "--format", "json"],
        &["anchor", "add", "x", &format!("no-{TOKEN}.md:1")],
        &["run", &format!("no-{TOKEN}.yaml")],
    ] {
        let answer = sandbox.windlass(args);
        let said = answer.stdout + &answer.stderr;
        assert!(!said.contains("ghp_0123"), "{args:?}:\n{said}");
        assert!(said.contains("[redacted:"), "{args:?}:\n{said}");
    }
    let shown = sandbox.windlass(&["run", "s"]).succeeds().stdout;
    for part in [
        "notes-[redacted:github-token].md:2  a needle of some length  its name contains a secret value",
        "d-[redacted:github-token]/ok.md:1  one more needle",
        "plain.md:1  the last needle of them\n",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let shown = sandbox
        .windlass(&["run", "s", "--format", "json"])
        .succeeds()
        .json();
    let items = shown["sections"][0]["items"].as_array().unwrap();
    let redacted = items
        .iter()
        .filter(|item| item["evidence"][0]["file_redacted"] == true);
    assert_eq!(redacted.count(), 2, "{shown}");
    let listed = sandbox.windlass(&["anchor", "list"]).stdout;
    assert!(listed.contains("moved"), "{listed}");
    assert!(!listed.contains("anchor add"), "{listed}");

    let cut = sandbox
        .windlass(&["run", "s", "--format", "json", "--max-chars", "1000"])
        .succeeds();
    assert!(!cut.stdout.contains("cursor"), "{}", cut.stdout);
    assert!(cut.stdout.contains("raise the budget"), "{}", cut.stdout);
    for part in [
        "the rest of the pack is not stored",
        "the pack is not recorded",
    ] {
        assert!(cut.stderr.contains(part), "{}", cut.stderr);
    }
    let cut = sandbox
        .windlass(&["anchor", "show", "one", "two", "--max-chars", "200"])
        .succeeds();
    assert!(
        cut.stderr.contains("the rest of the pack is not stored"),
        "{}",
        cut.stdout
    );
    for file in walk(&sandbox.home().join(".local/state")) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("ghp_0123"), "{}: {text}", file.display());
    }
    // The run wasn't recorded, so there's nothing to replay.
    sandbox.windlass(&["runs", "replay"]).exits_with(3);
}
