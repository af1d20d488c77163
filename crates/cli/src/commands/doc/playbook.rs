use serde_json::{Map, Value, json};
use windlass::base::NextAction;
use windlass::packs::harmless_line;
use windlass::vcontext::{AppendError, Operation};
use windlass::{Error, EventRequest, Recorded, Workspace};
use windlass_render::recorded_line;

use super::words_meant::kind_of;
use super::{Failure, playbook_sums, print_data, show};
use crate::args::{
    DocPlaybookAppendArgs, DocPlaybookCommand, DocPlaybookDeprecateArgs, DocPlaybookResolveArgs,
    DocPlaybookUpdateArgs, EventArgs, Feedback, OutputFormat,
};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

pub(super) fn run(
    workspace: &Workspace,
    actor: Option<&str>,
    args: DocPlaybookCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    match args {
        DocPlaybookCommand::Show(args) => show::playbook(workspace, &args, screen),
        DocPlaybookCommand::Append(args) => append(workspace, actor, args, screen),
        DocPlaybookCommand::Update(args) => update(workspace, actor, args, screen),
        DocPlaybookCommand::Deprecate(args) => deprecate(workspace, actor, args, screen),
        DocPlaybookCommand::Resolve(args) => resolve(workspace, actor, args, screen),
        DocPlaybookCommand::Merge(args) => playbook_sums::merge(workspace, actor, &args, screen),
        DocPlaybookCommand::Dedupe(args) => playbook_sums::dedupe(workspace, actor, &args, screen),
    }
}

fn append(
    workspace: &Workspace,
    actor: Option<&str>,
    args: DocPlaybookAppendArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), kind_of(args.kind).as_str().into());
    says(&args.event, &mut fields)?;
    if !fields.contains_key("narrative") {
        return Err(Failure::Usage(
            "an entry has to say something: `--text TEXT`".to_owned(),
        ));
    }
    fields.insert("status".to_owned(), "active".into());
    let request = EventRequest {
        operation: Operation::Append,
        target: args.target,
        after: None,
        actor: actor.map(str::to_owned),
        resolves: None,
        fields,
        dry_run: args.event.dry_run,
    };
    record(workspace, &args.file, &request, args.event.format, screen)
}

fn update(
    workspace: &Workspace,
    actor: Option<&str>,
    args: DocPlaybookUpdateArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let mut fields = Map::new();
    says(&args.event, &mut fields)?;
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
            "an update has to say something: `--text TEXT`, `--helpful 1`".to_owned(),
        ));
    }
    let request = EventRequest {
        operation: Operation::Update,
        target: args.target,
        after: args.after,
        actor: actor.map(str::to_owned),
        resolves: None,
        fields,
        dry_run: args.event.dry_run,
    };
    record(workspace, &args.file, &request, args.event.format, screen)
}

fn resolve(
    workspace: &Workspace,
    actor: Option<&str>,
    args: DocPlaybookResolveArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let mut fields = Map::new();
    says(&args.event, &mut fields)?;
    let request = EventRequest {
        operation: Operation::Update,
        target: args.target,
        after: args.keep,
        actor: actor.map(str::to_owned),
        resolves: Some(args.over),
        fields,
        dry_run: args.event.dry_run,
    };
    record(workspace, &args.file, &request, args.event.format, screen)
}

fn deprecate(
    workspace: &Workspace,
    actor: Option<&str>,
    args: DocPlaybookDeprecateArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let mut fields = Map::new();
    fields.insert("status".to_owned(), "deprecated".into());
    fields.insert("deprecatedReason".to_owned(), args.reason.into());
    for (name, target) in [
        ("supersededBy", args.superseded_by),
        ("duplicateOf", args.duplicate_of),
    ] {
        fields.extend(target.map(|target| (name.to_owned(), target.into())));
    }
    let request = EventRequest {
        operation: Operation::Deprecate,
        target: args.target,
        after: args.after,
        actor: actor.map(str::to_owned),
        resolves: None,
        fields,
        dry_run: args.dry_run,
    };
    record(workspace, &args.file, &request, args.format, screen)
}

/// Records an event, and tells of it.
fn record(
    workspace: &Workspace,
    file: &str,
    request: &EventRequest,
    format: OutputFormat,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let recorded = workspace.documents().record_event(file, &here(), request);
    let side_by_side = recorded.as_ref().err().and_then(Error::get);
    if let Some(AppendError::SideBySide { target, .. }) = side_by_side {
        let call = NextAction::new(
            "doc playbook resolve",
            "make one of the events side by side",
        )
        .positional(file)
        .positional(target.as_str());
        screen.complain(&harmless_line(&format!(
            "make one of them: {}",
            call.command_line()
        )));
    }
    tell(&recorded?, file, format, screen)
}

/// What was typed, as fields of an event.
fn says(args: &EventArgs, fields: &mut Map<String, Value>) -> Result<(), Failure> {
    let mut narrative = Map::new();
    narrative.extend(
        args.text
            .clone()
            .map(|text| ("Overview".to_owned(), text.into())),
    );
    for pair in &args.narratives {
        let Some((title, text)) = pair.split_once('=') else {
            let message =
                format!("`--narrative {pair}` has no `=`: write `--narrative TITLE=TEXT`");
            return Err(Failure::Usage(message));
        };
        narrative.insert(title.to_owned(), text.into());
    }
    if !narrative.is_empty() {
        fields.insert("narrative".to_owned(), narrative.into());
    }
    fields.extend(
        args.title
            .clone()
            .map(|title| ("title".to_owned(), title.into())),
    );
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
    fields.extend(
        args.reason
            .clone()
            .map(|reason| ("reason".to_owned(), reason.into())),
    );
    Ok(())
}

fn tell(
    recorded: &Recorded,
    file: &str,
    format: OutputFormat,
    screen: &Screen,
) -> Result<Exit, Failure> {
    if format != OutputFormat::Text {
        print_data(screen, format, recorded)?;
        return Ok(Exit::Done);
    }
    let id = recorded.event.get("eventId");
    let id = id.and_then(|id| id.as_str()).unwrap_or_default();
    screen.print(&format!("{}\n", harmless_line(id)));
    screen.say(&recorded_line(recorded, file));
    Ok(Exit::Done)
}
