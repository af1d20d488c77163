//! Checks TodoLists, Plans and Playbooks (`doc check`).

use std::ops::Range;

use serde::Serialize;
use serde_json::json;
use windlass::Workspace;
use windlass::base::{Diagnostic, Diagnostics, NextAction};
use windlass_render::checked_documents;

use super::super::{data_text, list_page};
use super::input::document;
use super::{DocContext, Ended, Failure};
use crate::args::{DocCheckArgs, OutputFormat};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::outside::here;

#[derive(Serialize)]
struct Checked<'a> {
    file: &'a str,
    valid: bool,
    findings: Vec<&'a Diagnostic>,
}

type Row<'a> = (usize, &'a Diagnostic);

pub(super) fn run(at: &DocContext<'_>, args: &DocCheckArgs) -> Ended {
    let results = check(at.workspace, args)?;
    let rows: Vec<Row<'_>> = (results.iter().enumerate())
        .flat_map(|(at, (_, found))| found.iter().map(move |finding| (at, finding)))
        .collect();
    let (page, measure) = list_page(&args.page, call(args));
    let rendered = match args.page.format {
        OutputFormat::Text => {
            diagnostics_report::rendered(at.screen, rows.iter().map(|(_, one)| *one))
        }
        _ => Vec::new(),
    };
    let print = |shown: Range<usize>, more: Option<&NextAction>| match args.page.format {
        // Findings go to standard error, but count towards the budget all the same.
        OutputFormat::Text => {
            let rendered = rendered.get(shown.clone()).unwrap_or_default().concat();
            Ok(format!(
                "{rendered}{}",
                checked_documents(&results, shown.start == 0, more)
            ))
        }
        format => {
            let rows = rows.get(shown.clone()).unwrap_or_default();
            let data = data(&results, rows, shown.start == 0, more);
            Ok(data_text(format, measure, &data)? + "\n")
        }
    };
    let found = page.fit(at.workspace.site().caller(), &rows, print)?;
    match args.page.format {
        OutputFormat::Text => {
            let shown = rows.get(found.rows.clone()).unwrap_or_default();
            let mut all = Diagnostics::default();
            all.extend(shown.iter().map(|(_, finding)| (*finding).clone()));
            diagnostics_report::diagnostics(at.screen, &all);
            // The text of the page starts with the findings. We've printed those already, with
            // color.
            let rendered = rendered.get(found.rows.clone()).unwrap_or_default();
            let rendered: usize = rendered.iter().map(String::len).sum();
            at.screen
                .print_raw(found.text.get(rendered..).unwrap_or_default());
        }
        _ => at.screen.print_raw(&found.text),
    }
    let all_valid = results.iter().all(|(_, found)| !found.has_errors());
    Ok(if all_valid { Exit::Done } else { Exit::Invalid })
}

fn check(
    workspace: &Workspace,
    args: &DocCheckArgs,
) -> Result<Vec<(String, Diagnostics)>, Failure> {
    let (snapshot, here) = (workspace.site().snapshot(), here());
    let before = (args.previous.as_ref())
        .map(|name| document(workspace, name, &snapshot))
        .transpose()?;
    let mut results = Vec::new();
    for name in &args.files {
        let found = match document(workspace, name, &snapshot) {
            Ok(read) => {
                let path = here.join(name);
                let documents = workspace.documents();
                documents.check_vcontext(&read, &path, before.as_ref(), &snapshot)
            }
            Err(other) if other.found().is_some() => other.found().cloned().unwrap_or_default(),
            Err(other) if args.files.len() == 1 => return Err(other.into()),
            Err(other) => Diagnostic::error("unreadable", other.to_string()).into(),
        };
        results.push((name.clone(), found));
    }
    Ok(results)
}

fn call(args: &DocCheckArgs) -> NextAction {
    let call = NextAction::new("doc check", "see more findings");
    let call = args
        .files
        .iter()
        .fold(call, |call, file| call.positional(file.as_str()));
    args.previous
        .iter()
        .fold(call, |call, file| call.option("previous", file.as_str()))
}

/// Groups the findings of a page by document. Documents without any findings are only on the first
/// page.
fn data(
    results: &[(String, Diagnostics)],
    rows: &[Row<'_>],
    is_first: bool,
    more: Option<&NextAction>,
) -> serde_json::Value {
    let documents = results
        .iter()
        .enumerate()
        .map(|(at, (file, found))| Checked {
            file,
            valid: !found.has_errors(),
            findings: (rows.iter())
                .filter(|(of, _)| *of == at)
                .map(|(_, finding)| *finding)
                .collect(),
        });
    let documents: Vec<Checked<'_>> = documents
        .filter(|checked| is_first || !checked.findings.is_empty())
        .collect();
    let mut data = json!({ "documents": documents });
    if let Some(more) = more {
        data["next_cursor"] = more.args.get("cursor").cloned().unwrap_or_default();
        data["next_actions"] = json!([more]);
    }
    data
}
