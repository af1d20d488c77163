//! Commands on beads (`windlass bead`).

use serde_json::{Map, Value, json};
use windlass::base::counted;
use windlass::ledger::WorkFilter;
use windlass::ledger::bead::Bead;
use windlass::packs::harmless_line;
use windlass::vcontext::Encoding;
use windlass::{BeadUpdate, ImportRequest, NewBead, NewDependency, WorkList};

use super::{Ended, Failure, print_data, print_result};
use crate::args::{
    BeadCloseArgs, BeadCommand, BeadCreateArgs, BeadDepCommand, BeadEncoding, BeadExportArgs,
    BeadFilterArgs, BeadImportArgs, BeadListArgs, BeadUpdateArgs, BeadViewArgs, OutputFormat,
};
use crate::commands::command_context::{CommandContext, text_of};
use crate::commands::doc::print_document;
use crate::commands::given_file::read_lines;
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;
use windlass_render::{bead_done, bead_list, bead_text, export_line, import_text};

pub(crate) fn run(context: &CommandContext<'_>, command: BeadCommand) -> Ended {
    match command {
        BeadCommand::Create(args) => create(context, args),
        BeadCommand::List(args) => list(context, &args, Which::Any),
        BeadCommand::Ready(args) => list(context, &args, Which::Ready),
        BeadCommand::Blocked(args) => list(context, &args, Which::Blocked),
        BeadCommand::Search(args) => {
            let list = BeadListArgs {
                filter: args.filter,
                view: args.view,
            };
            self::list(context, &list, Which::With(&args.text))
        }
        BeadCommand::Show(args) => context.with_bead(&args.id, "bead show", |ledger| {
            let report = ledger.beads().get(&args.id, args.at)?;
            print_result(context.screen, args.format, &report, || bead_text(&report))
        }),
        BeadCommand::Claim(args) => {
            let filter = filter(&args.filter);
            let id = args.id.as_deref();
            context.with_bead(id.unwrap_or_default(), "bead claim", |ledger| {
                let bead = ledger.beads().claim(id, &filter)?;
                changed(context.screen, args.format, "claimed", &[bead])
            })
        }
        BeadCommand::Update(args) => update(context, &args),
        BeadCommand::Close(args) => close(context, &args),
        BeadCommand::Reopen(args) => context.with_bead(first(&args.ids), "bead reopen", |ledger| {
            let beads = ledger.beads().reopen(&args.ids, args.reason.as_deref())?;
            changed(context.screen, args.format, "reopened", &beads)
        }),
        BeadCommand::Dep(command) => depend(context, &command),
        BeadCommand::Import(args) => import(context, &args),
        BeadCommand::Export(args) => export(context, &args),
    }
}

fn first(ids: &[String]) -> &str {
    ids.first().map_or("", String::as_str)
}

/// Prints the beads that a command has changed. For programs, a single one is not put into a list.
fn changed(screen: &Screen, format: OutputFormat, what: &str, beads: &[Bead]) -> Ended {
    match (format, beads) {
        (OutputFormat::Text, beads) => {
            for bead in beads {
                screen.print(&format!("{}\n", bead_done(what, bead)));
            }
        }
        (format, [bead]) => print_data(screen, format, bead)?,
        (format, beads) => print_data(screen, format, &json!({ "beads": beads }))?,
    }
    Ok(Exit::Done)
}

fn create(context: &CommandContext<'_>, args: BeadCreateArgs) -> Ended {
    let needs = args.needs.into_iter().map(|on| NewDependency {
        kind: "blocks".to_owned(),
        on,
        any_child: false,
    });
    let new = NewBead {
        title: args.title,
        description: text_of(args.description)?,
        issue_type: Some(args.issue_type.to_string()),
        priority: Some(args.priority),
        labels: args.labels,
        assignee: args.assignee,
        dependencies: needs.collect(),
        id: args.id,
        prefix: args.prefix,
        parent: args.parent,
    };
    context.with("bead create", |ledger| {
        let is_first = ledger.state().events() == 0;
        let bead = ledger.beads().create(&new)?;
        // Users may expect that a commit includes their beads, but the ledger isn't in the working
        // tree. Mention that once.
        if is_first && ledger.places().has_git() {
            context.screen.say(
                "note: for git to carry beads, run `windlass events sync`, then `git add .beads`; `windlass init --hook` keeps them up to date from then on",
            );
        }
        changed(context.screen, args.format, "created", &[bead])
    })
}

#[derive(Clone, Copy)]
enum Which<'a> {
    Any,
    Ready,
    Blocked,
    With(&'a str),
}

fn filter(args: &BeadFilterArgs) -> WorkFilter {
    WorkFilter {
        statuses: args.statuses.clone(),
        all: args.all,
        issue_type: args.issue_type.clone(),
        priorities: args.priorities.clone(),
        assignee: args.assignee.clone(),
        unassigned: args.unassigned,
        labels: args.labels.clone(),
        under: args.parent.clone(),
        skip: 0,
    }
}

fn list(context: &CommandContext<'_>, args: &BeadListArgs, which: Which<'_>) -> Ended {
    let filter = filter(&args.filter);
    let BeadViewArgs { at, limit, format } = args.view;
    context.with("bead list", |ledger| {
        let list = match which {
            Which::Any => ledger.beads().list(&filter, at, limit),
            Which::Ready => ledger.beads().ready(&filter, at, limit),
            Which::Blocked => ledger.beads().blocked(&filter, at, limit),
            Which::With(text) => ledger.beads().search(text, &filter, at, limit),
        }?;
        match format {
            OutputFormat::Text => print_list(context.screen, &list, which),
            format => print_data(context.screen, format, &list)?,
        }
        Ok(Exit::Done)
    })
}

fn print_list(screen: &Screen, list: &WorkList, which: Which<'_>) {
    screen.print(&bead_list(list));
    if list.total == 0 {
        screen.say(match which {
            Which::Any => "no bead matches; add `--all` to include closed ones",
            Which::Ready => "no bead is ready; run `windlass bead blocked` to see why",
            Which::Blocked => "no bead is blocked",
            Which::With(_) => "no bead contains that text; add `--all` to include closed ones",
        });
    } else if list.total > list.beads.len() {
        let more = list.total - list.beads.len();
        screen.say(&format!("… {more} more; `--limit 0` lists all"));
    }
}

fn update(context: &CommandContext<'_>, args: &BeadUpdateArgs) -> Ended {
    let mut changes = Map::new();
    let description = args.description.clone().map(text_of).transpose()?;
    for (field, value) in [
        ("title", &args.title),
        ("description", &description),
        ("assignee", &args.assignee),
    ] {
        if let Some(value) = value {
            // An empty assignee means that there's none, whereas a description may really be empty.
            let is_unassigned = field == "assignee" && value.is_empty();
            let value = if is_unassigned {
                Value::Null
            } else {
                value.clone().into()
            };
            changes.insert(field.to_owned(), value);
        }
    }
    if let Some(kind) = args.issue_type {
        changes.insert("issue_type".to_owned(), kind.as_str().into());
    }
    if let Some(priority) = args.priority {
        changes.insert("priority".to_owned(), priority.into());
    }
    let update = BeadUpdate {
        changes,
        add_labels: args.add_labels.clone(),
        remove_labels: args.remove_labels.clone(),
        metadata: metadata(&args.metadata)?,
        status: args.status,
    };
    let is_nothing = update.changes.is_empty()
        && update.add_labels.is_empty()
        && update.remove_labels.is_empty()
        && update.metadata.is_empty()
        && update.status.is_none();
    if is_nothing {
        return Err(Failure::Usage(
            "no change given: name a field, such as `--priority 1`".to_owned(),
        ));
    }
    context.with_bead(&args.id, "bead update", |ledger| {
        let bead = ledger.beads().update(&args.id, &update)?;
        changed(context.screen, args.format, "updated", &[bead])
    })
}

/// Parses pairs of `KEY=VALUE`. A value that is not JSON is taken as text, and an empty one removes
/// the key.
fn metadata(given: &[String]) -> Result<Map<String, Value>, Failure> {
    let one = |pair: &String| {
        let (key, value) = super::pair("set", "KEY=VALUE", pair)?;
        let value = match value {
            "" => Value::Null,
            value => serde_json::from_str(value).unwrap_or_else(|_| value.into()),
        };
        Ok((key.to_owned(), value))
    };
    given.iter().map(one).collect()
}

fn close(context: &CommandContext<'_>, args: &BeadCloseArgs) -> Ended {
    context.with_bead(first(&args.ids), "bead close", |ledger| {
        let beads = ledger.beads().close(&args.ids, &args.reason, args.failed)?;
        changed(context.screen, args.format, "closed", &beads)
    })
}

fn depend(context: &CommandContext<'_>, command: &BeadDepCommand) -> Ended {
    match command {
        BeadDepCommand::Add(args) => context.with_bead(&args.id, "bead dep add", |ledger| {
            let dependency = NewDependency {
                kind: args.kind.clone(),
                on: args.on.clone(),
                any_child: args.any_child,
            };
            let bead = ledger.beads().add_dependency(&args.id, &dependency)?;
            changed(context.screen, args.format, "updated", &[bead])
        }),
        BeadDepCommand::Remove(args) => context.with_bead(&args.id, "bead dep remove", |ledger| {
            let bead =
                ledger
                    .beads()
                    .remove_dependency(&args.id, &args.on, args.kind.as_deref())?;
            changed(context.screen, args.format, "updated", &[bead])
        }),
    }
}

fn import(context: &CommandContext<'_>, args: &BeadImportArgs) -> Ended {
    let workspace = context.workspace()?;
    let file = match args.file.is_dir() {
        true => args.file.join(ImportRequest::RECORDS),
        false => args.file.clone(),
    };
    let (name, text) = read_lines(&workspace, &file.to_string_lossy())?;
    let is_records = file
        .file_name()
        .is_some_and(|name| name == ImportRequest::RECORDS);
    let tables = ImportRequest::TABLES.map(|table| file.with_file_name(table));
    // These are the other files of a backup. If the user gave us just some file of records, don't
    // pick up its neighbors.
    let tables = tables.iter().filter(|table| is_records && table.exists());
    let tables: Result<Vec<_>, Failure> = tables
        .map(|table| read_lines(&workspace, &table.to_string_lossy()))
        .collect();
    let request = ImportRequest {
        name,
        text,
        tables: tables?,
        dry_run: args.dry_run,
        adopt: args.adopt,
    };
    let report = workspace.ledger().import_beads(context.actor, &request)?;
    for line in &report.skipped {
        context.screen.complain(&format!("warning: skipped {line}"));
    }
    for line in &report.put_aside {
        context
            .screen
            .complain(&harmless_line(&format!("warning: {line}")));
    }
    print_result(context.screen, args.format, &report, || {
        import_text(&report, args.dry_run)
    })?;
    Ok(Exit::done_if(report.skipped.is_empty()))
}

fn export(context: &CommandContext<'_>, args: &BeadExportArgs) -> Ended {
    let out = args.out.as_deref().unwrap_or_default();
    let encoding = match args.format {
        Some(BeadEncoding::Issues) => return export_issues(context, args),
        None if out.ends_with(".jsonl") => return export_issues(context, args),
        Some(BeadEncoding::Tron) => Encoding::Tron,
        None if out.ends_with(".tron") => Encoding::Tron,
        Some(BeadEncoding::Json) | None => Encoding::Json,
    };
    let here = here();
    let file = args.out.as_deref().map(|out| (out, here.as_path()));
    context.with("bead export", |ledger| {
        let report = ledger
            .beads()
            .export(&filter(&args.filter), file, encoding)?;
        match &args.out {
            None => print_document(context.screen, &report.text),
            Some(out) => context.screen.say(&export_line(&report, out)),
        }
        for (id, by) in &report.locked {
            context.screen.complain(&harmless_line(&format!(
                "warning: skipped the item of `{id}`: locked by `{by}`"
            )));
        }
        Ok(Exit::Done)
    })
}

fn export_issues(context: &CommandContext<'_>, args: &BeadExportArgs) -> Ended {
    let workspace = context.workspace()?;
    context.with("bead export", |ledger| {
        let text = ledger.beads().export_issues(&filter(&args.filter))?;
        match &args.out {
            None => print_document(context.screen, &text),
            Some(out) => {
                workspace.documents().write_document(out, &here(), &text)?;
                context.screen.say(&format!(
                    "wrote `{}` with {}",
                    harmless_line(out),
                    counted(text.lines().count(), "bead")
                ));
            }
        }
        Ok(Exit::Done)
    })
}
