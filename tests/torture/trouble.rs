//! Kinds of trouble for a writer.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::Dice;
use crate::support::Sandbox;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The writer is killed at any moment.
    Kill,
    /// The writer runs out of file descriptors: opening fails somewhere.
    FewFiles,
    /// Files cannot grow beyond a limit: writing fails somewhere, as on a full disk.
    SmallFiles,
    /// The clock of the writer is days off. Without `faketime`, this is an ordinary write.
    WrongClock,
    /// A folder of ours is a link to an empty folder of another user for a while.
    LinkedFolder,
}

pub(crate) const TROUBLES: [Trouble; 5] = [
    Trouble::Kill,
    Trouble::FewFiles,
    Trouble::SmallFiles,
    Trouble::WrongClock,
    Trouble::LinkedFolder,
];

pub(crate) struct Ended {
    /// Exit code, unless it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Upper limits of the random numbers: file descriptors, blocks of 512 bytes, and days.
const MAX_FILES: u64 = 30;
const MAX_BLOCKS: u64 = 12;
const MAX_DAYS: u64 = 60;

/// Runs a writer under `trouble`; `usual` is the time of an undisturbed one. `folders` are ours.
pub(crate) fn run(
    sandbox: &Sandbox,
    args: &[String],
    trouble: Trouble,
    (usual, folders): (Duration, &[PathBuf]),
    dice: &mut Dice,
) -> Ended {
    let limited = |limit: String| start(limited(sandbox, &limit).args(args));
    let plain = || start(sandbox.command(sandbox.root(), &[]).args(args));
    match trouble {
        Trouble::Kill => {
            let mut child = plain();
            wait_for(moment(usual * 2, dice));
            let _ = child.kill();
            end(child)
        }
        Trouble::FewFiles => end(limited(few_files(4 + dice.below(MAX_FILES)))),
        Trouble::SmallFiles => {
            let blocks = dice.below(MAX_BLOCKS);
            end(limited(format!("trap '' XFSZ; ulimit -f {blocks}")))
        }
        Trouble::WrongClock => {
            let sign = dice.pick(&['+', '-']);
            let days = dice.below(MAX_DAYS);
            let script = "at=$1; shift; command -v faketime > /dev/null && exec faketime -f \"$at\" \"$0\" \"$@\"; exec \"$0\" \"$@\"";
            let mut shell = sandbox.shell(sandbox.root(), script);
            end(start(shell.arg(format!("{sign}{days}d")).args(args)))
        }
        Trouble::LinkedFolder => linked(sandbox, plain(), usual, folders, dice),
    }
}

/// Returns `windlass` behind `limit`, a command of the shell.
pub(crate) fn limited(sandbox: &Sandbox, limit: &str) -> Command {
    sandbox.shell(sandbox.root(), &format!("{limit}; exec \"$0\" \"$@\""))
}

/// Returns the shell command that limits open files. The loader of programs needs one more than the
/// three standard ones. A descriptor that the test inherited (cargo's, a CI script's) would take
/// that one, so they are closed.
pub(crate) fn few_files(limit: u64) -> String {
    format!("exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n {limit}")
}

/// Exchanges one of our folders for a link to an empty one while `child` runs, and back.
fn linked(
    sandbox: &Sandbox,
    child: Child,
    usual: Duration,
    folders: &[PathBuf],
    dice: &mut Dice,
) -> Ended {
    let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let folder = dice.pick(&folders);
    let (victim, link) = (
        sandbox.outside().join("victim"),
        sandbox.outside().join("link"),
    );
    std::fs::create_dir_all(&victim).unwrap();
    std::os::unix::fs::symlink(&victim, &link).unwrap();
    wait_for(moment(usual, dice));
    exchange(folder, &link);
    wait_for(moment(usual, dice));
    exchange(folder, &link);
    let ended = end(child);
    std::fs::remove_file(&link).unwrap();
    let foreign: Vec<_> = std::fs::read_dir(&victim).unwrap().collect();
    assert!(
        foreign.is_empty(),
        "{} led out: {foreign:?}",
        folder.display()
    );
    ended
}

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

fn start(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn end(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn moment(within: Duration, dice: &mut Dice) -> Duration {
    let limit = u64::try_from(within.as_micros()).unwrap().max(1);
    Duration::from_micros(dice.below(limit))
}

fn wait_for(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        std::thread::yield_now();
    }
}
