use std::path::Path;

use windlass::propose_runbook;

use super::Failure;
use crate::args::InitArgs;
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &InitArgs, screen: &Screen) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    let proposal = propose_runbook(&workspace.snapshot());
    if args.dry_run {
        screen.print_raw(&proposal.text);
        return Ok(Exit::Done);
    }
    workspace.write_proposal(&proposal, args.force)?;
    if let Some(marker) = workspace.mark_root()? {
        screen.say(&format!(
            "wrote {marker}; without git, its folder marks the root, so that it is found from the folders in it"
        ));
    }
    if !proposal.recognised.is_empty() {
        screen.say(&format!("found {}", proposal.recognised.join(", ")));
    }
    screen.say(&format!(
        "wrote {}; `windlass run overview` runs it",
        proposal.file
    ));
    Ok(Exit::Done)
}
