use windlass::{MemoryInitRequest, Workspace};

use super::{Ended, print_either, tell_next, tell_written};
use crate::args::MemoryInitArgs;
use crate::screen::Screen;

pub(super) fn run(workspace: &Workspace, args: &MemoryInitArgs, screen: &Screen) -> Ended {
    let begun = workspace.memory().init_memory(&MemoryInitRequest {
        project: args.project.clone(),
        rules: args.rules,
        dry_run: args.dry_run,
    })?;
    print_either(screen, args.format, &begun, || {
        if begun.written.is_empty() {
            screen.print(&format!("the memory of `{}` already exists\n", begun.scope));
        }
        tell_written(screen, &begun.written, args.dry_run);
        tell_next(screen, &begun.next_actions);
    })
}
