//! Exports entries of the notebook to files of the repository, and imports them from there.

use windlass::notebook::EditMode;
use windlass::packs::harmless_line;
use windlass::{Became, HandOverRequest, HandedEntry, HandedOver, Workspace};
use windlass_render::{exported_summary, handed_line, handed_states, imported_summary};

use super::{Ended, Failure, MAX_CHANGES, print_changes, print_data};
use crate::args::{NotebookExportArgs, NotebookImportArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn export(workspace: &Workspace, args: NotebookExportArgs, screen: &Screen) -> Ended {
    let done = workspace.notebook().export(&HandOverRequest {
        ids: args.ids,
        replace: args.replace,
        mode: EditMode::of(args.dry_run),
    })?;
    if !tell(&done, args.format, screen)? {
        return Ok(exit(&done));
    }
    screen.say(&exported_summary(&done));
    for file in &done.ignored {
        screen.complain(&format!(
            "warning: `{}` is ignored by git",
            harmless_line(file.as_str())
        ));
    }
    tell_next(&done, screen);
    Ok(exit(&done))
}

pub(super) fn import(workspace: &Workspace, args: NotebookImportArgs, screen: &Screen) -> Ended {
    let done = workspace.notebook().import(&HandOverRequest {
        ids: args.ids,
        replace: args.replace,
        mode: EditMode::of(args.dry_run),
    })?;
    if !tell(&done, args.format, screen)? {
        return Ok(exit(&done));
    }
    if let Some(states) = handed_states(&done) {
        screen.print(&states);
    }
    screen.say(&imported_summary(&done));
    tell_next(&done, screen);
    Ok(exit(&done))
}

/// Prints each entry, or everything at once for programs. Returns true if a summary should follow.
fn tell(done: &HandedOver, format: OutputFormat, screen: &Screen) -> Result<bool, Failure> {
    if format != OutputFormat::Text {
        print_data(screen, format, done)?;
        return Ok(false);
    }
    let mut entries: Vec<&HandedEntry> = done.entries.iter().collect();
    if entries.len() > MAX_CHANGES {
        // Print entries that need a decision first, so that the limit never cuts them off.
        let is_plain =
            |entry: &HandedEntry| matches!(entry.became, Became::Added | Became::Updated);
        entries.sort_by_key(|entry| is_plain(entry));
    }
    print_changes(screen, entries.into_iter().map(handed_line));
    Ok(true)
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

fn exit(done: &HandedOver) -> Exit {
    if done.count(Became::Conflict) > 0 {
        Exit::Conflict
    } else {
        Exit::Done
    }
}
