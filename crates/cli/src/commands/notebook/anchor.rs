//! Commands on anchors (`windlass anchor`).

use std::path::Path;

use windlass::base::{Ident, counted};
use windlass::packs::Format;
use windlass::{AnchorRequest, ListPurpose, ListRequest, PlaceNow, ViewRequest, Workspace};
use windlass_render::explained_text;

use super::list_arguments::{list_request, suggest_first_steps};
use super::repair::repair;
use super::scan::scan;
use super::{Ended, Failure, limit, print_data, tell_troubles};
use crate::args::{
    AnchorAddArgs, AnchorCheckArgs, AnchorCommand, AnchorListArgs, AnchorShowArgs, OutputFormat,
};
use crate::commands::given_file::read_lines;
use crate::commands::given_paths::zones;
use crate::commands::run::print_pack;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, command: AnchorCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let ended = match command {
        AnchorCommand::Add(args) => add(&workspace, args, screen),
        AnchorCommand::List(args) => list(&workspace, args, screen),
        AnchorCommand::Show(args) => show(&workspace, &args, screen),
        AnchorCommand::Check(args) => check(&workspace, args, screen),
        AnchorCommand::Repair(args) => repair(&workspace, args, screen),
        AnchorCommand::Scan(args) => scan(&workspace, &args, screen),
        AnchorCommand::Remove { ids } => remove(&workspace, &ids, screen),
    };
    tell_troubles(&workspace, screen);
    ended
}

fn remove(workspace: &Workspace, ids: &[String], screen: &Screen) -> Ended {
    workspace.notebook().remove_anchors(ids)?;
    screen.say(&format!("removed {}", ids.join(", ")));
    Ok(Exit::Done)
}

fn add(workspace: &Workspace, args: AnchorAddArgs, screen: &Screen) -> Ended {
    if let Some(file) = args.import {
        let (name, text) = read_lines(workspace, &file)?;
        let count = workspace
            .notebook()
            .add_anchors(&name, &text, args.replace)?;
        screen.say(&format!("saved {}", counted(count, "anchor")));
        return Ok(Exit::Done);
    }
    let id = args.id.unwrap_or_default();
    let id = Ident::parse(&id)
        .map_err(|error| Failure::Usage(format!("`{id}` is not an anchor id: {error}")))?;
    let places = args
        .places
        .iter()
        .map(|place| workspace.notebook().anchor_place(place, &here()))
        .collect::<Result<_, _>>()?;
    let request = AnchorRequest {
        id,
        kind: args.kind,
        label: args.title,
        places,
        tags: args.tags,
        zone: zones(workspace, &args.zone)?,
    };
    let anchor = workspace.notebook().add_anchor(request, args.replace)?;
    let places: Vec<String> = anchor
        .evidence
        .iter()
        .filter_map(|evidence| Some(evidence.pointer()?.to_string()))
        .collect();
    screen.say(&format!("saved {} at {}", anchor.id, places.join(", ")));
    Ok(Exit::Done)
}

fn list(workspace: &Workspace, args: AnchorListArgs, screen: &Screen) -> Ended {
    let request = ListRequest {
        kinds: args.kinds,
        tags: args.tags,
        ..list_request(ListPurpose::List, args.page, screen)?
    };
    let list = workspace.notebook().list(&request)?;
    screen.print_styled(&list.printed);
    if list.total == 0 {
        suggest_first_steps(workspace, &request, screen);
    }
    Ok(Exit::Done)
}

fn check(workspace: &Workspace, args: AnchorCheckArgs, screen: &Screen) -> Ended {
    if args.explain {
        return explain(workspace, &args.ids, screen);
    }
    let request = ListRequest {
        ids: args.ids,
        ..list_request(ListPurpose::Check, args.page, screen)?
    };
    let list = workspace.notebook().list(&request)?;
    screen.print_styled(&list.printed);
    if list.total == 0 && request.ids.is_empty() {
        suggest_first_steps(workspace, &request, screen);
    }
    // Anchors that we can't read, or that aren't imported, might be stale, so don't report success.
    Ok(Exit::done_if(
        list.fresh == list.total && list.lost == 0 && list.not_imported == 0,
    ))
}

fn explain(workspace: &Workspace, ids: &[String], screen: &Screen) -> Ended {
    let explained = workspace
        .notebook()
        .explain_anchors(ids, &workspace.site().snapshot())?;
    screen.print_styled(&explained_text(&explained));
    let all_fresh = explained.iter().all(|anchor| anchor.report.is_fresh());
    Ok(Exit::done_if(all_fresh))
}

fn show(workspace: &Workspace, args: &AnchorShowArgs, screen: &Screen) -> Ended {
    if args.format != OutputFormat::Text {
        let snapshot = workspace.site().snapshot();
        let mut reports = workspace.notebook().check_anchors(&args.ids, &snapshot)?;
        for checked in reports.iter_mut().flat_map(|report| &mut report.evidence) {
            checked.diff = checked.compare(&snapshot);
        }
        let anchors = args
            .ids
            .iter()
            .map(|id| workspace.notebook().anchor(id))
            .collect::<Result<Vec<_>, _>>()?;
        let shown: Vec<_> = anchors
            .iter()
            .zip(&reports)
            .map(|(anchor, report)| {
                let now = PlaceNow::of(report, &snapshot);
                serde_json::json!({ "anchor": anchor, "check": report, "now": now })
            })
            .collect();
        print_data(
            screen,
            args.format,
            &serde_json::json!({ "anchors": shown }),
        )?;
        return Ok(Exit::Done);
    }
    let view = ViewRequest {
        limit: limit(&args.budget),
        format: Format::Text {
            width: screen.width(),
        },
        also: None,
        mode: None,
    };
    let shown = workspace.notebook().show(&args.ids, &view)?;
    print_pack(screen, &shown.printed, shown.cursors_lost);
    Ok(Exit::Done)
}
