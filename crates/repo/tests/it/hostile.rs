//! Tests with repositories whose settings name programs. None of these programs may run.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use windlass_base::Cancel;

use crate::git::{git, git_command};
use crate::support::{Sandbox, at};

/// Creates a program that leaves a mark if it runs.
fn trap(sandbox: &Sandbox) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let program = sandbox.outside().join("trap.sh");
    let mark = sandbox.outside().join("sprung");
    fs::write(
        &program,
        format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", mark.display()),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.display().to_string()
}

/// Creates a repository that gives git many reasons to run programs: a signed commit, attributes
/// with drivers, a hook for every event, a file that looks changed, another one that git has to
/// open, and a blob that only a remote has.
fn baited() -> (Sandbox, String) {
    let sandbox = Sandbox::committed(&[
        ("a", "1\n"),
        ("b", "1\n"),
        ("lost", "only elsewhere\n"),
        (
            ".gitattributes",
            "* filter=evil diff=evil merge=evil\na filter=e.v=il\n",
        ),
    ]);
    sign_head(&sandbox);
    let program = trap(&sandbox);
    let hooks = sandbox.outside().join("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
    ] {
        fs::copy(sandbox.outside().join("trap.sh"), hooks.join(hook)).unwrap();
        let usual = sandbox.at(".git/hooks");
        fs::create_dir_all(&usual).unwrap();
        fs::copy(sandbox.outside().join("trap.sh"), usual.join(hook)).unwrap();
    }
    let lost = git(&sandbox.root(), &["rev-parse", "HEAD:lost"]);
    let object = format!(".git/objects/{}/{}", &lost[..2], &lost[2..]);
    fs::remove_file(sandbox.at(&object)).unwrap();
    sandbox.write("a", "other\n");
    // The size and the contents are the same, so git has to read the file through the filter to
    // notice that.
    sandbox.write("b", "1\n");
    (sandbox, program)
}

/// Signs the newest commit, so that git could try to verify the signature.
fn sign_head(sandbox: &Sandbox) {
    let plain = git(&sandbox.root(), &["cat-file", "commit", "HEAD"]);
    let (head, message) = plain.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----";
    let mut child = git_command(&sandbox.root())
        .args(["hash-object", "-t", "commit", "-w", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    write!(stdin, "{head}\n{signature}\n\n{message}\n").unwrap();
    drop(stdin);
    let id = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    git(&sandbox.root(), &["update-ref", "HEAD", id.trim()]);
}

fn plant(sandbox: &Sandbox, file: &Path, key: &str, value: &str) {
    let file = file.display().to_string();
    let folder = sandbox.outside();
    git(&folder, &["config", "--file", &file, "--add", key, value]);
}

/// Returns settings that make git start `program`, each on its own. If a new version of git gets
/// another one, add it here.
fn evil_settings(sandbox: &Sandbox, program: &str) -> Vec<Vec<(&'static str, String)>> {
    let hooks = sandbox.outside().join("hooks").display().to_string();
    let elsewhere = sandbox.outside().display().to_string();
    let remote = format!("ext::{program} %S");
    let one = |key, value: &str| vec![(key, value.to_owned())];
    vec![
        one("core.fsmonitor", program),
        one("core.hooksPath", &hooks),
        one("core.pager", program),
        one("pager.log", program),
        one("pager.diff", program),
        one("core.editor", program),
        one("core.askPass", program),
        one("core.sshCommand", program),
        one("core.gitProxy", program),
        one("core.alternateRefsCommand", program),
        one("core.worktree", &elsewhere),
        one("alias.log", &format!("!{program}")),
        one("alias.symbolic-ref", &format!("!{program}")),
        one("diff.external", program),
        one("diff.evil.command", program),
        one("diff.evil.textconv", program),
        one("interactive.diffFilter", program),
        one("merge.evil.driver", program),
        vec![
            ("filter.evil.clean", program.to_owned()),
            ("filter.evil.smudge", program.to_owned()),
            ("filter.evil.required", "true".to_owned()),
        ],
        vec![
            ("filter.e.v=il.process", program.to_owned()),
            ("filter.e.v=il.required", "true".to_owned()),
        ],
        vec![
            ("log.showSignature", "true".to_owned()),
            ("gpg.program", program.to_owned()),
            ("gpg.openpgp.program", program.to_owned()),
            ("gpg.ssh.program", program.to_owned()),
        ],
        one("credential.helper", program),
        one("uploadpack.packObjectsHook", program),
        vec![
            ("core.repositoryFormatVersion", "1".to_owned()),
            ("extensions.partialClone", "evil".to_owned()),
            ("remote.evil.promisor", "true".to_owned()),
            ("remote.evil.url", remote),
            ("protocol.allow", "always".to_owned()),
            ("protocol.ext.allow", "always".to_owned()),
        ],
    ]
}

fn ask_everything(sandbox: &Sandbox) {
    let git_of = sandbox.git();
    let changes = git_of.working_tree().changes_since("HEAD").unwrap();
    let paths: Vec<_> = changes
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths, ["a"]);
    git_of.revisions().head().unwrap();
    git_of.commits().log(None, &[at("a")], 9).unwrap();
    git_of.worktrees().unwrap();
    git_of.commits().root_commits().unwrap();
    let snapshot = sandbox.snapshot();
    let head = snapshot.head_commit(&Cancel::default()).unwrap();
    let history = snapshot.history();
    history.file(&head, None, &at("a")).unwrap();
    git_of.blame().writers_of(&at("a"), &[1]).unwrap();
    history.file(&head, None, &at("lost")).unwrap_err();
}

#[test]
fn configured_programs_never_run() {
    let (sandbox, program) = baited();
    let sprung = sandbox.outside().join("sprung");
    let config = sandbox.at(".git/config");
    let clean = fs::read(&config).unwrap();
    let evil = evil_settings(&sandbox, &program);
    // Test each setting alone, then all of them together, and then all in an included file.
    let alone = evil
        .iter()
        .map(|settings| (settings.clone(), config.clone()));
    let together: Vec<_> = evil.iter().flatten().cloned().collect();
    let included = sandbox.outside().join("included");
    let rounds = alone.chain([
        (together.clone(), config.clone()),
        (together, included.clone()),
    ]);
    for (settings, file) in rounds {
        fs::write(&config, &clean).unwrap();
        for (key, value) in &settings {
            plant(&sandbox, &file, key, value);
        }
        if file == included {
            let included = included.display().to_string();
            plant(&sandbox, &config, "include.path", &included);
        }
        ask_everything(&sandbox);
        let left = fs::read_to_string(&sprung).unwrap_or_default();
        assert_eq!(left, "", "this was run by {settings:?}");
    }
    // Make sure that the traps do work if git runs without our protection. Otherwise, this test
    // would prove nothing.
    for careless in [
        &["diff", "--stat"][..],
        &["log", "-1"],
        &["cat-file", "-p", "HEAD:lost"],
    ] {
        let _ = git_command(&sandbox.root())
            .args(careless)
            .env("GIT_WORK_TREE", sandbox.root())
            .output();
        assert!(sprung.exists(), "{careless:?}");
        fs::remove_file(&sprung).unwrap();
    }
}
