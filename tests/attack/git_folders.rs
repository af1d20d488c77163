//! `.git` folders that were delivered with a repository, in an archive or on a shared disk.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::support::Sandbox;

/// Settings of git that name a program; `@` stands for it.
const PROGRAMS: &str = "
[core]
	fsmonitor = @
	pager = @
	editor = @
	sshCommand = @
	askPass = @
	gitProxy = @
	alternateRefsCommand = @
[diff]
	external = @
[diff \"x\"]
	textconv = @
	command = @
[filter \"x\"]
	clean = @
	smudge = @
	process = @
	required = true
[merge \"x\"]
	driver = @
[gpg]
	program = @
[log]
	showSignature = true
[credential]
	helper = @
[pager]
	log = @
	blame = @
	diff = @
	status = @
[alias]
	log = !@
	cat-file = !@
[uploadpack]
	packObjectsHook = @
[remote \"origin\"]
	url = ext::@
	promisor = true
[extensions]
	partialClone = origin
[interactive]
	diffFilter = @
";

/// Hooks that git runs for commands that only read, and for those that write.
const HOOKS: [&str; 6] = [
    "post-index-change",
    "fsmonitor-watchman",
    "reference-transaction",
    "post-checkout",
    "pre-auto-gc",
    "pre-commit",
];

const RUNBOOK: &str = "schema_version: 1\nid: all\ntitle: All\nsteps:\n  - { id: log, uses: git, with: { show: log } }\n  \
    - { id: changes, uses: git, with: { show: changes } }\n  - { id: files, uses: files }\noutputs:\n  \
    - { id: log, from: log }\n  - { id: changes, from: changes }\n  - { id: files, from: files }\n";

/// Commands that ask git for history, differences, contents and the state of the working tree.
const COMMANDS: [&[&str]; 14] = [
    &["run", "all"],
    &["anchor", "add", "lines", "a.txt:2-3"],
    &["anchor", "check"],
    &["anchor", "scan"],
    &["anchor", "repair", "--dry-run"],
    &["impact", "--base", "HEAD~1"],
    &["find", "the line number"],
    &["pack", "build", "see to the lines", "--base", "HEAD~1"],
    &["bead", "create", "See to it"],
    &["events", "sync"],
    &["suggest"],
    &["doctor"],
    &["status"],
    &["init"],
];

/// Creates a repository with two commits and an uncommitted change, and a program that leaves a
/// file if it's ever run.
fn delivered() -> (Sandbox, PathBuf, PathBuf) {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", crate::support::numbered(1, 20));
    sandbox.write("runbooks/all.yaml", RUNBOOK).commit("one");
    sandbox
        .edit("a.txt", "number 9", "number nine")
        .commit("two");
    sandbox.edit("a.txt", "number 8", "number eight");
    // With this file, the filters, differences and merges of the settings apply to every file.
    sandbox.write(".gitattributes", "* filter=x diff=x merge=x\n");
    let (program, trace) = (
        sandbox.outside().join("program"),
        sandbox.outside().join("trace"),
    );
    let script = format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", trace.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (sandbox, program, trace)
}

/// Runs all commands, and checks that none crashes and that the planted program wasn't run.
fn check_commands(sandbox: &Sandbox, trace: &Path, planted: &str) {
    for command in COMMANDS {
        let answer = sandbox.windlass(&[&["--actor", "ann"], command].concat());
        assert!(
            (0..=6).contains(&answer.code),
            "{command:?}: {}",
            answer.stderr
        );
        let ran = fs::read_to_string(trace).unwrap_or_default();
        assert!(ran.is_empty(), "{planted} ran in {command:?}: {ran}");
    }
}

#[test]
fn programs_of_git_config_do_not_run() {
    let (sandbox, program, trace) = delivered();
    let hostile = PROGRAMS.replace('@', program.to_str().unwrap());
    let config = sandbox.read(".git/config");
    sandbox.write(".git/config", config.clone() + &hostile);
    check_commands(&sandbox, &trace, "a program of `.git/config`");
    let included = sandbox.outside().join("included");
    fs::write(&included, hostile).unwrap();
    sandbox.write(
        ".git/config",
        format!("{config}[include]\n\tpath = {}\n", included.display()),
    );
    check_commands(&sandbox, &trace, "a program of an included file");
}

#[test]
fn hooks_of_delivered_git_folder_do_not_run() {
    let (sandbox, program, trace) = delivered();
    for hook in HOOKS {
        fs::create_dir_all(sandbox.root().join(".git/hooks")).unwrap();
        fs::copy(&program, sandbox.root().join(".git/hooks").join(hook)).unwrap();
    }
    check_commands(&sandbox, &trace, "a hook");
}

/// Ways in which a folder claims the git folder of another repository as its own.
const CLAIMS: [&str; 4] = [
    "a `.git` file",
    "a `.git` link",
    "a common folder",
    "a working tree",
];

fn claim(folder: &Path, victim: &Path, how: &str) {
    let git = folder.join(".git");
    match how {
        "a `.git` file" => {
            fs::remove_dir_all(&git).unwrap();
            fs::write(git, format!("gitdir: {}/.git\n", victim.display())).unwrap();
        }
        "a `.git` link" => {
            fs::remove_dir_all(&git).unwrap();
            symlink(victim.join(".git"), git).unwrap();
        }
        "a common folder" => {
            fs::write(
                git.join("commondir"),
                format!("{}/.git\n", victim.display()),
            )
            .unwrap();
        }
        _ => {
            let config = fs::read_to_string(git.join("config")).unwrap();
            let more = format!("[core]\n\tworktree = {}\n", victim.display());
            fs::write(git.join("config"), config + &more).unwrap();
        }
    }
}

#[test]
fn other_repository_is_neither_shown_nor_written() {
    for how in CLAIMS {
        let (sandbox, victim) = (Sandbox::git(), Sandbox::git());
        victim
            .write("hidden.txt", "hidden words\n")
            .commit("hidden message");
        victim.write("hidden.txt", "hidden words, changed\n");
        sandbox
            .write("a.txt", "one\n")
            .write("runbooks/all.yaml", RUNBOOK);
        sandbox.commit("one");
        claim(sandbox.root(), victim.root(), how);
        for command in COMMANDS.iter().chain(&[&["find", "hidden words"][..]]) {
            let answer = sandbox.windlass(&[&["--actor", "ann"], *command].concat());
            assert!(
                (0..=6).contains(&answer.code),
                "{how} {command:?}: {}",
                answer.stderr
            );
            let shown = answer.stdout + &answer.stderr;
            // Suggested commands repeat the words that the user has typed.
            let shown = shown.replace("find hidden words", "");
            assert!(!shown.contains("hidden"), "{how} {command:?}: {shown}");
        }
        let names = |folder: &Path| {
            let entries = fs::read_dir(folder).unwrap();
            entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect::<Vec<_>>()
        };
        assert!(
            !names(&victim.root().join(".git")).contains(&"windlass".to_owned()),
            "{how}"
        );
        // These are `.git` and `hidden.txt`.
        assert_eq!(names(victim.root()).len(), 2, "{how}");
    }
}
