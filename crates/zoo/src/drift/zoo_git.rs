//! Git, asked for histories, in folders that the zoo made itself.

use std::borrow::Cow;
use std::io::{Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use windlass_base::{Cancel, RepoPath};

use super::Error;
use crate::process::{Ended, PASSED_ON, output};

/// No history takes git as long as this.
const PATIENCE: Duration = Duration::from_secs(6 * 3_600);

/// What git is told, so that it does the same for everybody and starts nothing but itself.
const ENVIRONMENT: [(&str, &str); 7] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Grafts of the zoo's own clones, which nobody else hears of.
    ("GIT_REPLACE_REF_BASE", "refs/zoo-grafts/"),
];

const SETTINGS: [&str; 6] = [
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "advice.detachedHead=false",
    // What is made here is gone soon: nothing is tidied up, nor has it to outlive a power cut.
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsync=none",
];

/// What `git` prints in `dir`, an absolute path of a folder of the zoo's own; what lies above it is no repository to git.
pub(crate) fn git(dir: &Path, args: &[&str]) -> Result<Vec<u8>, Error> {
    git_unless(dir, args, &Cancel::default())
}

/// The same; when `cancel` is raised, it is ended, which is an error.
pub(crate) fn git_unless(dir: &Path, args: &[&str], cancel: &Cancel) -> Result<Vec<u8>, Error> {
    printed(dir, args, Stdio::null(), cancel)
}

/// What `git` prints that reads `input`.
pub(crate) fn git_fed(dir: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, Error> {
    // A file takes all of it, however slowly it is read.
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    printed(dir, args, file.into(), &Cancel::default())
}

#[expect(
    clippy::disallowed_methods,
    reason = "git works on folders of the zoo's own"
)]
fn printed(dir: &Path, args: &[&str], input: Stdio, cancel: &Cancel) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("git");
    let passed_on = PASSED_ON
        .iter()
        .filter_map(|name| Some((*name, std::env::var_os(name)?)));
    command
        .env_clear()
        .envs(passed_on)
        .envs(ENVIRONMENT)
        .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .stdin(input);
    if let Some(above) = dir.parent() {
        command.env("GIT_CEILING_DIRECTORIES", above);
    }
    command.arg("-C").arg(dir).args(args);
    let ended = output(command, cancel, PATIENCE)
        .map_err(|error| format!("`git` cannot be started: {error}"))?;
    match ended {
        Ended::Stopped => Err("it was stopped".into()),
        Ended::ByItself {
            status, printed, ..
        } if status.success() => Ok(printed),
        Ended::ByItself { said, .. } => {
            let said = String::from_utf8_lossy(&said);
            Err(format!("git {}: {}", args.join(" "), said.trim()).into())
        }
    }
}

pub(crate) fn text(dir: &Path, args: &[&str]) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&git(dir, args)?)
        .trim_end()
        .to_owned())
}

/// The names of files that `git` prints with a zero byte behind each. One that is no UTF-8, or that no path in here can have (a line break
/// in it), is left out: nobody can be pointed to what stands in such a file.
pub(crate) fn names(dir: &Path, args: &[&str]) -> Result<impl Iterator<Item = String>, Error> {
    let printed = git(dir, args)?;
    let names = printed.split(|byte| *byte == 0);
    let is_known = |name: &&str| !name.contains(char::is_control) && RepoPath::parse(name).is_ok();
    let names = names.filter_map(|name| std::str::from_utf8(name).ok().filter(is_known));
    let names: Vec<String> = names.map(str::to_owned).collect();
    Ok(names.into_iter())
}

/// A name as git writes it where a line ends behind it: between quotes, with a backslash before what is special, if something is.
pub(crate) fn unquoted(name: &str) -> Cow<'_, str> {
    let inner = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let Some(inner) = inner else {
        return Cow::Borrowed(name);
    };
    let (mut bytes, mut rest) = (Vec::new(), inner.bytes().peekable());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(first @ b'0'..=b'7') => {
                let mut value = first - b'0';
                while let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                    value = value.wrapping_mul(8).wrapping_add(digit - b'0');
                }
                value
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_is_whole_and_what_it_says_is_told() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q"]).unwrap();
        let long = "x".repeat(300_000);
        windlass_store::write_shared(
            &windlass_store::RootedPath::new(dir.path()).join("long"),
            long.as_bytes(),
        )
        .unwrap();
        let id = text(dir.path(), &["hash-object", "-w", "long"]).unwrap();
        assert_eq!(text(dir.path(), &["cat-file", "-p", &id]).unwrap(), long);
        let failed = git(dir.path(), &["rev-parse", "--verify", "nope"]).unwrap_err();
        assert!(failed.to_string().contains("nope"), "{failed}");
    }

    #[test]
    fn a_name_is_what_it_was_before_git_quoted_it() {
        assert_eq!(unquoted("a b.rs"), "a b.rs");
        assert_eq!(unquoted(r#""say \"hello\".md""#), "say \"hello\".md");
        assert_eq!(unquoted(r#""a\\b\tc""#), "a\\b\tc");
        assert_eq!(unquoted(r#""caf\303\251""#), "café");
    }
}
