//! Answers completion requests from a shell.
//!
//! The scripts of `windlass completions` call us back with [`VARIABLE`] set. We don't report any
//! errors, such as a missing repository or a damaged notebook, since the message would appear in
//! the middle of the command line. Answering starts no programs and changes no files either.
//!
//! Shells may insert our words without quoting them, so we only offer those that mean nothing
//! special in any shell.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::CompleteEnv;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

use crate::args::{Args, Shell};
use crate::completion::VARIABLE;

const COMMAND: &str = "windlass";

const SHELLS: Shells<'static> = Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// Answers a completion request, or returns `None` if this isn't one.
pub(crate) fn answer() -> Option<ExitCode> {
    // `clap_complete` also regards these values as unset.
    std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty() && shell != "0")?;
    // Not even a panic should disturb the command line.
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

pub(crate) fn script(shell: Shell) -> io::Result<String> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
        Shell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, COMMAND, COMMAND, COMMAND, &mut script)?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}
