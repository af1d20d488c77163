use windlass::Workspace;
use windlass_render::memory_stats_parts;

use super::{Failure, print_data};
use crate::args::{FormatArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn run(
    workspace: &Workspace,
    args: &FormatArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let stats = workspace.memory().memory_stats()?;
    if args.format != OutputFormat::Text {
        print_data(screen, args.format, &stats)?;
        return Ok(Exit::Done);
    }
    for part in memory_stats_parts(&stats) {
        screen.print(&part);
    }
    Ok(Exit::Done)
}
