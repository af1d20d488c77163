use std::path::Path;

use windlass::base::counted;
use windlass::notebook::EditMode;
use windlass::packs::harmless;
use windlass::{
    ApplyRequest, FirstRunbook, ListFormat, Offer, SuggestRequest, Workspace, mark_root,
};
use windlass_mcp::{AgentClient, AgentSetUp, SetUpFile};

use super::{Ended, Failure};
use crate::args::{InitArgs, McpClient};
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &InitArgs, screen: &Screen) -> Ended {
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
                let file = workspace.impact().write_offer(offer, args.force)?;
                screen.say(&format!("wrote {file}"));
            }
        }
        return Ok(Exit::Done);
    }
    if let Some(client) = args.mcp {
        return set_up_client(&workspace, client, args.dry_run, screen);
    }
    let proposal = FirstRunbook::propose(&workspace.site().snapshot())?;
    if args.dry_run {
        screen.print_raw(&proposal.text);
        return Ok(Exit::Done);
    }
    proposal.write(workspace.site(), args.force)?;
    if let Some(marker) = mark_root(workspace.site())? {
        screen.say(&format!(
            "wrote {marker}; without git, its folder marks the root of the repository"
        ));
    }
    if !proposal.recognised.is_empty() {
        screen.say(&format!("found {}", proposal.recognised.join(", ")));
    }
    screen.say(&format!(
        "wrote {}; run it with `windlass run overview`",
        proposal.file
    ));
    offer_anchors(&workspace, args.yes, screen)?;
    screen.say(
        "to check every change for evidence it makes stale, run `windlass init --hook` or `windlass init --ci`",
    );
    Ok(Exit::Done)
}

/// Saves the suggested anchors with `--yes`, else tells how to save them.
fn offer_anchors(workspace: &Workspace, yes: bool, screen: &Screen) -> Result<(), Failure> {
    let suggestions = workspace.notebook().suggestions();
    let anchors = |count| counted(count, "anchor");
    if yes {
        let applied = suggestions.apply(&ApplyRequest {
            ids: Vec::new(),
            digest: None,
            mode: EditMode::Write,
        })?;
        let saved = applied.change.changes.anchors.len();
        screen.say(&format!(
            "saved {}; `windlass anchor list` shows them",
            anchors(saved)
        ));
        return Ok(());
    }
    let request = SuggestRequest {
        kinds: Vec::new(),
        limit: None,
        format: ListFormat::Json,
        also: None,
        cursor: None,
    };
    match suggestions.list(&request)?.total {
        0 => {}
        found => screen.say(&format!(
            "{} can be saved: `windlass suggest` shows them, `windlass suggest --apply` saves them",
            counted(found, "suggestion")
        )),
    }
    Ok(())
}

/// Sets up an MCP client, and prints the changes as a diff.
fn set_up_client(
    workspace: &Workspace,
    client: McpClient,
    dry_run: bool,
    screen: &Screen,
) -> Ended {
    let client = match client {
        McpClient::Claude => AgentClient::Claude,
        McpClient::Codex => AgentClient::Codex,
        McpClient::Cursor => AgentClient::Cursor,
        McpClient::Vscode => AgentClient::VsCode,
    };
    let set_up = AgentSetUp::of(workspace, client);
    let files = &set_up.files;
    for file in files {
        screen.print(&harmless(&file.diff()));
    }
    if set_up.left.is_empty() && files.iter().all(SetUpFile::is_done) {
        screen.say("already set up");
    }
    if !dry_run {
        for file in set_up.write(workspace.site())? {
            screen.say(&format!("wrote {}", file.file));
        }
    }
    if client == AgentClient::Claude && set_up.begins_with.is_none() {
        screen.say(
            "sessions start without context, because there is no runbook `overview`; run `windlass init`, then this command again",
        );
    }
    // The rest is useful even if some files could not be changed.
    let mut left = set_up.left.into_iter();
    let first = left.next();
    for error in left {
        screen.complain(&error.to_string());
    }
    first.map_or(Ok(Exit::Done), |error| Err(error.into()))
}
