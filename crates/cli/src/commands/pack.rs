//! Commands on context packs (`windlass pack`).

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use serde_json::json;
use windlass::packs::context::{ContextPack, JoinPolicy, Profile, ToolPolicy};
use windlass::packs::harmless_line;
use windlass::{BuildPack, Error, MergePacks, PackView, ShowPack, Workspace};
use windlass_render::{part_line, rebuilt_text};

use super::command_context::text_of;
use super::{
    Ended, Failure, limit, pack_format, print_changes, print_data, print_either, print_result,
    tell_troubles,
};
use crate::args::{
    OutputFormat, PackBuildArgs, PackCommand, PackDiffArgs, PackMergeArgs, PackRebuildArgs,
    PackShowArgs, PackViewArgs,
};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, command: PackCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let ended = match command {
        PackCommand::Build(args) => build(&workspace, *args, screen),
        PackCommand::List { limit, format } => list(&workspace, limit, format.format, screen),
        PackCommand::Merge(args) => merge(&workspace, args, screen),
        PackCommand::Rebuild(args) => rebuild(&workspace, &args, screen),
        PackCommand::Diff(args) => diff(&workspace, &args, screen),
        PackCommand::Show(args) => show(&workspace, args, screen),
    };
    tell_troubles(&workspace, screen);
    ended
}

/// Lists stored packs by the beginning of their ids, with their goals.
fn list(workspace: &Workspace, limit: usize, format: OutputFormat, screen: &Screen) -> Ended {
    let packs = workspace.packs().newest(limit)?;
    let rows = packs
        .iter()
        .map(|pack| json!({ "id": pack.pack_id, "goal": pack.goal }));
    let data = json!({ "packs": rows.collect::<Vec<_>>() });
    print_either(screen, format, &data, || {
        if packs.is_empty() {
            screen.say("no stored packs: `windlass pack build GOAL` builds one");
        }
        for pack in &packs {
            let id = pack.pack_id.to_string();
            let line = format!("{}  {}", id.get(..8).unwrap_or(&id), pack.goal);
            screen.print(&format!("{}\n", harmless_line(&line)));
        }
    })
}

fn build(workspace: &Workspace, args: PackBuildArgs, screen: &Screen) -> Ended {
    let request = BuildPack {
        goal: args.goal.map(text_of).transpose()?.unwrap_or_default(),
        done: args.done,
        docs_root: args.docs_root,
        plan: args.plan,
        acceptance: args.acceptance,
        architecture: args.architecture,
        docs: args.docs,
        since: args.base,
        results: args.results,
        files: args.files,
        search: args.search,
        constraints: pairs("constraint", &args.constraints)?,
        decisions: pairs("decision", &args.decisions)?,
        from: args.inherit,
        payloads: Vec::new(),
        no_memory: args.no_memory,
        run_id: args.run,
        node_id: args.node,
        mode: args.mode,
        node_mode: args.node_mode,
        tool_policy: ToolPolicy {
            allowed: args.allow_tools,
            blocked: args.block_tools,
            approval: args.approval,
        },
        output_schema: args.output_schema,
        start: here(),
        exact: false,
    };
    let built = workspace
        .packs()
        .build(&request, with_profile(view(&args.view, screen)))?;
    write_out(workspace, &built.pack, args.out.as_deref())?;
    warn_not_stored(built.not_kept.as_deref(), args.out.as_deref(), screen);
    screen.print_raw(&built.printed.text);
    Ok(Exit::Done)
}

fn merge(workspace: &Workspace, args: PackMergeArgs, screen: &Screen) -> Ended {
    if let (JoinPolicy::Quorum(quorum), Some(expected)) = (args.policy, args.expect)
        && quorum > expected.get()
    {
        return Err(Failure::Usage(format!(
            "`quorum:{quorum}` cannot be reached with {expected} expected packs: lower the quorum to {expected}"
        )));
    }
    let request = MergePacks {
        names: args.packs,
        policy: args.policy,
        expected: args.expect.map(NonZeroUsize::get),
        goal: args.goal,
        run_id: args.run,
        node_id: args.node,
        edge_id: args.edge,
        start: here(),
    };
    let merged = workspace.packs().merge(&request)?;
    write_out(workspace, &merged.pack, args.out.as_deref())?;
    warn_not_stored(merged.not_kept.as_deref(), args.out.as_deref(), screen);
    if let Some(left) = merged.told_of_nothing() {
        screen.complain(&format!("warning: {left}"));
    }
    if !merged.left_out.is_empty() {
        let left: Vec<String> = merged.left_out.iter().map(ToString::to_string).collect();
        screen.say(&format!(
            "{} joined by `{}`; skipped: {}",
            windlass::base::counted(merged.joined, "pack"),
            request.policy,
            left.join(", ")
        ));
    }
    if args.payload {
        print_data(screen, OutputFormat::Json, &merged.payload)?;
    } else {
        let view = with_profile(view(&args.view, screen));
        let is_kept = merged.not_kept.is_none();
        let printed = workspace.packs().print_whole(&merged.pack, view, is_kept)?;
        screen.print_raw(&printed.text);
    }
    Ok(Exit::Done)
}

fn rebuild(workspace: &Workspace, args: &PackRebuildArgs, screen: &Screen) -> Ended {
    let rebuilt = workspace.packs().rebuild(&args.pack, &here())?;
    write_out(workspace, &rebuilt.pack, args.out.as_deref())?;
    print_result(screen, args.format, &rebuilt, || rebuilt_text(&rebuilt))?;
    Ok(Exit::done_if(rebuilt.reproduced))
}

fn diff(workspace: &Workspace, args: &PackDiffArgs, screen: &Screen) -> Ended {
    let diff = workspace.packs().diff(&args.old, &args.new, &here())?;
    print_either(screen, args.format, &diff, || {
        print_changes(screen, diff.changes.iter().map(part_line));
        screen.print(&format!(
            "{} changed, {} unchanged\n",
            diff.changes.len(),
            diff.unchanged
        ));
    })
}

fn with_profile(view: PackView) -> PackView {
    PackView {
        profile: view.profile.or(Some(Profile::Routine)),
        ..view
    }
}

fn warn_not_stored(why: Option<&str>, out: Option<&Path>, screen: &Screen) {
    // With `--out`, the user has the pack in a file and doesn't need the stored one.
    if let (Some(why), None) = (why, out) {
        screen.complain(&format!(
            "warning: the pack is not stored, so `windlass pack show` will not find it: {why}"
        ));
    }
}

fn write_out(workspace: &Workspace, pack: &ContextPack, out: Option<&Path>) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    let text = serde_json::to_string_pretty(pack).map_err(Error::internal)?;
    let name = out.to_string_lossy();
    if out.is_dir() {
        let within = out.join("pack.json");
        return Err(Failure::Usage(format!(
            "`--out {name}` is a folder: name a file, such as `{}`",
            within.display()
        )));
    }
    Ok(workspace
        .documents()
        .write_document(&name, &here(), &(text + "\n"))?)
}

fn pairs(option: &str, given: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(Failure::Usage(format!(
            "`--{option} {text}` has no name: write `--{option} NAME=TEXT`"
        ))),
    };
    let pairs: Vec<(String, String)> = given.iter().map(pair).collect::<Result<_, _>>()?;
    let mut known = BTreeMap::new();
    for (name, value) in &pairs {
        let before = known.insert(name, value);
        // Giving the same value twice does no harm.
        if let Some(before) = before.filter(|before| *before != value) {
            return Err(Failure::Usage(format!(
                "`--{option} {name}=…` is given twice, with `{before}` and `{value}`: omit one"
            )));
        }
    }
    Ok(pairs)
}

fn show(workspace: &Workspace, args: PackShowArgs, screen: &Screen) -> Ended {
    let request = ShowPack {
        name: args.pack,
        start: here(),
        view: view(&args.view, screen),
    };
    screen.print_raw(&workspace.packs().show(&request)?.text);
    Ok(Exit::Done)
}

fn view(args: &PackViewArgs, screen: &Screen) -> PackView {
    PackView {
        format: pack_format(args.format, screen),
        limit: limit(&args.budget),
        profile: args.profile,
    }
}
