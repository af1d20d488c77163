mod check;
mod convert;
mod input;
mod item;
mod merge;
mod playbook;
mod playbook_sums;
mod show;

use std::path::Path;

pub(super) use convert::print_document;

use super::{Failure, print_data};
use crate::args::DocCommand;
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    actor: Option<&str>,
    args: DocCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    match args {
        DocCommand::Check(args) => check::run(&workspace, &args, screen),
        DocCommand::Show(args) => show::run(&workspace, &args, screen),
        DocCommand::Convert(args) => convert::convert(&workspace, &args, screen),
        DocCommand::Stats(args) => convert::stats(&workspace, &args, screen),
        DocCommand::Diff(args) => merge::diff(&workspace, &args, screen),
        DocCommand::Migrate(args) => convert::migrate(&workspace, &args, screen),
        DocCommand::Merge(args) => merge::run(&workspace, &args, screen),
        DocCommand::Item(args) => item::run(&workspace, actor, args, screen),
        DocCommand::Playbook(args) => playbook::run(&workspace, args, screen),
    }
}
