use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::contents;
use crate::support::Sandbox;
use crate::workout::{COMMANDS, Own, check_ends, own, worked_repository};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plant {
    Link,
    /// A link to a missing file.
    Dangling,
    SecondName,
    Pipe,
    Huge,
    Folder,
}

const PLANTS: [Plant; 6] = [
    Plant::Link,
    Plant::Dangling,
    Plant::SecondName,
    Plant::Pipe,
    Plant::Huge,
    Plant::Folder,
];

/// Number of rounds. Each uses other files, because damage to one file can hide a write to the
/// next.
const ROUNDS: usize = 3;

/// The contents of another user's file.
const VICTIM: &str = "# settings of somebody\n";

fn plant(what: Plant, at: &Path, victims: &Path, number: usize) {
    let victim = victims.join(format!("{number}"));
    let _ = fs::remove_file(at);
    match what {
        Plant::Link => {
            fs::write(&victim, VICTIM).unwrap();
            symlink(&victim, at).unwrap();
        }
        Plant::Dangling => symlink(&victim, at).unwrap(),
        Plant::SecondName => {
            fs::write(&victim, VICTIM).unwrap();
            fs::hard_link(&victim, at).unwrap();
        }
        Plant::Pipe => {
            let made = Command::new("mkfifo").arg(at).status();
            assert!(made.unwrap().success());
        }
        Plant::Huge => fs::File::create(at).unwrap().set_len(1 << 40).unwrap(),
        Plant::Folder => fs::create_dir(at).unwrap(),
    }
}

/// A repository restored to its first state before each round. Its path stays the same, and with it
/// the stored data.
struct Field {
    sandbox: Sandbox,
    own: Own,
}

impl Field {
    fn new(git: bool) -> Self {
        let sandbox = worked_repository(git);
        let own = own(&sandbox);
        let field = Self { sandbox, own };
        for (folder, kept) in field.folders() {
            copy(&folder, &kept);
        }
        field
    }

    /// Returns the folders of the repository and of the user, each with its copy's path.
    fn folders(&self) -> [(PathBuf, PathBuf); 2] {
        let kept = |name: &str| self.sandbox.home().with_file_name(name);
        [
            (self.sandbox.root().to_owned(), kept("kept-repo")),
            (self.sandbox.home(), kept("kept-home")),
        ]
    }

    fn restore(&self) {
        for (folder, kept) in self.folders() {
            fs::remove_dir_all(&folder).unwrap();
            copy(&kept, &folder);
        }
        fs::remove_dir_all(self.sandbox.outside()).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Plants `what` in place of each file of the round, runs all commands, and checks the other user's
/// files.
fn run_round(field: &Field, what: Plant, round: usize) {
    field.restore();
    let sandbox = &field.sandbox;
    let victims = sandbox.outside();
    let files = &field.own.files;
    let files: Vec<&PathBuf> = files.iter().skip(round).step_by(ROUNDS).collect();
    for (number, file) in files.iter().enumerate() {
        plant(what, file, &victims, number);
    }
    let before = contents(&victims);
    for command in COMMANDS {
        check_ends(sandbox, command);
        assert_eq!(contents(&victims), before, "{what:?} {command:?} {files:?}");
    }
}

fn run_all_rounds(git: bool) {
    let jobs = PLANTS
        .into_iter()
        .flat_map(|what| (0..ROUNDS).map(move |at| (what, at)));
    let jobs = std::sync::Mutex::new(jobs.collect::<Vec<_>>());
    let next = || jobs.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let field = Field::new(git);
                while let Some((what, at)) = next() {
                    run_round(&field, what, at);
                }
            });
        }
    });
}

#[test]
fn plants_in_repository_harm_nothing() {
    run_all_rounds(true);
}

#[test]
fn plants_in_plain_folder_harm_nothing() {
    let field = Field::new(false);
    for what in [Plant::Link, Plant::SecondName, Plant::Pipe] {
        for at in 0..ROUNDS {
            run_round(&field, what, at);
        }
    }
}

#[test]
fn linked_folders_are_never_followed() {
    for git in [true, false] {
        let field = Field::new(git);
        for round in 0..ROUNDS {
            linked_round(&field, round);
        }
    }
}

fn linked_round(field: &Field, round: usize) {
    field.restore();
    let sandbox = &field.sandbox;
    let outside = sandbox.outside();
    let folders = &field.own.folders;
    let mut linked: Vec<&PathBuf> = Vec::new();
    for (number, folder) in folders.iter().enumerate().skip(round).step_by(ROUNDS) {
        // A folder below an already linked one has moved with it.
        if linked.iter().any(|other| folder.starts_with(other)) {
            continue;
        }
        let moved = outside.join(format!("{number}"));
        fs::rename(folder, &moved).unwrap();
        symlink(&moved, folder).unwrap();
        linked.push(folder);
    }
    let before = contents(&outside);
    for command in COMMANDS {
        check_ends(sandbox, command);
        assert_eq!(contents(&outside), before, "{command:?} {linked:?}");
    }
}
