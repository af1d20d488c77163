use std::path::Path;

use windlass::{Offer, propose_runbook};

use super::Failure;
use crate::args::InitArgs;
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &InitArgs, screen: &Screen) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    let offers = [(args.hook, Offer::Hook), (args.ci, Offer::Ci)];
    let asked: Vec<Offer> = offers
        .into_iter()
        .filter(|(is_asked, _)| *is_asked)
        .map(|(_, offer)| offer)
        .collect();
    if !asked.is_empty() {
        for offer in asked {
            if args.dry_run {
                screen.print_raw(offer.text());
            } else {
                let file = workspace.write_offer(offer, args.force)?;
                screen.say(&format!("wrote {file}"));
            }
        }
        return Ok(Exit::Done);
    }
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
    screen.say(
        "`windlass init --hook` and `windlass init --ci` have each change looked at for what it makes stale",
    );
    Ok(Exit::Done)
}
