//! Adds and changes items of TodoLists and Plans (`doc item`).

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass::packs::harmless_line;
use windlass::vcontext::ItemStatus;
use windlass::{ItemRequest, ItemWork};

use super::value_mapping::status_of;
use super::{DocContext, Ended, Failure, print_data};
use crate::args::{DocItemAddArgs, DocItemCommand, DocItemSetArgs, ItemArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::here;

pub(super) fn run(at: &DocContext<'_>, args: DocItemCommand) -> Ended {
    let (file, args, work, fields) = match args {
        DocItemCommand::Add(args) => add(args),
        DocItemCommand::Set(args) => set(args)?,
    };
    let request = ItemRequest {
        work,
        fields,
        expected: args.if_sequence,
        actor: at.actor.map(str::to_owned),
        dry_run: args.dry_run,
    };
    edit(at, &file, &request, &args)
}

type ItemEdit = (String, ItemArgs, ItemWork, Map<String, Value>);

fn add(args: DocItemAddArgs) -> ItemEdit {
    let mut fields = Map::new();
    fields.extend(args.id.map(|id| ("id".to_owned(), id.into())));
    fields.insert("title".to_owned(), args.title.into());
    fields.insert("status".to_owned(), ItemStatus::Pending.as_str().into());
    insert_options(&args.item, &mut fields);
    let work = ItemWork::Add { into: args.stage };
    (args.file, args.item, work, fields)
}

fn set(args: DocItemSetArgs) -> Result<ItemEdit, Failure> {
    let mut fields = Map::new();
    fields.extend(args.title.map(|title| ("title".to_owned(), title.into())));
    if args.no_needs {
        fields.insert("dependencies".to_owned(), Value::Null);
    }
    insert_options(&args.item, &mut fields);
    if fields.is_empty() {
        let message = "no change given: name a field, such as `--status completed`";
        return Err(Failure::Usage(message.to_owned()));
    }
    let work = ItemWork::Set { id: args.id };
    Ok((args.file, args.item, work, fields))
}

fn insert_options(args: &ItemArgs, fields: &mut Map<String, Value>) {
    let status = args.status.map(status_of);
    let mut put = |name: &str, value: Option<Value>| {
        fields.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("status", status.map(|status| status.as_str().into()));
    put(
        "priority",
        args.priority.map(|priority| priority.as_str().into()),
    );
    put(
        "narrative",
        args.text.as_ref().map(|text| json!({ "Overview": text })),
    );
    put("percentComplete", args.percent.map(integer_if_whole));
    for (name, list) in [("dependencies", &args.dependencies), ("tags", &args.tags)] {
        put(name, (!list.is_empty()).then(|| json!(list)));
    }
}

/// Turns a whole number into an integer, so that the document has `40` rather than `40.0`.
fn integer_if_whole(number: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number that does not fit stays a float"
    )]
    let whole = number as i64;
    if number.fract() == 0.0 && number.abs() < 1e9 {
        json!(whole)
    } else {
        json!(number)
    }
}

#[derive(Serialize)]
struct EditedItem<'a> {
    item: &'a windlass::vcontext::Value<'static>,
    dry_run: bool,
}

fn edit(at: &DocContext<'_>, file: &str, request: &ItemRequest, args: &ItemArgs) -> Ended {
    let edited = at.workspace.documents().edit_item(file, &here(), request)?;
    if let Some(by) = &edited.asked_to_wait {
        at.screen.complain(&harmless_line(&format!(
            "warning: `{by}` works on this item and asks others to wait"
        )));
    }
    if args.format != OutputFormat::Text {
        let data = EditedItem {
            item: &edited.item,
            dry_run: args.dry_run,
        };
        print_data(at.screen, args.format, &data)?;
        return Ok(Exit::Done);
    }
    let text = |name: &str| {
        edited
            .item
            .get(name)
            .and_then(|own| own.as_str())
            .unwrap_or_default()
    };
    let name = if text("id").is_empty() {
        text("title")
    } else {
        text("id")
    };
    at.screen
        .print(&format!("{}  {}\n", harmless_line(name), text("status")));
    if args.dry_run {
        at.screen.say("nothing was written");
    }
    Ok(Exit::Done)
}
