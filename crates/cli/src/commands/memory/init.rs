use windlass::{MemoryInitRequest, Workspace};

use super::{Failure, print_data, tell_next, tell_written};
use crate::args::{MemoryInitArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn run(
    workspace: &Workspace,
    args: &MemoryInitArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let begun = workspace.memory().init_memory(&MemoryInitRequest {
        project: args.project.clone(),
        rules: args.rules,
        dry_run: args.dry_run,
    })?;
    if args.format != OutputFormat::Text {
        print_data(screen, args.format, &begun)?;
        return Ok(Exit::Done);
    }
    if begun.written.is_empty() {
        screen.print(&format!(
            "the memory of `{}` is there already\n",
            begun.scope
        ));
    }
    tell_written(screen, &begun.written, args.dry_run);
    tell_next(screen, &begun.next_actions);
    Ok(Exit::Done)
}
