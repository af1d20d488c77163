use std::io::Read as _;
use std::path::Path;

use windlass::base::{Ident, RepoPath, counted};
use windlass::notebook::AnchorKind;
use windlass::pack::Format;
use windlass::{
    AnchorPlace, AnchorRequest, Error, ListFormat, ListPurpose, ListRequest, ViewRequest, Workspace,
};

use super::run::print_pack;
use super::{Failure, limit, print_json};
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
    match command {
        AnchorCommand::Add(args) => add(&workspace, args, screen),
        AnchorCommand::List(args) => list(&workspace, args, screen),
        AnchorCommand::Show(args) => show(&workspace, &args, screen),
        AnchorCommand::Check(args) => check(&workspace, args, screen),
        AnchorCommand::Remove { ids } => {
            workspace.remove_anchors(&ids)?;
            screen.say(&format!("removed {}", ids.join(", ")));
            Ok(Exit::Done)
        }
    }
}

fn kind(kind: Kind) -> AnchorKind {
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
        .map(|place| parse_place(workspace, place))
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

fn read_lines(workspace: &Workspace, from: &str) -> Result<(String, String), Failure> {
    let (name, bytes) = if from == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Error::Unreadable {
                file: "standard input".to_owned(),
                why: error.to_string(),
                missing: false,
                secret: false,
            })?;
        ("standard input".to_owned(), bytes)
    } else {
        workspace.read_document(from, &here(), &workspace.snapshot())?
    };
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

/// `src/main.rs:10-24` or `src/main.rs#Type::method`, relative to where the user stands, or to the root. The last
/// `:` counts, and the last `#` before which there is a file.
fn parse_place(workspace: &Workspace, place: &str) -> Result<AnchorPlace, Failure> {
    let lines = place
        .rsplit_once(':')
        .map(|(file, lines)| (file, lines.parse()));
    if let Some((file, Ok(span))) = lines {
        return Ok(AnchorPlace::Lines(path_from_here(workspace, file)?, span));
    }
    let snapshot = workspace.snapshot();
    let is_file = |at: &usize| {
        let path = path_from_here(workspace, &place[..*at]);
        path.is_ok_and(|path| snapshot.read(&path).is_ok())
    };
    let mut signs = place.rmatch_indices('#').map(|(at, _)| at);
    if let Some(at) = signs.find(is_file).or_else(|| place.find('#')) {
        let path = path_from_here(workspace, &place[..at])?;
        return Ok(AnchorPlace::Symbol(path, place[at + 1..].to_owned()));
    }
    let wrong = match lines {
        Some((_, Err(error))) => error,
        _ => format!("`{place}` names no lines: write `FILE:10`, `FILE:10-24` or `FILE#SYMBOL`"),
    };
    Err(Failure::Usage(wrong))
}

fn path_from_here(workspace: &Workspace, file: &str) -> Result<RepoPath, Failure> {
    match workspace.repo().path_of(&here().join(file)) {
        Some(path) => Ok(path),
        None => Ok(RepoPath::parse(file).map_err(Error::from)?),
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
        screen.say("`windlass anchor add ID FILE:LINES` saves one");
    }
    Ok(Exit::Done)
}

fn check(workspace: &Workspace, args: AnchorCheckArgs, screen: &Screen) -> Result<Exit, Failure> {
    let request = ListRequest {
        ids: args.ids,
        ..list_request(ListPurpose::Check, args.page, screen)?
    };
    let list = workspace.list_anchors(&request)?;
    screen.print_styled(&list.printed);
    Ok(if list.fresh == list.total {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn list_request(
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
        limit,
        format,
        cursor: page.cursor,
    })
}

fn show(workspace: &Workspace, args: &AnchorShowArgs, screen: &Screen) -> Result<Exit, Failure> {
    if args.format == OutputFormat::Json {
        let reports = workspace.check_anchors(&args.ids, &workspace.snapshot())?;
        let anchors = args
            .ids
            .iter()
            .map(|id| workspace.anchor(id))
            .collect::<Result<Vec<_>, _>>()?;
        let shown: Vec<_> = anchors
            .iter()
            .zip(&reports)
            .map(|(anchor, report)| serde_json::json!({ "anchor": anchor, "check": report }))
            .collect();
        print_json(screen, &serde_json::json!({ "anchors": shown }))?;
        return Ok(Exit::Done);
    }
    let view = ViewRequest {
        limit: limit(&args.budget),
        format: Format::Text {
            width: screen.width(),
        },
        mode: None,
    };
    let shown = workspace.show_anchors(&args.ids, &view)?;
    print_pack(screen, &shown.printed, shown.cursors_lost);
    Ok(Exit::Done)
}
