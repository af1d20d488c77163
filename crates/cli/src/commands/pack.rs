//! `windlass pack …`: context packs.

use std::path::Path;

use windlass::context_pack::Profile;
use windlass::pack::Format;
use windlass::{PackView, ShowPack, Workspace};

use super::{Failure, limit};
use crate::args::{PackCommand, PackFormat, PackProfile, PackShowArgs, PackViewArgs};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    command: PackCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    match command {
        PackCommand::Show(args) => show(&workspace, args, screen),
    }
}

fn show(workspace: &Workspace, args: PackShowArgs, screen: &Screen) -> Result<Exit, Failure> {
    let request = ShowPack {
        name: args.pack,
        start: here(),
        view: view(&args.view, screen),
    };
    screen.print_raw(&workspace.show_pack(&request)?.text);
    Ok(Exit::Done)
}

fn view(args: &PackViewArgs, screen: &Screen) -> PackView {
    let format = match args.format {
        PackFormat::Text => Format::Text {
            width: screen.width(),
        },
        PackFormat::Json => Format::Json,
        PackFormat::Tron => Format::Tron,
        PackFormat::Markdown => Format::Markdown,
    };
    let profile = args.profile.map(|profile| match profile {
        PackProfile::Routine => Profile::Routine,
        PackProfile::Investigation => Profile::Investigation,
        PackProfile::Refactor => Profile::Refactor,
        PackProfile::DeepFailure => Profile::DeepFailure,
    });
    PackView {
        format,
        limit: limit(&args.budget),
        profile,
    }
}
