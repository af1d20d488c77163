//! What a shell is told when the user presses tab.
//!
//! The scripts of `windlass completions` call the command back with [`VARIABLE`] set. Whatever goes wrong then
//! (no repository, a damaged notebook), nothing is said: it would stand in the middle of what is being typed.
//! Nothing is started or written, and only words are offered that mean themselves in every shell, because
//! shells put them on the command line as they are.

mod bash;
mod candidates;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::CompleteEnv;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

pub(crate) use candidates::{
    anchors, documents, files, folders, formulas, plugins, runbooks, runs, schema_names, trustable,
};

use crate::args::{Args, Shell};

/// Names the shell that asks for completions.
pub(crate) const VARIABLE: &str = "WINDLASS_COMPLETE";

/// The command, as it is registered and called back.
const COMMAND: &str = "windlass";

const SHELLS: Shells<'static> = Shells(&[&bash::Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// Answers a shell that asks for completions; nothing if none asks.
pub(crate) fn answer() -> Option<ExitCode> {
    std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty() && shell != "0")?;
    std::panic::set_hook(Box::new(|_| {}));
    let here = std::env::current_dir().ok();
    let answered = CompleteEnv::with_factory(Args::command)
        .var(VARIABLE)
        .bin(COMMAND)
        .completer(COMMAND)
        .shells(SHELLS)
        .try_complete(std::env::args_os(), here.as_deref());
    Some(match answered {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// The script that makes `shell` call back.
pub(crate) fn script(shell: Shell) -> io::Result<String> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &bash::Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
        Shell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, COMMAND, COMMAND, COMMAND, &mut script)?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// The `--root` that was typed, as the last of them counts.
fn typed_root(words: impl IntoIterator<Item = OsString>) -> Option<PathBuf> {
    let mut words = words.into_iter().peekable();
    let mut root = None;
    while let Some(word) = words.next() {
        let Some(word) = word.to_str() else { continue };
        if word == "--root" {
            // Bash makes three words of `--root=DIR`.
            let value = words.next();
            root = match value {
                Some(sign) if sign == "=" => words.next(),
                value => value,
            };
        } else if let Some(value) = word.strip_prefix("--root=") {
            root = Some(value.into());
        }
    }
    root.map(|root| expand_home(root.into()))
}

/// A path as the shell would have handed it over: words that are still being typed begin with the tilde.
fn expand_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(words: &[&str]) -> Option<PathBuf> {
        typed_root(words.iter().map(OsString::from))
    }

    #[test]
    fn the_root_that_was_typed_is_found_however_it_was_typed() {
        for words in [
            &["windlass", "--root", "/a", "run", ""][..],
            &["windlass", "run", "--root=/a", ""],
            &["windlass", "--root", "=", "/a", "run"],
            &["windlass", "--root", "/b", "--root", "/a"],
        ] {
            assert_eq!(root(words), Some(PathBuf::from("/a")), "{words:?}");
        }
        assert_eq!(root(&["windlass", "run", "root"]), None);
        assert_eq!(root(&["windlass", "--root"]), None);
    }
}
