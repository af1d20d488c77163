use clap::CommandFactory as _;
use clap_complete::Shell;

use super::Failure;
use crate::args::Args;
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) fn run(shell: Shell, screen: &Screen) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "windlass", &mut script);
    screen.print_raw(&String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
