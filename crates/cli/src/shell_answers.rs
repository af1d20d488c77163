//! Answers to completion requests from a shell.
//!
//! The scripts of `windlass completions` call the command back with [`VARIABLE`] set. Errors, such
//! as a missing repository or a damaged notebook, are silent: they'd appear in the middle of the
//! command line.
//!
//! Nothing is started or written. We offer only words without special meaning in any shell, because
//! shells insert them unquoted.

mod bash;

use std::io;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::CompleteEnv;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

use crate::args::{Args, Shell};
use crate::completion::VARIABLE;

/// The command's name, as registered and called back.
const COMMAND: &str = "windlass";

const SHELLS: Shells<'static> = Shells(&[&bash::Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// Answers a completion request. Returns `None` if this isn't one.
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

/// Returns the script that makes `shell` call back.
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
