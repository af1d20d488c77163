use serde_json::json;
use windlass::Workspace;
use windlass::base::counted;
use windlass::pack::harmless_line;
use windlass::vcontext::{
    CheckOptions, Document, MergeConflict, Value, check, differences, merge_documents,
};

use super::convert::print_document;
use super::input::document;
use super::{Failure, print_data};
use crate::args::{DocDiffArgs, DocMergeArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

pub(super) fn run(
    workspace: &Workspace,
    args: &DocMergeArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let snapshot = workspace.snapshot();
    let read = |name: &str| document(workspace, name, &snapshot);
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let merged = merge_documents(base.value(), ours.value(), theirs.value());
    let text = ours.rewritten(&merged.value);
    // Each change may be right alone, and both together a circle.
    let whole = Document::parse(ours.source().name(), text.as_bytes());
    let found = check(
        &whole.map_err(windlass::Error::Document)?,
        &CheckOptions::default(),
    );
    if found.has_errors() {
        tell(&merged.conflicts, screen);
        screen.complain("what both changed is no valid document together, so nothing was written");
        return Err(windlass::Error::Document(found).into());
    }
    if let Some(out) = &args.out {
        workspace.write_document(&out.to_string_lossy(), &here(), &text)?;
    }
    match (args.format, &args.out) {
        (OutputFormat::Text, None) => print_document(screen, &text),
        (OutputFormat::Text, Some(_)) => {}
        (format, out) => {
            let mut data = json!({ "conflicts": merged.conflicts });
            match out {
                Some(out) => data["out"] = out.to_string_lossy().into(),
                None => data["document"] = json!(merged.value),
            }
            print_data(screen, format, &data)?;
        }
    }
    if merged.conflicts.is_empty() {
        return Ok(Exit::Done);
    }
    if args.format == OutputFormat::Text {
        tell(&merged.conflicts, screen);
        let count = counted(merged.conflicts.len(), "conflict");
        screen.complain(&format!(
            "{count}; what the first version says was kept, and what it took out as the second has it"
        ));
    }
    Ok(Exit::Failed)
}

fn tell(conflicts: &[MergeConflict], screen: &Screen) {
    for conflict in conflicts {
        let (ours, theirs) = (conflict.ours_value.as_ref(), conflict.theirs_value.as_ref());
        let (ours, theirs) = told_apart(ours, theirs);
        screen.complain(&harmless_line(&format!(
            "conflict at {}: {ours} here, {theirs} there",
            conflict.path,
        )));
    }
}

pub(super) fn diff(
    workspace: &Workspace,
    args: &DocDiffArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let snapshot = workspace.snapshot();
    let first = document(workspace, &args.first, &snapshot)?;
    let second = document(workspace, &args.second, &snapshot)?;
    let found = differences(first.value(), second.value());
    match args.format {
        OutputFormat::Text => {
            for one in &found {
                let at = if one.at.is_empty() {
                    "/"
                } else {
                    one.at.as_str()
                };
                let (first, second) = told_apart(one.first.as_ref(), one.second.as_ref());
                screen.print(&format!(
                    "{}\n  - {}\n  + {}\n",
                    harmless_line(at),
                    harmless_line(&first),
                    harmless_line(&second)
                ));
            }
        }
        format => print_data(screen, format, &serde_json::json!({ "differences": found }))?,
    }
    match found.is_empty() {
        true => screen.say("they say the same"),
        false => screen.say(&format!("they differ in {}", counted(found.len(), "place"))),
    }
    Ok(if found.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The longest value that is told as a whole, in characters.
const SHOWN: usize = 200;

/// How much of what is alike is told before they differ, in characters.
const LEAD: usize = 40;

/// Two values, each as a text that shows where they differ.
fn told_apart(first: Option<&Value<'static>>, second: Option<&Value<'static>>) -> (String, String) {
    let text = |value: Option<&Value<'static>>| match value {
        Some(value) => value.to_string(),
        None => "nothing".to_owned(),
    };
    let (first, second) = (text(first), text(second));
    let alike = first.chars().zip(second.chars());
    let alike = alike.take_while(|(one, other)| one == other).count();
    let from = match alike > SHOWN / 2 {
        true => alike - LEAD,
        false => 0,
    };
    (cut(&first, from), cut(&second, from))
}

fn cut(text: &str, from: usize) -> String {
    let shown: String = text.chars().skip(from).take(SHOWN).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = match text.chars().nth(from + SHOWN) {
        Some(_) => "…",
        None => "",
    };
    format!("{before}{shown}{after}")
}
