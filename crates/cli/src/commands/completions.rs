use super::Failure;
use crate::args::CompletionsArgs;
use crate::completion;
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) fn run(args: &CompletionsArgs, screen: &Screen) -> Result<Exit, Failure> {
    let script = completion::script(args.shell).map_err(windlass::Error::internal)?;
    screen.print_raw(&script);
    Ok(Exit::Done)
}
