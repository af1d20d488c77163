use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::contents;
use crate::support::Sandbox;
use crate::workout::{COMMANDS, Own, all_sound, own, worked};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plant {
    Link,
    /// A link to what is not there yet.
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

/// In so many rounds, each with other files: what is wrong with one hides what would be done with the next.
const ROUNDS: usize = 3;

/// Contents of a file of another user.
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

/// A repository that is made what it was before each round: its place, and so what is kept of it, stays the same.
struct Field {
    sandbox: Sandbox,
    own: Own,
}

impl Field {
    fn new(git: bool) -> Self {
        let sandbox = worked(git);
        let own = own(&sandbox);
        let field = Self { sandbox, own };
        for (folder, kept) in field.folders() {
            copy(&folder, &kept);
        }
        field
    }

    /// The folders of repository and user, and where they are kept.
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

/// Plants `what` in the place of each file of a round, runs all commands, and looks at what belongs to somebody else.
fn round(field: &Field, what: Plant, round: usize) {
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
        all_sound(sandbox, command);
        assert_eq!(contents(&victims), before, "{what:?} {command:?} {files:?}");
    }
}

/// Does something with each of the rounds, on a few threads.
fn in_rounds(git: bool) {
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
                    round(&field, what, at);
                }
            });
        }
    });
}

#[test]
fn planted_files_of_a_repository_harm_nobody() {
    in_rounds(true);
}

#[test]
fn planted_files_of_a_plain_folder_harm_nobody() {
    let field = Field::new(false);
    for what in [Plant::Link, Plant::SecondName, Plant::Pipe] {
        for at in 0..ROUNDS {
            round(&field, what, at);
        }
    }
}

#[test]
fn linked_folders_lead_no_write_elsewhere() {
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
        // One in another that is a link already is elsewhere.
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
        all_sound(sandbox, command);
        assert_eq!(contents(&outside), before, "{command:?} {linked:?}");
    }
}
