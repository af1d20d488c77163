use std::io::Read as _;
use std::path::Path;

use windlass::base::{
    Entry, Evidence, Freshness, Ident, Item, LineSpan, RepairOutcome, RepoPath, in_parallel,
};
use windlass::notebook::AnchorKind;
use windlass::pack::{
    Format, Pack, PackSection, PackStatus, RunbookRef, SectionStatus, TextPolicy, ViewOptions,
    recaptures, view,
};
use windlass::{AnchorReport, AnchorRequest, Error, Workspace};

use super::{Failure, json_line, print_json};
use crate::args::{
    AnchorAddArgs, AnchorCheckArgs, AnchorCommand, AnchorListArgs, AnchorShowArgs, CheckFormat,
    Kind, OutputFormat,
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
        AnchorCommand::List(args) => list(&workspace, &args, screen),
        AnchorCommand::Show(args) => show(&workspace, &args, screen),
        AnchorCommand::Check(args) => check(&workspace, &args, screen),
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
        screen.say(&format!(
            "saved {count} {}",
            if count == 1 { "anchor" } else { "anchors" }
        ));
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

/// `src/main.rs:10-24`, relative to where the user stands, or to the root.
fn parse_place(workspace: &Workspace, place: &str) -> Result<(RepoPath, LineSpan), Failure> {
    let Some((file, lines)) = place.rsplit_once(':') else {
        return Err(Failure::Usage(format!(
            "`{place}` names no lines: write `FILE:10` or `FILE:10-24`"
        )));
    };
    let span = lines.parse().map_err(Failure::Usage)?;
    let from_here = workspace.repo().path_of(&here().join(file));
    match from_here {
        Some(path) => Ok((path, span)),
        None => Ok((RepoPath::parse(file).map_err(Error::from)?, span)),
    }
}

fn list(workspace: &Workspace, args: &AnchorListArgs, screen: &Screen) -> Result<Exit, Failure> {
    let kinds: Vec<AnchorKind> = args.kinds.iter().map(|given| kind(*given)).collect();
    let snapshot = workspace.snapshot();
    let mut reports = workspace.check_anchors(&[], &snapshot)?;
    reports.retain(|report| kinds.is_empty() || kinds.contains(&report.kind));
    reports.retain(|report| args.tags.iter().all(|tag| report.tags.contains(tag)));
    match args.format {
        OutputFormat::Json => print_json(screen, &serde_json::json!({ "anchors": reports }))?,
        OutputFormat::Text => {
            if reports.is_empty() {
                screen.say("no anchors; `windlass anchor add ID FILE:LINES` saves one");
            }
            let lines: String = reports.iter().map(line).collect();
            screen.print(&lines);
        }
    }
    Ok(Exit::Done)
}

/// One anchor on one line: state, name, kind, place, label.
fn line(report: &AnchorReport) -> String {
    let place = report
        .evidence
        .first()
        .map(|checked| checked.pointer.to_string())
        .unwrap_or_default();
    let more = match report.evidence.len() {
        0 | 1 => String::new(),
        count => format!(" (+{})", count - 1),
    };
    let label = if report.label == report.id.as_str() {
        String::new()
    } else {
        format!("  {}", report.label)
    };
    format!(
        "{:8} {}  {}  {place}{more}{label}\n",
        state(report),
        report.id,
        report.kind.as_str()
    )
}

fn state(report: &AnchorReport) -> &'static str {
    match (report.judgement.status, report.judgement.outcome()) {
        (Freshness::Fresh, _) => "fresh",
        (_, Some(RepairOutcome::Moved)) => "moved",
        (Freshness::StaleHashMismatch, _) => "stale",
        (Freshness::MissingFile, _) => "missing",
        (Freshness::SpanInvalid, _) => "invalid",
        (Freshness::BlockedSecret, _) => "secret",
        (Freshness::Unknown, _) => "unknown",
    }
}

fn show(workspace: &Workspace, args: &AnchorShowArgs, screen: &Screen) -> Result<Exit, Failure> {
    let snapshot = workspace.snapshot();
    let reports = workspace.check_anchors(&args.ids, &snapshot)?;
    if args.format == OutputFormat::Json {
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
    let pack = as_pack(reports)?;
    let options = ViewOptions {
        limit: windlass::base::Limit::Chars(200_000),
        format: Format::Text {
            width: screen.width(),
        },
        mode: windlass::base::ResponseMode::Full,
        text: TextPolicy::Repaired,
        noise_permille: 0,
        from: None,
    };
    let (_, printed) = view(&pack, &snapshot, &options).map_err(Error::from)?;
    screen.print_styled(&printed);
    Ok(Exit::Done)
}

/// Anchors as a pack of one section, so that they look as they do in a run.
fn as_pack(reports: Vec<AnchorReport>) -> Result<Pack, Error> {
    let entry = |report: AnchorReport| {
        let evidence = report.evidence.into_iter().map(|checked| Evidence {
            pointer: checked.pointer,
            judgement: checked.judgement,
            capture: None,
        });
        Entry::Item(Item {
            id: Some(report.id.to_string()),
            kind: Some(report.kind.as_str().to_owned()),
            label: report.label,
            context: 0,
            evidence: evidence.collect(),
        })
    };
    let entries: Vec<Entry> = reports.into_iter().map(entry).collect();
    let name = Ident::parse("anchors").map_err(|error| Error::Internal(error.to_string()))?;
    let section = PackSection {
        id: name.clone(),
        title: "Anchors".to_owned(),
        step: "anchors".to_owned(),
        status: SectionStatus::of(&entries),
        reason: None,
        help: None,
        refused: false,
        limit: usize::MAX,
        entries,
        notes: Vec::new(),
    };
    let status = if section.status == SectionStatus::Fresh {
        PackStatus::Ok
    } else {
        PackStatus::Stale
    };
    let runbook = RunbookRef {
        id: name,
        title: "Anchors".to_owned(),
        purpose: String::new(),
    };
    let mut pack = Pack::new(runbook, status, vec![section], Vec::new())
        .map_err(|error| Error::Internal(error.to_string()))?;
    pack.next_actions = recaptures(&pack.sections);
    Ok(pack)
}

fn check(workspace: &Workspace, args: &AnchorCheckArgs, screen: &Screen) -> Result<Exit, Failure> {
    let reports = workspace.check_anchors(&args.ids, &workspace.snapshot())?;
    let fresh = reports.iter().filter(|report| report.is_fresh()).count();
    match args.format {
        CheckFormat::Json => {
            let summary =
                serde_json::json!({ "total": reports.len(), "fresh": fresh, "anchors": reports });
            print_json(screen, &summary)?;
        }
        CheckFormat::Jsonl => {
            // Most of the time is taken by the look for secrets.
            let texts = in_parallel(&reports, workspace.repo().threads(), json_lines);
            let text: String = texts.into_iter().collect::<Result<_, _>>()?;
            screen.print_raw(&text);
        }
        CheckFormat::Text => {
            let mut text: String = reports
                .iter()
                .filter(|report| !report.is_fresh())
                .map(detailed)
                .collect();
            text.push_str(&format!("{fresh} of {} fresh\n", reports.len()));
            screen.print(&text);
        }
    }
    Ok(if fresh == reports.len() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn json_lines(reports: &[AnchorReport]) -> Result<String, Error> {
    let mut text = String::new();
    for report in reports {
        text.push_str(&json_line(report)?);
        text.push('\n');
    }
    Ok(text)
}

/// An anchor that does not stand, with all of its evidence that does not.
fn detailed(report: &AnchorReport) -> String {
    let mut text = line(report);
    for checked in report
        .evidence
        .iter()
        .filter(|checked| !checked.judgement.is_fresh())
    {
        let now = checked
            .judgement
            .repair
            .as_ref()
            .and_then(|repair| repair.evidence.as_ref());
        let now = now.map(|now| format!("; now at {now}")).unwrap_or_default();
        let reason = checked
            .judgement
            .reason
            .as_deref()
            .unwrap_or("the lines changed");
        text.push_str(&format!("         {}: {reason}{now}\n", checked.pointer));
    }
    text
}
