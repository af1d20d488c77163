use super::Ended;
use crate::args::CompletionsArgs;
use crate::exit::Exit;
use crate::screen::Screen;
use crate::shell_answers;

pub(crate) fn run(args: &CompletionsArgs, screen: &Screen) -> Ended {
    let script = shell_answers::script(args.shell).map_err(windlass::Error::internal)?;
    screen.print_raw(&script);
    Ok(Exit::Done)
}
