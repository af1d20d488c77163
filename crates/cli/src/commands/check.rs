//! Checks runbooks and other documents (`windlass check`).

use std::path::Path;

use serde::Serialize;
use windlass::base::{Diagnostic, Diagnostics};
use windlass::packs::harmless_line;
use windlass::{CheckedDocument, Error};

use super::{Ended, print_data, tell_troubles};
use crate::args::{CheckArgs, OutputFormat};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

#[derive(Serialize)]
pub(super) struct Checked {
    pub(super) file: String,
    pub(super) valid: bool,
    pub(super) findings: Vec<Diagnostic>,
}

pub(crate) fn run(root: Option<&Path>, args: &CheckArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let (snapshot, catalog) = (workspace.site().snapshot(), workspace.runs().step_catalog());
    let mut results: Vec<(String, bool, Diagnostics)> = Vec::new();
    // The names of documents that we find are relative to the root. Those that the user types are
    // relative to the current folder.
    let all = workspace.runbooks().all(&snapshot);
    let (names, start): (Vec<String>, _) = if args.documents.is_empty() {
        let shared = workspace.runs().shared_anchors_file();
        let mut links = Vec::new();
        for (link, broken) in workspace.runbooks().linked(&snapshot) {
            match broken {
                Some(error) => results.push((link.to_string(), false, unreadable(&error))),
                None => links.push(link.to_string()),
            }
        }
        let runbooks = all.iter().map(|entry| entry.place.to_string());
        let names = runbooks
            .chain(links)
            .chain(shared.map(|file| file.to_string()));
        (names.collect(), workspace.site().repo().root().to_owned())
    } else {
        (args.documents.clone(), here())
    };
    if names.is_empty() && results.is_empty() {
        screen.say("no runbooks to check; `windlass init` writes one");
    }
    for name in names {
        let checked = match workspace
            .runs()
            .check_document(&name, &start, &snapshot, &catalog)
        {
            // Only runbooks have names that have to be unique. Any other document is done at this
            // point.
            Ok(CheckedDocument::Other { file, found }) => {
                results.push((file, !found.has_errors(), found));
                continue;
            }
            Ok(CheckedDocument::Runbook(runbook)) => {
                workspace.runbooks().check_name(*runbook, &all, &snapshot)
            }
            Err(error) => Err(error),
        };
        match checked {
            Ok(runbook) => results.push((runbook.file, true, runbook.warnings)),
            Err(other) if other.found().is_some() => {
                let found = other.found().cloned().unwrap_or_default();
                results.push((name, false, found));
            }
            // If it's the only document, this is an ordinary error rather than a finding.
            Err(other) if args.documents.len() == 1 => {
                tell_troubles(&workspace, screen);
                return Err(other.into());
            }
            Err(other) => results.push((name, false, unreadable(&other))),
        }
    }
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            let documents: Vec<Checked> = results
                .iter()
                .map(|(file, valid, found)| Checked {
                    file: file.clone(),
                    valid: *valid,
                    findings: found
                        .iter()
                        .map(|one| with_typed_root(one, screen))
                        .collect(),
                })
                .collect();
            print_data(
                screen,
                args.format,
                &serde_json::json!({ "documents": documents }),
            )?;
        }
        OutputFormat::Text => {
            for (file, valid, found) in &results {
                diagnostics_report::diagnostics(screen, found);
                if *valid {
                    screen.print(&format!("{}: valid\n", harmless_line(file)));
                }
            }
        }
    }
    tell_troubles(&workspace, screen);
    let all_valid = results.iter().all(|(_, valid, _)| *valid);
    Ok(if all_valid { Exit::Done } else { Exit::Invalid })
}

pub(super) fn unreadable(error: &Error) -> Diagnostics {
    let mut finding = Diagnostic::error("unreadable", error.to_string());
    finding.help = error.help();
    finding.into()
}

/// Adds the typed `--root` to the commands that `finding` suggests, so that the user can paste
/// them.
fn with_typed_root(finding: &Diagnostic, screen: &Screen) -> Diagnostic {
    let help = finding.help.as_deref();
    Diagnostic {
        help: help.map(|help| screen.with_root(help).into_owned()),
        ..finding.clone()
    }
}
