//! Commands on the notebook and on its anchors.

pub(super) mod anchor;
mod handover;
mod list_arguments;
mod places_read;
mod repair;
mod scan;

use std::path::Path;
use std::time::Duration;

use windlass::base::counted;
use windlass::notebook::{EditMode, HistoryLimits};
use windlass::packs::harmless_line;
use windlass::{
    ApplyRequest, EditRequest, ListPurpose, ListRequest, NotebookChange, SuggestRequest, Workspace,
};
use windlass_render::{kept_line, notebook_change_lines, notebook_change_summary, revision_line};

use self::list_arguments::{list_request, suggest_first_steps};
use super::given_file::read_given;
use super::given_paths::zones;
use super::{
    Ended, Failure, MAX_CHANGES, limit, print_changes, print_data, print_either, tell_troubles,
};
use crate::args::{
    NotebookAdoptArgs, NotebookApplyArgs, NotebookCommand, NotebookEditArgs, NotebookGcArgs,
    NotebookHistoryArgs, NotebookRollbackArgs, NotebookShowArgs, NotebookSuggestArgs, OutputFormat,
    SuggestArgs,
};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

const DAY: Duration = Duration::from_hours(24);

pub(crate) fn run(root: Option<&Path>, command: NotebookCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let ended = match command {
        NotebookCommand::Show(args) => show(&workspace, args, screen),
        NotebookCommand::Edit(args) => edit(&workspace, &args, screen),
        NotebookCommand::Suggest(args) => suggest(&workspace, args, screen),
        NotebookCommand::Apply(args) => apply(&workspace, args, screen),
        NotebookCommand::History(args) => history(&workspace, &args, screen),
        NotebookCommand::Rollback(args) => rollback(&workspace, &args, screen),
        NotebookCommand::Gc(args) => collect_garbage(&workspace, &args, screen),
        NotebookCommand::Export(args) => handover::export(&workspace, args, screen),
        NotebookCommand::Import(args) => handover::import(&workspace, args, screen),
        NotebookCommand::Adopt(args) => adopt(&workspace, &args, screen),
    };
    tell_troubles(&workspace, screen);
    ended
}

pub(crate) fn suggest_or_apply(root: Option<&Path>, args: SuggestArgs, screen: &Screen) -> Ended {
    let command = match args.apply {
        None => NotebookCommand::Suggest(args.suggest),
        Some(ids) => NotebookCommand::Apply(NotebookApplyArgs {
            ids,
            digest: args.digest,
            dry_run: false,
            format: OutputFormat::Text,
        }),
    };
    run(root, command, screen)
}

fn show(workspace: &Workspace, args: NotebookShowArgs, screen: &Screen) -> Ended {
    let request = ListRequest {
        kinds: args.kinds,
        tags: args.tags,
        states: args.states,
        zones: zones(workspace, &args.zones)?,
        ..list_request(ListPurpose::Notebook, args.page, screen)?
    };
    let list = workspace.notebook().list(&request)?;
    screen.print_styled(&list.printed);
    if list.total + list.runbooks == 0 {
        suggest_first_steps(workspace, &request, screen);
    }
    Ok(Exit::Done)
}

fn edit(workspace: &Workspace, args: &NotebookEditArgs, screen: &Screen) -> Ended {
    let (name, text) = read_given(workspace, &args.file)?;
    let request = EditRequest {
        name: &name,
        text: &text,
        start: &here(),
        if_revision: args.if_revision,
        mode: EditMode::of(args.dry_run),
    };
    let change = workspace.notebook().edit(&request)?;
    tell(screen, &change, args.format)
}

fn suggest(workspace: &Workspace, args: NotebookSuggestArgs, screen: &Screen) -> Ended {
    if let Some(transcript) = &args.read {
        return places_read::run(workspace, transcript, &args.page, screen);
    }
    let page = list_request(ListPurpose::Notebook, args.page, screen)?;
    let request = SuggestRequest {
        kinds: args.kinds,
        limit: page.limit,
        format: page.format,
        also: None,
        cursor: page.cursor,
    };
    let list = workspace.notebook().suggestions().list(&request)?;
    screen.print_styled(&list.printed);
    Ok(Exit::Done)
}

fn apply(workspace: &Workspace, args: NotebookApplyArgs, screen: &Screen) -> Ended {
    let applied = workspace.notebook().suggestions().apply(&ApplyRequest {
        ids: args.ids,
        digest: args.digest,
        mode: EditMode::of(args.dry_run),
    })?;
    if args.format != OutputFormat::Text {
        print_data(screen, args.format, &applied)?;
        return Ok(Exit::Done);
    }
    let kept = applied.kept.iter();
    print_changes(screen, kept.map(|id| kept_line(id.as_str())));
    let declined = applied.declined.iter();
    print_changes(
        screen,
        declined.map(|id| format!("! {id} was removed before; name it to save it again")),
    );
    tell(screen, &applied.change, args.format)?;
    if !applied.change.dry_run && !applied.change.changes.is_empty() {
        let before = applied.change.before;
        screen.say(&format!(
            "`windlass notebook rollback {before}` reverts this"
        ));
    }
    Ok(Exit::Done)
}

fn rollback(workspace: &Workspace, args: &NotebookRollbackArgs, screen: &Screen) -> Ended {
    let change = workspace
        .notebook()
        .roll_back(args.revision, EditMode::of(args.dry_run))?;
    tell(screen, &change, args.format)
}

fn adopt(workspace: &Workspace, args: &NotebookAdoptArgs, screen: &Screen) -> Ended {
    let from = args.repo.as_ref().map(|from| {
        let typed = here().join(from);
        // A former repository's folder may no longer exist, so fall back to the path as typed.
        typed.canonicalize().unwrap_or(typed)
    });
    let (place, change) = workspace
        .notebook()
        .adopt(from.as_deref(), EditMode::of(args.dry_run))?;
    screen.say(&format!("from `{}`", harmless_line(&place)));
    tell(screen, &change, args.format)
}

fn tell(screen: &Screen, change: &NotebookChange, format: OutputFormat) -> Ended {
    print_either(screen, format, change, || {
        print_changes(screen, notebook_change_lines(change).into_iter());
        screen.say(&notebook_change_summary(change));
    })
}

fn history(workspace: &Workspace, args: &NotebookHistoryArgs, screen: &Screen) -> Ended {
    let mut revisions = workspace.notebook().history()?;
    let total = revisions.len();
    revisions.truncate(args.limit);
    if args.format != OutputFormat::Text {
        let value = serde_json::json!({ "total": total, "revisions": revisions });
        print_data(screen, args.format, &value)?;
        return Ok(Exit::Done);
    }
    for revision in &revisions {
        screen.print(&format!("{}\n", harmless_line(&revision_line(revision))));
    }
    match total - revisions.len() {
        0 if total == 0 => screen.say("the notebook is empty"),
        0 => {}
        more => screen.say(&format!("{more} more; `--limit {total}` lists all")),
    }
    Ok(Exit::Done)
}

fn collect_garbage(workspace: &Workspace, args: &NotebookGcArgs, screen: &Screen) -> Ended {
    let usual = HistoryLimits::default();
    let limits = HistoryLimits {
        max_count: args.keep.unwrap_or(usual.max_count),
        max_age: args.max_age.map_or(usual.max_age, |days| DAY * days),
        max_bytes: args
            .max_size
            .map_or(usual.max_bytes, |size| u64::from(size) << 20),
    };
    let removed = workspace
        .notebook()
        .collect_garbage(limits, EditMode::of(args.dry_run))?;
    if args.format != OutputFormat::Text {
        let value = serde_json::json!({ "dry_run": args.dry_run, "removed": removed });
        print_data(screen, args.format, &value)?;
        return Ok(Exit::Done);
    }
    let lines = removed.iter();
    print_changes(
        screen,
        lines.map(|revision| format!("- revision {revision}")),
    );
    let deleted = if args.dry_run {
        "would be deleted"
    } else {
        "deleted"
    };
    screen.say(&format!(
        "{} {deleted}",
        counted(removed.len(), "superseded revision")
    ));
    Ok(Exit::Done)
}
