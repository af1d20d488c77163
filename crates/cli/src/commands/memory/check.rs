//! Checks the memory (`memory check`).

use std::ops::Range;

use windlass::base::{Diagnostic, NextAction};
use windlass::{MemoryCheck, MemoryCheckRequest, Workspace};
use windlass_render::{fix_line, memory_findings, memory_summary};

use super::super::{data_text, list_page};
use super::{Ended, Failure, limit, tell_next, tell_written};
use crate::args::{MemoryCheckArgs, OutputFormat};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn run(workspace: &Workspace, args: &MemoryCheckArgs, screen: &Screen) -> Ended {
    let checked = workspace.memory().check_memory(MemoryCheckRequest {
        fix: args.fix,
        dry_run: args.dry_run,
    })?;
    match args.page.format {
        OutputFormat::Text if args.page.cursor.is_none() && limit(&args.page.budget).is_none() => {
            text(&checked, args, screen);
        }
        _ => page(workspace, &checked, args, screen)?,
    }
    Ok(Exit::done_if(checked.valid))
}

fn text(checked: &MemoryCheck, args: &MemoryCheckArgs, screen: &Screen) {
    diagnostics_report::diagnostics_of_files(screen, &checked.found);
    for fix in &checked.fixed {
        screen.print(&fix_line(fix));
    }
    tell_written(screen, &checked.written, args.dry_run);
    screen.print(&format!("{}\n", memory_summary(checked)));
    tell_next(screen, &checked.next_actions);
}

fn page(
    workspace: &Workspace,
    checked: &MemoryCheck,
    args: &MemoryCheckArgs,
    screen: &Screen,
) -> Result<(), Failure> {
    let rows: Vec<&Diagnostic> = checked.found.iter().collect();
    let call = NextAction::new("memory check", "see more findings");
    let (page, measure) = list_page(&args.page, call);
    let print = |shown: Range<usize>, more: Option<&NextAction>| {
        let rows = &rows[shown];
        if args.page.format == OutputFormat::Text {
            return Ok(memory_findings(checked, rows, more));
        }
        Ok(data_text(args.page.format, measure, &checked.page(rows, more))? + "\n")
    };
    let fitting = page.fit(workspace.site().caller(), &rows, print)?;
    match args.page.format {
        OutputFormat::Text => screen.print(&fitting.text),
        _ => screen.print_raw(&fitting.text),
    }
    Ok(())
}
