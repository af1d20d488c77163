use windlass::Workspace;
use windlass::base::counted;
use windlass::pack::harmless_line;
use windlass::vcontext::{Value, differences, merge_documents};

use super::convert::print;
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
    let read = |name: &str| workspace.vcontext(name, &here(), &snapshot);
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let merged = merge_documents(base.value(), ours.value(), theirs.value());
    let text = ours.rewritten(&merged.value);
    match &args.out {
        Some(out) => workspace.write_document(&out.to_string_lossy(), &here(), &text)?,
        None => print(screen, &text),
    }
    if merged.conflicts.is_empty() {
        return Ok(Exit::Done);
    }
    for conflict in &merged.conflicts {
        screen.complain(&harmless_line(&format!(
            "conflict at {}: {} here, {} there",
            conflict.path,
            told(conflict.ours_value.as_ref()),
            told(conflict.theirs_value.as_ref()),
        )));
    }
    let count = counted(merged.conflicts.len(), "conflict");
    screen.complain(&format!(
        "{count}; what stands in the first version was kept"
    ));
    Ok(Exit::Failed)
}

pub(super) fn diff(
    workspace: &Workspace,
    args: &DocDiffArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let snapshot = workspace.snapshot();
    let first = workspace.vcontext(&args.first, &here(), &snapshot)?;
    let second = workspace.vcontext(&args.second, &here(), &snapshot)?;
    let found = differences(first.value(), second.value());
    match args.format {
        OutputFormat::Text => {
            for one in &found {
                let at = if one.at.is_empty() {
                    "/"
                } else {
                    one.at.as_str()
                };
                screen.print(&format!(
                    "{}\n  - {}\n  + {}\n",
                    harmless_line(at),
                    harmless_line(&told(one.first.as_ref())),
                    harmless_line(&told(one.second.as_ref()))
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

fn told(value: Option<&Value<'static>>) -> String {
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
