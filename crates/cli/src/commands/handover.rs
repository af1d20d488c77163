use windlass::base::counted;
use windlass::pack::harmless_line;
use windlass::{Became, HandOverRequest, HandedEntry, HandedOver, Workspace};

use super::notebook::mode;
use super::{Failure, MAX_CHANGES, print_changes, print_data};
use crate::args::{NotebookExportArgs, NotebookImportArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn export(
    workspace: &Workspace,
    args: NotebookExportArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let done = workspace.export_notebook(&HandOverRequest {
        ids: args.ids,
        replace: args.replace,
        mode: mode(args.dry_run),
    })?;
    if !tell(&done, args.format, screen)? {
        return Ok(exit(&done));
    }
    let files: Vec<String> = done.files.iter().map(|file| format!("`{file}`")).collect();
    let files = harmless_line(&files.join(", "));
    let same = unchanged(&done);
    match (done.files.is_empty(), done.dry_run) {
        (true, _) => screen.say(&format!("nothing to write{same}")),
        (false, true) => screen.say(&format!("nothing was written; it would be {files}{same}")),
        (false, false) => screen.say(&format!(
            "wrote {files}{same}; once that is committed, others take it over with `windlass notebook import`"
        )),
    }
    for file in &done.ignored {
        screen.complain(&format!(
            "warning: git does not take `{}`, since an ignore file names it",
            harmless_line(file.as_str())
        ));
    }
    tell_next(&done, screen);
    Ok(exit(&done))
}

pub(super) fn import(
    workspace: &Workspace,
    args: NotebookImportArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let done = workspace.import_notebook(&HandOverRequest {
        ids: args.ids,
        replace: args.replace,
        mode: mode(args.dry_run),
    })?;
    if !tell(&done, args.format, screen)? {
        return Ok(exit(&done));
    }
    let total: usize = done.states.values().sum();
    let states = done.states.iter();
    let states: Vec<String> = states
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    if total > 0 {
        screen.print(&format!(
            "{} here as others have them: {}\n",
            counted(total, "anchor"),
            states.join(", ")
        ));
    }
    let (before, revision) = (done.before, done.revision);
    let changes = [Became::Added, Became::Updated, Became::Removed];
    let is_changed = changes.into_iter().any(|became| done.count(became) > 0);
    let same = unchanged(&done);
    screen.say(&match (is_changed, done.dry_run) {
        (false, _) => format!("nothing changes{same}"),
        (true, true) => format!("nothing was changed; the notebook is at revision {before}{same}"),
        (true, false) => format!(
            "the notebook is now at revision {revision}{same}; `windlass notebook rollback {before}` takes it back"
        ),
    });
    tell_next(&done, screen);
    Ok(exit(&done))
}

/// Prints what was done with each, or all of it for programs; whether there is more to say.
fn tell(done: &HandedOver, format: OutputFormat, screen: &Screen) -> Result<bool, Failure> {
    if format != OutputFormat::Text {
        print_data(screen, format, done)?;
        return Ok(false);
    }
    let mut entries: Vec<&HandedEntry> = done.entries.iter().collect();
    if entries.len() > MAX_CHANGES {
        // What somebody has to decide about is not among those left out.
        let is_plain =
            |entry: &HandedEntry| matches!(entry.became, Became::Added | Became::Updated);
        entries.sort_by_key(|entry| is_plain(entry));
    }
    print_changes(screen, entries.into_iter().map(line));
    Ok(true)
}

fn line(entry: &HandedEntry) -> String {
    let sign = match entry.became {
        Became::Added => '+',
        Became::Updated => '~',
        Became::Removed => '-',
        Became::Kept => '=',
        Became::Conflict => '!',
        Became::LeftOut => 'x',
    };
    let what = entry.sort.as_str();
    let reason = entry.reason.as_ref();
    let reason = reason
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    format!("{sign} {what} {}{reason}", entry.id)
}

fn unchanged(done: &HandedOver) -> String {
    match done.same {
        0 => String::new(),
        same => format!("; {same} are the same on both sides"),
    }
}

fn tell_next(done: &HandedOver, screen: &Screen) {
    for action in &done.next_actions {
        screen.say(&format!(
            "`{}`: {}",
            harmless_line(&action.written_out()),
            harmless_line(&action.reason)
        ));
    }
}

/// What is in conflict is for somebody to decide.
fn exit(done: &HandedOver) -> Exit {
    if done.count(Became::Conflict) > 0 {
        Exit::Conflict
    } else {
        Exit::Done
    }
}
