//! Commands on the entries of a playbook (`doc playbook`).

use serde_json::{Map, Value, json};
use windlass::base::NextAction;
use windlass::packs::harmless_line;
use windlass::vcontext::{AppendError, Operation};
use windlass::{Error, EventRequest, Recorded};
use windlass_render::recorded_line;

use super::{DocContext, Ended, Failure, playbook_sums, print_either, show};
use crate::args::{
    DocPlaybookAppendArgs, DocPlaybookCommand, DocPlaybookDeprecateArgs, DocPlaybookResolveArgs,
    DocPlaybookUpdateArgs, EventArgs, Feedback, OutputFormat,
};
use crate::outside::here;
use crate::screen::Screen;

pub(super) fn run(at: &DocContext<'_>, args: DocPlaybookCommand) -> Ended {
    let (file, format, request) = match args {
        DocPlaybookCommand::Show(args) => return show::playbook(at, &args),
        DocPlaybookCommand::Merge(args) => {
            return playbook_sums::merge(at, &args);
        }
        DocPlaybookCommand::Dedupe(args) => {
            return playbook_sums::dedupe(at, &args);
        }
        DocPlaybookCommand::Append(args) => (args.file.clone(), args.event.format, append(args)?),
        DocPlaybookCommand::Update(args) => (args.file.clone(), args.event.format, update(args)?),
        DocPlaybookCommand::Deprecate(args) => (args.file.clone(), args.format, deprecate(args)),
        DocPlaybookCommand::Resolve(args) => (args.file.clone(), args.event.format, resolve(args)?),
    };
    let request = EventRequest {
        actor: at.actor.map(str::to_owned),
        ..request
    };
    record(at, &file, &request, format)
}

fn event(
    operation: Operation,
    target: String,
    fields: Map<String, Value>,
    dry_run: bool,
) -> EventRequest {
    EventRequest {
        operation,
        target,
        after: None,
        actor: None,
        resolves: None,
        fields,
        dry_run,
    }
}

fn append(args: DocPlaybookAppendArgs) -> Result<EventRequest, Failure> {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), args.kind.as_str().into());
    insert_options(&args.event, &mut fields)?;
    if !fields.contains_key("narrative") {
        return Err(Failure::Usage(
            "an entry needs a text: give `--text TEXT`".to_owned(),
        ));
    }
    fields.insert("status".to_owned(), "active".into());
    let dry_run = args.event.dry_run;
    Ok(event(Operation::Append, args.target, fields, dry_run))
}

fn update(args: DocPlaybookUpdateArgs) -> Result<EventRequest, Failure> {
    let mut fields = Map::new();
    insert_options(&args.event, &mut fields)?;
    let mut delta = Map::new();
    for (name, count) in [
        ("helpfulCount", args.helpful),
        ("harmfulCount", args.harmful),
    ] {
        delta.extend(count.map(|count| (name.to_owned(), count.into())));
    }
    if !delta.is_empty() {
        fields.insert("delta".to_owned(), delta.into());
    }
    if args.reactivate {
        fields.insert("status".to_owned(), "active".into());
    }
    if fields.is_empty() {
        return Err(Failure::Usage(
            "no change given: name a field, such as `--text TEXT` or `--helpful 1`".to_owned(),
        ));
    }
    Ok(EventRequest {
        after: args.if_event,
        ..event(Operation::Update, args.target, fields, args.event.dry_run)
    })
}

fn resolve(args: DocPlaybookResolveArgs) -> Result<EventRequest, Failure> {
    let mut fields = Map::new();
    insert_options(&args.event, &mut fields)?;
    Ok(EventRequest {
        after: args.retain,
        resolves: Some(args.over),
        ..event(Operation::Update, args.target, fields, args.event.dry_run)
    })
}

fn deprecate(args: DocPlaybookDeprecateArgs) -> EventRequest {
    let mut fields = Map::new();
    fields.insert("status".to_owned(), "deprecated".into());
    fields.insert("deprecatedReason".to_owned(), args.reason.into());
    for (name, target) in [
        ("supersededBy", args.superseded_by),
        ("duplicateOf", args.duplicate_of),
    ] {
        fields.extend(target.map(|target| (name.to_owned(), target.into())));
    }
    EventRequest {
        after: args.if_event,
        ..event(Operation::Deprecate, args.target, fields, args.dry_run)
    }
}

/// Records an event and prints it. If another event is concurrent with it, the user learns how to
/// merge them.
fn record(at: &DocContext<'_>, file: &str, request: &EventRequest, format: OutputFormat) -> Ended {
    let recorded = at
        .workspace
        .documents()
        .record_event(file, &here(), request);
    let side_by_side = recorded.as_ref().err().and_then(Error::get);
    if let Some(AppendError::SideBySide { target, .. }) = side_by_side {
        let call = NextAction::new("doc playbook resolve", "merge concurrent events into one")
            .positional(file)
            .positional(target.as_str());
        at.screen.complain(&harmless_line(&format!(
            "merge them: {}",
            call.command_line()
        )));
    }
    tell(&recorded?, file, format, at.screen)
}

fn insert_options(args: &EventArgs, fields: &mut Map<String, Value>) -> Result<(), Failure> {
    let mut narrative = Map::new();
    if let Some(text) = &args.text {
        narrative.insert("Overview".to_owned(), text.as_str().into());
    }
    for pair in &args.narratives {
        let (title, text) = crate::commands::pair("narrative", "TITLE=TEXT", pair)?;
        narrative.insert(title.to_owned(), text.into());
    }
    if !narrative.is_empty() {
        fields.insert("narrative".to_owned(), narrative.into());
    }
    if let Some(title) = &args.title {
        fields.insert("title".to_owned(), title.as_str().into());
    }
    for (name, list) in [
        ("tags", &args.tags),
        ("evidence", &args.evidence),
        ("supersedes", &args.supersedes),
    ] {
        if !list.is_empty() {
            fields.insert(name.to_owned(), json!(list));
        }
    }
    if let Some(confidence) = args.confidence {
        fields.insert("confidence".to_owned(), json!(confidence));
    }
    if let Some(feedback) = args.feedback {
        let word = match feedback {
            Feedback::HumanReview => "humanReview",
            Feedback::ExecutionOutcome => "executionOutcome",
            Feedback::SelfReport => "selfReport",
            Feedback::Unknown => "unknown",
        };
        fields.insert("feedbackType".to_owned(), word.into());
    }
    if let Some(reason) = &args.reason {
        fields.insert("reason".to_owned(), reason.as_str().into());
    }
    Ok(())
}

fn tell(recorded: &Recorded, file: &str, format: OutputFormat, screen: &Screen) -> Ended {
    print_either(screen, format, recorded, || {
        let id = recorded.event.get("eventId");
        let id = id.and_then(|id| id.as_str()).unwrap_or_default();
        screen.print(&format!("{}\n", harmless_line(id)));
        screen.say(&recorded_line(recorded, file));
    })
}
