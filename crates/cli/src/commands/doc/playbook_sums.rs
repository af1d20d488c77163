//! Merges events (`doc playbook merge`) and duplicate entries (`doc playbook dedupe`).

use serde_json::{Value, json};
use windlass::base::counted;
use windlass::packs::harmless_line;
use windlass::vcontext::{Entry, Object};
use windlass_render::{duplicate_line, playbook_summary, resolving};

use super::{DocContext, Ended, exact_value, print_data};
use crate::args::{DocPlaybookDedupeArgs, DocPlaybookMergeArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;

pub(super) fn merge(at: &DocContext<'_>, args: &DocPlaybookMergeArgs) -> Ended {
    let other =
        at.workspace
            .documents()
            .vcontext(&args.other, &here(), &at.workspace.site().snapshot())?;
    let merged = at.workspace.documents().merge_playbook(
        &args.file,
        &other,
        &here(),
        at.actor,
        args.dry_run,
    )?;
    let exit = Exit::done_if(merged.conflicts.is_empty());
    if args.format != OutputFormat::Text {
        let entries: Vec<Value> = (merged.changed.iter())
            .map(|entry| counts(entry, &args.file))
            .collect();
        let data = json!({
            "added": merged.added,
            "entries": entries,
            "metrics": merged.metrics,
            "conflicts": merged.conflicts,
            "dry_run": args.dry_run,
        });
        print_data(at.screen, args.format, &data)?;
        return Ok(exit);
    }
    for id in &merged.added {
        at.screen.print(&format!("{}\n", harmless_line(id)));
    }
    let done = done("added", args.dry_run);
    at.screen
        .say(&format!("{} {done}", counted(merged.added.len(), "event")));
    for entry in &merged.changed {
        if entry.helpful_count != 0 || entry.harmful_count != 0 {
            at.screen.say(&harmless_line(&format!(
                "`{}`: helpful {}, harmful {}",
                entry.target_id, entry.helpful_count, entry.harmful_count
            )));
        }
        if let Some(call) = resolving(entry, &args.file) {
            at.screen.complain(&harmless_line(&format!(
                "`{}` has concurrent changes; merge them: {}",
                entry.target_id,
                call.command_line()
            )));
        }
    }
    if !merged.added.is_empty() {
        at.screen.say(&playbook_summary(&merged.metrics));
    }
    for conflict in &merged.conflicts {
        at.screen.complain(&harmless_line(&format!(
            "conflict: `{}` differs between the copies; kept the first",
            conflict.path
        )));
    }
    Ok(exit)
}

pub(super) fn dedupe(at: &DocContext<'_>, args: &DocPlaybookDedupeArgs) -> Ended {
    let found = at.workspace.documents().deduplicate_playbook(
        &args.file,
        &here(),
        args.exact,
        at.actor,
        args.dry_run,
    )?;
    if args.format != OutputFormat::Text {
        let mut data = Object::new();
        data.insert("duplicates", exact_value(&found.duplicates)?);
        data.insert("left", exact_value(&found.left)?);
        data.insert("events", exact_value(&found.events)?);
        data.insert("dry_run", args.dry_run);
        print_data(at.screen, args.format, &data)?;
        return Ok(Exit::Done);
    }
    for one in &found.duplicates {
        at.screen.print(&duplicate_line(one));
    }
    for target in &found.left {
        at.screen.complain(&harmless_line(&format!(
            "`{target}` is a duplicate, but was skipped because it has concurrent changes; merge them with \
             `windlass doc playbook resolve`"
        )));
    }
    let count = counted(found.duplicates.len(), "entry");
    at.screen
        .say(&format!("{count} {}", done("deprecated", args.dry_run)));
    Ok(Exit::Done)
}

fn done(what: &str, dry_run: bool) -> String {
    match dry_run {
        true => format!("would be {what}"),
        false => what.to_owned(),
    }
}

fn counts(entry: &Entry, file: &str) -> Value {
    let mut counts = json!({
        "targetId": entry.target_id,
        "status": entry.status,
        "events": entry.events,
        "helpfulCount": entry.helpful_count,
        "harmfulCount": entry.harmful_count,
    });
    if let Some(call) = resolving(entry, file) {
        counts["heads"] = json!(entry.heads);
        counts["resolve"] = call.command_line().into();
    }
    counts
}
