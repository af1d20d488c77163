//! Lists the records of the memory (`memory list`).

use serde::Serialize;
use windlass::Workspace;
use windlass::packs::harmless_line;

use crate::args::OutputFormat;
use crate::commands::{Ended, print_either};
use crate::screen::Screen;

#[derive(Serialize)]
struct ListedRecord<'a> {
    path: &'a str,
    kind: &'static str,
    status: &'static str,
    title: &'a str,
}

pub(super) fn run(workspace: &Workspace, format: OutputFormat, screen: &Screen) -> Ended {
    let memory = workspace
        .memory()
        .read_memory(&workspace.site().snapshot())?;
    let is_there = memory.is_there();
    let records = memory.records.values().filter(|record| record.is_record());
    let records: Vec<ListedRecord<'_>> = records
        .map(|record| ListedRecord {
            path: record.path.as_str(),
            kind: record.kind.as_str(),
            status: record.status().as_str(),
            title: record.title(),
        })
        .collect();
    print_either(
        screen,
        format,
        &serde_json::json!({ "records": records }),
        || {
            if records.is_empty() {
                screen.say(match is_there {
                    true => "no records: `windlass memory remember` writes one",
                    false => "no memory: `windlass memory init` creates one",
                });
            }
            for ListedRecord {
                path,
                kind,
                status,
                title,
            } in &records
            {
                let line = format!("{kind:<10} {status:<10} {path}  {title}");
                screen.print(&format!("{}\n", harmless_line(&line)));
            }
        },
    )
}
