use std::path::Path;

use windlass::base::{RepoPath, counted};
use windlass::notebook::{EditMode, SHARED_ANCHORS};
use windlass::packs::harmless;
use windlass::{
    ApplyRequest, FirstRunbook, Installed, ListFormat, Offer, SuggestRequest, Workspace, mark_root,
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
    for (_, offer) in offers.into_iter().filter(|(is_asked, _)| *is_asked) {
        if args.dry_run {
            screen.print_raw(offer.text());
        } else {
            install(&workspace, offer, args.force, screen)?;
        }
    }
    if let Some(client) = args.mcp {
        return set_up_client(&workspace, client, args.dry_run, screen);
    }
    if args.hook || args.ci {
        return Ok(Exit::Done);
    }
    let proposal = FirstRunbook::propose(&workspace.site().snapshot())?;
    if args.dry_run {
        screen.print_raw(&proposal.text);
        return Ok(Exit::Done);
    }
    let did = match proposal.write(workspace.site(), args.force)? {
        true => "wrote",
        false => "kept",
    };
    if let Some(marker) = mark_root(workspace.site())? {
        screen.say(&format!(
            "wrote {marker}; without git, its folder marks the root of the repository"
        ));
    }
    if !proposal.recognised.is_empty() {
        screen.say(&format!("found {}", proposal.recognised.join(", ")));
    }
    screen.say(&format!("{did} {}", proposal.file));
    offer_anchors(&workspace, args.yes, screen)?;
    for (command, purpose) in NEXT {
        screen.say(&format!("  {command:30}{purpose}"));
    }
    Ok(Exit::Done)
}

/// Installs `offer`, and tells what a workflow needs.
fn install(
    workspace: &Workspace,
    offer: Offer,
    force: bool,
    screen: &Screen,
) -> Result<(), Failure> {
    match workspace.impact().write_offer(offer, force)? {
        Installed::Before(file) => screen.say(&format!("{file}: already installed")),
        Installed::Now { file, kept } => {
            if let Some(kept) = kept {
                screen.say(&format!(
                    "kept the former hook as {kept}; it is not run any more"
                ));
            }
            screen.say(&format!("wrote {file}"));
        }
    }
    let shared = RepoPath::parse(SHARED_ANCHORS).map_err(windlass::Error::from)?;
    if offer == Offer::Ci && workspace.site().snapshot().read(&shared).is_err() {
        screen.say(&format!(
            "your anchors are not in the repository, so the workflow cannot check them; run `windlass notebook export`, then commit {SHARED_ANCHORS}"
        ));
    }
    Ok(())
}

/// Commands that follow.
const NEXT: [(&str, &str); 4] = [
    ("windlass run", "shows the overview"),
    (
        "windlass init --hook",
        "checks each commit for evidence that it makes stale",
    ),
    (
        "windlass init --ci",
        "does the same for proposed changes on GitHub",
    ),
    (
        "windlass init --mcp CLIENT",
        "sets up an agent: claude, codex, cursor or vscode",
    ),
];

/// Saves the suggested anchors with `--yes` or if the user agrees, else tells how to save them.
fn offer_anchors(workspace: &Workspace, yes: bool, screen: &Screen) -> Result<(), Failure> {
    let suggestions = workspace.notebook().suggestions();
    let anchors = |count| counted(count, "anchor");
    let request = SuggestRequest {
        kinds: Vec::new(),
        limit: None,
        format: ListFormat::Text {
            width: screen.width(),
        },
        also: None,
        cursor: None,
    };
    let is_asked = !yes && screen.can_ask();
    if !yes {
        let listed = suggestions.list(&request)?;
        match listed.total {
            0 => return Ok(()),
            _ if is_asked => screen.print_styled(&listed.printed),
            found => screen.say(&format!(
                "{} can be saved: `windlass suggest` shows them, `windlass suggest --apply` saves them",
                anchors(found)
            )),
        }
    }
    if yes || (is_asked && screen.confirm("save them as anchors?")) {
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
            "sessions start without context, because there is no runbook `overview`; run `windlass init`, then `windlass init --mcp claude`",
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
