use std::path::Path;

use windlass::base::{Ident, counted};
use windlass::notebook::AnchorKind;
use windlass::pack::{Format, Styled, harmless_line, state};
use windlass::{AnchorRequest, ListFormat, ListPurpose, ListRequest, ViewRequest, Workspace};

use super::notebook::tell_how_to_begin;
use super::repair::repair;
use super::run::print_pack;
use super::scan::scan;
use super::{Failure, limit, print_data, tell_troubles};
use crate::args::{
    AnchorAddArgs, AnchorCheckArgs, AnchorCommand, AnchorFormat, AnchorListArgs, AnchorShowArgs,
    Kind, ListPageArgs, OutputFormat,
};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    command: AnchorCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
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

fn remove(workspace: &Workspace, ids: &[String], screen: &Screen) -> Result<Exit, Failure> {
    workspace.remove_anchors(ids)?;
    screen.say(&format!("removed {}", ids.join(", ")));
    Ok(Exit::Done)
}

pub(super) fn kind(kind: Kind) -> AnchorKind {
    match kind {
        Kind::Canon => AnchorKind::Canon,
        Kind::Ci => AnchorKind::Ci,
        Kind::Contract => AnchorKind::Contract,
        Kind::Entrypoint => AnchorKind::Entrypoint,
        Kind::Zone => AnchorKind::Zone,
        Kind::Work => AnchorKind::Work,
        Kind::Other => AnchorKind::Other,
    }
}

fn add(workspace: &Workspace, args: AnchorAddArgs, screen: &Screen) -> Result<Exit, Failure> {
    if let Some(from) = args.from {
        let (name, text) = read_lines(workspace, &from)?;
        let count = workspace.add_anchors(&name, &text, args.replace)?;
        screen.say(&format!("saved {}", counted(count, "anchor")));
        return Ok(Exit::Done);
    }
    let id = args.id.unwrap_or_default();
    let id = Ident::parse(&id)
        .map_err(|error| Failure::Usage(format!("`{id}` cannot name an anchor: {error}")))?;
    let places = args
        .places
        .iter()
        .map(|place| workspace.anchor_place(place, &here()))
        .collect::<Result<_, _>>()?;
    let request = AnchorRequest {
        id,
        kind: args.kind.map(kind),
        label: args.label,
        places,
        tags: args.tags,
        zone: args.zone,
    };
    let anchor = workspace.add_anchor(request, args.replace)?;
    let places: Vec<String> = anchor
        .evidence
        .iter()
        .filter_map(|evidence| Some(evidence.pointer()?.to_string()))
        .collect();
    screen.say(&format!("saved {} at {}", anchor.id, places.join(", ")));
    Ok(Exit::Done)
}

/// The document `from` and its name, as a person knows it; `-` is standard input.
pub(super) fn read_given(workspace: &Workspace, from: &str) -> Result<(String, Vec<u8>), Failure> {
    let input = std::io::stdin();
    Ok(workspace
        .files()
        .read_given(from, input, &here(), &workspace.snapshot())?)
}

pub(super) fn read_lines(workspace: &Workspace, from: &str) -> Result<(String, String), Failure> {
    let (name, bytes) = read_given(workspace, from)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Failure::Usage(format!(
                "{name} is not UTF-8: the byte at offset {at} does not belong there"
            )))
        }
    }
}

fn list(workspace: &Workspace, args: AnchorListArgs, screen: &Screen) -> Result<Exit, Failure> {
    let request = ListRequest {
        kinds: args.kinds.into_iter().map(kind).collect(),
        tags: args.tags,
        ..list_request(ListPurpose::List, args.page, screen)?
    };
    let list = workspace.list_anchors(&request)?;
    screen.print_styled(&list.printed);
    if list.total == 0 {
        tell_how_to_begin(workspace, &request, screen);
    }
    Ok(Exit::Done)
}

fn check(workspace: &Workspace, args: AnchorCheckArgs, screen: &Screen) -> Result<Exit, Failure> {
    if args.explain {
        return explain(workspace, &args.ids, screen);
    }
    let request = ListRequest {
        ids: args.ids,
        ..list_request(ListPurpose::Check, args.page, screen)?
    };
    let list = workspace.list_anchors(&request)?;
    screen.print_styled(&list.printed);
    if list.total == 0 && request.ids.is_empty() {
        tell_how_to_begin(workspace, &request, screen);
    }
    // Of what cannot be read nobody knows whether it stands.
    Ok(
        if list.fresh == list.total && list.lost == 0 && list.not_imported == 0 {
            Exit::Done
        } else {
            Exit::Failed
        },
    )
}

/// Says of each anchor how the verdict on it was reached.
fn explain(workspace: &Workspace, ids: &[String], screen: &Screen) -> Result<Exit, Failure> {
    let explained = workspace.explain_anchors(ids, &workspace.snapshot())?;
    let mut out = Styled::default();
    for anchor in &explained {
        let (word, style) = state(&anchor.report.judgement);
        out.push(style, word)
            .plain_text(format!("  {}", anchor.report.id))
            .end_line();
        for (checked, steps) in anchor.report.evidence.iter().zip(&anchor.steps) {
            let place = checked.pointer.to_string();
            out.plain_text(format!("  {}", harmless_line(&place)))
                .end_line();
            for step in steps {
                out.plain_text(format!("    {step}")).end_line();
            }
        }
    }
    screen.print_styled(&out);
    let all_fresh = explained.iter().all(|anchor| anchor.report.is_fresh());
    Ok(if all_fresh { Exit::Done } else { Exit::Failed })
}

pub(super) fn list_request(
    purpose: ListPurpose,
    page: ListPageArgs,
    screen: &Screen,
) -> Result<ListRequest, Failure> {
    let limit = limit(&page.budget);
    let format = match page.format {
        AnchorFormat::Text => ListFormat::Text {
            width: screen.width(),
        },
        AnchorFormat::Json => ListFormat::Json,
        AnchorFormat::Tron => ListFormat::Tron,
        AnchorFormat::Jsonl => ListFormat::JsonLines,
    };
    if format == ListFormat::JsonLines && (limit.is_some() || page.cursor.is_some()) {
        return Err(Failure::Usage(
            "`--format jsonl` is always complete: it takes no budget and no cursor".to_owned(),
        ));
    }
    Ok(ListRequest {
        purpose,
        ids: Vec::new(),
        kinds: Vec::new(),
        tags: Vec::new(),
        states: Vec::new(),
        zones: Vec::new(),
        limit,
        format,
        also: None,
        worst_first: false,
        cursor: page.cursor,
    })
}

fn show(workspace: &Workspace, args: &AnchorShowArgs, screen: &Screen) -> Result<Exit, Failure> {
    if args.format != OutputFormat::Text {
        let snapshot = workspace.snapshot();
        let reports = workspace.check_anchors(&args.ids, &snapshot)?;
        let anchors = args
            .ids
            .iter()
            .map(|id| workspace.anchor(id))
            .collect::<Result<Vec<_>, _>>()?;
        let shown: Vec<_> = anchors
            .iter()
            .zip(&reports)
            .map(|(anchor, report)| {
                let now = workspace.standing(report, &snapshot);
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
    let shown = workspace.show_anchors(&args.ids, &view)?;
    print_pack(screen, &shown.printed, shown.cursors_lost);
    Ok(Exit::Done)
}
