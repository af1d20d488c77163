//! Commands that change the memory.

use windlass::memory::{NewFeedback, NewRecord, RecordKind};
use windlass::packs::harmless_line;
use windlass::{MemoryChange, RememberRequest, RememberWork, Workspace};
use windlass_render::{feedback_line, remembered_lines};

use super::super::command_context::text_of;
use super::{Ended, Failure, print_either, tell_next, tell_written};
use crate::args::{
    MemoryFeedbackArgs, MemoryIndexArgs, MemoryRememberArgs, MemorySupersedeArgs, RememberWhat,
};
use crate::screen::Screen;

pub(super) fn run(workspace: &Workspace, args: &MemoryRememberArgs, screen: &Screen) -> Ended {
    let named = args.name.clone().unwrap_or_default();
    let kind = match args.what {
        RememberWhat::Decision => Some(RecordKind::Decision),
        RememberWhat::OpenLoop => Some(RecordKind::OpenLoop),
        RememberWhat::Context => Some(RecordKind::Context),
        RememberWhat::Event => Some(RecordKind::Event),
        RememberWhat::Update | RememberWhat::Summary | RememberWhat::Skip => None,
    };
    let is_needed = kind.is_some() || args.what == RememberWhat::Update;
    if is_needed && named.is_empty() {
        let what = if kind.is_some() { "title" } else { "record id" };
        return Err(Failure::Usage(format!(
            "missing {what}: `windlass memory remember {} …`",
            args.what.word()
        )));
    }
    if args.what == RememberWhat::Summary && !named.is_empty() {
        return Err(Failure::Usage(format!(
            "unexpected argument `{}` for the summary: `--text` sets its objective, `--section TITLE=TEXT` another part, `--title` its \
             title",
            harmless_line(&named)
        )));
    }
    let work = match args.what {
        RememberWhat::Skip => RememberWork::Skip,
        RememberWhat::Summary => RememberWork::Summary,
        RememberWhat::Update => RememberWork::Update(named.clone()),
        _ => RememberWork::New,
    };
    let record = NewRecord {
        kind,
        title: if kind.is_some() {
            named
        } else {
            args.title.clone().unwrap_or_default()
        },
        id: args.id.clone(),
        text: args.text.clone().map(text_of).transpose()?,
        sections: sections(args)?,
        keywords: args.keywords.clone(),
        aliases: args.aliases.clone(),
        related: args.related.clone(),
        supersedes: args.supersedes.clone(),
    };
    let changes_nothing = record.sections.is_empty()
        && record.text.is_none()
        && record.title.is_empty()
        && record.keywords.is_empty()
        && record.aliases.is_empty();
    if matches!(work, RememberWork::Update(_) | RememberWork::Summary) && changes_nothing {
        return Err(Failure::Usage(
            "no change given: use `--text`, `--section TITLE=TEXT`, `--title` or `--keyword`"
                .to_owned(),
        ));
    }
    let changed = workspace.memory().remember(&RememberRequest {
        work,
        record,
        dry_run: args.dry_run,
    })?;
    print_either(screen, args.format, &changed, || {
        for warning in changed.done.iter().flat_map(|done| &done.warnings) {
            screen.complain(&format!("warning: {warning}"));
        }
        match &changed.done {
            None => screen.print("nothing was written\n"),
            Some(done) => {
                for line in remembered_lines(done) {
                    screen.print(&line);
                }
            }
        }
        tell(screen, &changed);
    })
}

fn sections(args: &MemoryRememberArgs) -> Result<Vec<(String, String)>, Failure> {
    let mut sections = Vec::new();
    for pair in &args.sections {
        let (title, text) = crate::commands::pair("section", "TITLE=TEXT", pair)?;
        sections.push((title.trim().to_owned(), text.to_owned()));
    }
    Ok(sections)
}

pub(super) fn feedback(workspace: &Workspace, args: &MemoryFeedbackArgs, screen: &Screen) -> Ended {
    let feedback = NewFeedback {
        query: args.query.clone(),
        outcome: args.outcome,
        id: args.id.clone(),
        note: args.note.clone(),
    };
    let changed = workspace
        .memory()
        .give_memory_feedback(&feedback, args.dry_run)?;
    print_either(screen, args.format, &changed, || {
        screen.print(&feedback_line(&changed.done));
        tell_written(screen, &changed.written, changed.dry_run);
    })
}

pub(super) fn supersede(
    workspace: &Workspace,
    args: &MemorySupersedeArgs,
    screen: &Screen,
) -> Ended {
    let changed = workspace
        .memory()
        .supersede_memory(&args.old, &args.newer, args.dry_run)?;
    print_either(screen, args.format, &changed, || {
        tell(screen, &changed);
    })
}

pub(super) fn index(workspace: &Workspace, args: &MemoryIndexArgs, screen: &Screen) -> Ended {
    let changed = workspace.memory().index_memory(args.dry_run)?;
    print_either(screen, args.format, &changed, || {
        if !changed.done.changed {
            screen.print("the index and the summary match the records\n");
        }
        tell_written(screen, &changed.written, changed.dry_run);
    })
}

fn tell<T>(screen: &Screen, changed: &MemoryChange<T>) {
    tell_written(screen, &changed.written, changed.dry_run);
    tell_next(screen, &changed.next_actions);
}
