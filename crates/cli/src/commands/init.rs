//! Prepares a repository (`windlass init`): writes a first runbook, and on request a git hook, a CI
//! workflow or the settings of an MCP client.

use std::path::Path;

use windlass::base::{RepoPath, counted};
use windlass::notebook::{EditMode, SHARED_ANCHORS};
use windlass::packs::harmless;
use windlass::{
    ApplyRequest, FirstRunbook, Installed, ListFormat, Offer, SuggestRequest, Workspace, mark_root,
};
use windlass_mcp::{AgentClient, AgentSetUp, SetUpFile};

use super::{Ended, Failure};
use crate::args::InitArgs;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &InitArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let offers = [(args.hook, Offer::Hook), (args.ci, Offer::Ci)];
    for (_, offer) in offers.into_iter().filter(|(is_asked, _)| *is_asked) {
        if args.dry_run {
            screen.print_raw(&workspace.impact().offer_text(offer)?);
        } else {
            install(&workspace, offer, args.force, screen)?;
        }
    }
    if let Some(client) = args.mcp {
        return set_up_client(&workspace, client, args, screen);
    }
    // With `--hook` or `--ci`, that's all the user has asked for.
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
    // Without git, there has to be some other sign by which commands in subfolders find the root.
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
    // A workflow can only check what has been committed. Anchors are stored outside of the
    // repository until they're exported.
    let shared = RepoPath::parse(SHARED_ANCHORS).map_err(windlass::Error::from)?;
    if offer == Offer::Ci && workspace.site().snapshot().read(&shared).is_err() {
        screen.say(&format!(
            "your anchors are not in the repository, so the workflow cannot check them; run `windlass notebook export`, then commit {SHARED_ANCHORS}"
        ));
    }
    Ok(())
}

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
        "sets up an agent, such as claude, codex or gemini",
    ),
];

/// Saves the suggested anchors if the user agrees, or has passed `--yes`. Otherwise, says how to
/// save them.
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

fn set_up_client(
    workspace: &Workspace,
    client: &AgentClient,
    args: &InitArgs,
    screen: &Screen,
) -> Ended {
    let set_up = match &args.plugin {
        None => AgentSetUp::of(workspace, client),
        Some(folder) => plugin(workspace, client, folder)?,
    };
    let files = &set_up.files;
    for file in files {
        screen.print(&harmless(&file.diff()));
    }
    let is_complete = set_up.left.is_empty();
    let is_done = is_complete && files.iter().all(SetUpFile::is_done);
    if is_done {
        screen.say("already set up");
    }
    if !args.dry_run {
        for file in set_up.write(workspace.site())? {
            screen.say(&format!("wrote {}", file.file));
        }
    }
    // Report a file that we refused first, since the client may not start the server without it.
    if args.plugin.is_none() && is_complete {
        if !args.dry_run && !is_done {
            screen.say(&format!("next, {}", client.consent()));
        }
        if client.starts_with_context() && set_up.begins_with.is_none() {
            screen.say(&format!(
                "sessions start without context, because there is no runbook `overview`; run `windlass init`, then `windlass init --mcp {}`",
                client.name()
            ));
        }
    }
    // The other changes are useful even if we couldn't change some files.
    let mut left = set_up.left.into_iter();
    let first = left.next();
    for error in left {
        screen.complain(&error.to_string());
    }
    first.map_or(Ok(Exit::Done), |error| Err(error.into()))
}

fn plugin(
    workspace: &Workspace,
    client: &AgentClient,
    folder: &Path,
) -> Result<AgentSetUp, Failure> {
    let name = folder.display().to_string();
    let path = workspace.site().files().path_from(&name, &here())?;
    AgentSetUp::plugin(workspace, client, &path).ok_or_else(|| {
        let title = client.title();
        Failure::Usage(format!("{title} has no plugins: omit `--plugin`"))
    })
}
