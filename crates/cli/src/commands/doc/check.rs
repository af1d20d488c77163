use serde::Serialize;
use windlass::base::{Diagnostic, Diagnostics};
use windlass::pack::harmless_line;
use windlass::{Error, Workspace};

use super::{Failure, print_data};
use crate::args::{DocCheckArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::report;
use crate::screen::Screen;

/// What was found in one document.
#[derive(Serialize)]
struct Checked {
    file: String,
    valid: bool,
    findings: Vec<Diagnostic>,
}

pub(super) fn run(
    workspace: &Workspace,
    args: &DocCheckArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let (snapshot, here) = (workspace.snapshot(), here());
    let before = (args.before.as_ref())
        .map(|name| workspace.vcontext(name, &here, &snapshot))
        .transpose()?;
    let mut results: Vec<(&String, Diagnostics)> = Vec::new();
    for name in &args.files {
        let found = match workspace.vcontext(name, &here, &snapshot) {
            Ok(document) => {
                let path = here.join(name);
                workspace.check_vcontext(&document, &path, before.as_ref(), &snapshot)
            }
            Err(Error::Document(found)) => found,
            Err(other) if args.files.len() == 1 => return Err(other.into()),
            Err(other) => Diagnostic::error("unreadable", other.to_string()).into(),
        };
        results.push((name, found));
    }
    match args.format {
        OutputFormat::Text => {
            for (name, found) in &results {
                report::diagnostics(screen, found);
                if !found.has_errors() {
                    screen.print(&format!("{}: valid\n", harmless_line(name)));
                }
            }
        }
        format => {
            let documents = results.iter().map(|(name, found)| Checked {
                file: (*name).clone(),
                valid: !found.has_errors(),
                findings: found.iter().cloned().collect(),
            });
            let documents: Vec<Checked> = documents.collect();
            print_data(
                screen,
                format,
                &serde_json::json!({ "documents": documents }),
            )?;
        }
    }
    let all_valid = results.iter().all(|(_, found)| !found.has_errors());
    Ok(if all_valid { Exit::Done } else { Exit::Invalid })
}
