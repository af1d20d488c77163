use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Failure;
use crate::args::Args;
use crate::exit::Exit;

pub(crate) fn run(shell: Shell) -> Result<Exit, Failure> {
    clap_complete::generate(
        shell,
        &mut Args::command(),
        "windlass",
        &mut std::io::stdout(),
    );
    Ok(Exit::Done)
}
