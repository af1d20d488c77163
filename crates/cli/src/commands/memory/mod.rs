//! Commands on the memory. Each subcommand has its own file.

mod check;
mod init;
mod list;
mod recall;
mod remember;
mod stats;

use std::path::Path;

use windlass::WrittenFile;
use windlass::base::NextAction;
use windlass_render::{next_line, written_line};

use super::{Ended, Failure, limit, print_either, tell_troubles};
use crate::args::MemoryCommand;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: MemoryCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let ended = match args {
        MemoryCommand::Init(args) => init::run(&workspace, &args, screen),
        MemoryCommand::List(args) => list::run(&workspace, args.format, screen),
        MemoryCommand::Recall(args) => recall::run(&workspace, &args, screen),
        MemoryCommand::Remember(args) => remember::run(&workspace, &args, screen),
        MemoryCommand::Feedback(args) => remember::feedback(&workspace, &args, screen),
        MemoryCommand::Supersede(args) => remember::supersede(&workspace, &args, screen),
        MemoryCommand::Index(args) => remember::index(&workspace, &args, screen),
        MemoryCommand::Stats(args) => stats::run(&workspace, &args, screen),
        MemoryCommand::Check(args) => check::run(&workspace, &args, screen),
    };
    tell_troubles(&workspace, screen);
    ended
}

fn tell_written(screen: &Screen, written: &[WrittenFile], dry_run: bool) {
    for file in written {
        screen.print(&written_line(file, dry_run));
    }
}

fn tell_next(screen: &Screen, actions: &[NextAction]) {
    for action in actions {
        screen.print(&next_line(action));
    }
}
