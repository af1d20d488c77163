//! Renders documents as Markdown for reading. There is no way back: the document is authoritative,
//! and Markdown does not have all of its fields.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_tron::{Object, Value};

use crate::edges::{BLOCKS, PlanEdge, edges_of};
use crate::parts::parts_of;
use crate::playbook::{Entry, fold};
use crate::select::zone_of;
use crate::status::{status_of, summary_of};
use crate::time::shown_in;
use crate::{Container, Document, ItemStatus, Node, PlaybookStatus};

/// Renders `document` as Markdown. The text is empty if the document has no container.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let mut text = String::new();
    let Some((container, node)) = document.container() else {
        return text;
    };
    let info = document.info();
    let zone = zone_of(document, node);
    let about = info.and_then(|info| info.text_of("description"));
    let title = node
        .text_of("title")
        .or(about)
        .unwrap_or(&container.shape().name);
    let _ = writeln!(text, "# {}", line(title));
    facts(&mut text, node, info);
    match container {
        Container::TodoList => {
            narrative(&mut text, node.get("narrative"), 2);
            items(&mut text, node.items_of("items"), 0, zone, &waits_of(node));
        }
        Container::Plan => {
            narrative(&mut text, node.get("narratives"), 2);
            if node.items_of("items").next().is_some() {
                text.push_str("\n## Items\n");
            }
            items(&mut text, node.items_of("items"), 0, zone, &waits_of(node));
            relations(&mut text, node);
        }
        Container::Playbook => entries(&mut text, node),
    }
    links(&mut text, node);
    if let Some(embedded) = node.get("playbook") {
        text.push_str("\n## Playbook\n");
        entries(&mut text, embedded);
    }
    text
}

fn facts(text: &mut String, node: Node<'_>, info: Option<Node<'_>>) {
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: Option<&str>| {
        facts.extend(value.map(|value| format!("{name}: {}", line(value))));
    };
    fact("status", node.text_of("status"));
    fact(
        "author",
        node.text_of("author").or_else(|| info?.text_of("author")),
    );
    fact(
        "updated",
        node.text_of("updated").or_else(|| info?.text_of("updated")),
    );
    if !facts.is_empty() {
        let _ = writeln!(text, "\n{}", facts.join(" · "));
    }
}

fn narrative(text: &mut String, node: Option<Node<'_>>, level: usize) {
    let Some(node) = node else {
        return;
    };
    for (title, member) in node.members() {
        let mut chars = title.chars();
        let title: String = chars.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(chars).collect()
        });
        let texts: Vec<&str> = match member.value() {
            Value::String(own) => vec![own],
            Value::Array(_) => member.items().filter_map(|item| item.text()).collect(),
            _ => continue,
        };
        for own in texts {
            let _ = writeln!(
                text,
                "\n{} {}\n\n{}",
                "#".repeat(level),
                line(&title),
                own.trim_end()
            );
        }
    }
}

/// The items that an item waits for by an edge of the plan, by the item's `id`.
type Waits<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn waits_of(node: Node<'_>) -> Waits<'_> {
    let mut waits = Waits::new();
    for edge in edges_of(node).filter(|edge| edge.kind == BLOCKS) {
        waits.entry(edge.to).or_default().push(edge.from);
    }
    waits
}

/// Appends the edges that do not make an item wait. The others are shown with their items.
fn relations(text: &mut String, node: Node<'_>) {
    let others: Vec<PlanEdge<'_>> = edges_of(node).filter(|edge| edge.kind != BLOCKS).collect();
    if !others.is_empty() {
        text.push_str("\n## Relations\n\n");
    }
    for edge in others {
        let [from, kind, to] = [edge.from, edge.kind, edge.to].map(line);
        let _ = writeln!(text, "- `{from}` {kind} `{to}`");
    }
}

/// This is recursive, which is safe because the depth of documents is limited.
fn items<'a>(
    text: &mut String,
    list: impl Iterator<Item = Node<'a>>,
    depth: usize,
    zone: Option<&str>,
    waits: &Waits<'_>,
) {
    let indent = "  ".repeat(depth);
    for (at, item) in list.enumerate() {
        if depth == 0 && at == 0 {
            text.push('\n');
        }
        let status = status_of(item);
        let tick = if status == Some(ItemStatus::Completed) {
            "x"
        } else {
            " "
        };
        let title = line(item.text_of("title").unwrap_or_default());
        let title = match status {
            Some(ItemStatus::Cancelled) => format!("~~{title}~~"),
            _ => title,
        };
        let _ = write!(text, "{indent}- [{tick}] ");
        if let Some(id) = item.text_of("id") {
            let _ = write!(text, "`{}` ", line(id));
        }
        let zone = item.text_of("timezone").or(zone);
        let notes = notes(item, status, zone, waits);
        let _ = writeln!(text, "{title}{notes}");
        for (_, own) in item.get("narrative").into_iter().flat_map(Node::members) {
            for own in own.text().unwrap_or_default().lines() {
                let _ = writeln!(text, "{indent}  {}", own.trim_end());
            }
        }
        // The summary only stands in for a missing narrative.
        if let Some(summary) = summary_of(item).filter(|_| item.get("narrative").is_none()) {
            let _ = writeln!(text, "{indent}  {}", line(summary));
        }
        let parts: Vec<Node<'_>> = parts_of(item).collect();
        items(text, parts.into_iter(), depth + 1, zone, waits);
    }
}

fn notes(
    item: Node<'_>,
    status: Option<ItemStatus>,
    zone: Option<&str>,
    waits: &Waits<'_>,
) -> String {
    let mut notes = Vec::new();
    // For these, the tick box in front of the title says it all.
    if !matches!(
        status,
        None | Some(ItemStatus::Pending | ItemStatus::Completed)
    ) {
        notes.extend(item.text_of("status").map(line));
    }
    let is_task = |kind: &&str| *kind == "task";
    notes.extend(kind_of(item).filter(|kind| !is_task(kind)).map(line));
    notes.extend(item.text_of("priority").map(line));
    for (name, says) in [
        ("dueDate", "due "),
        ("startDate", "from "),
        ("endDate", "to "),
    ] {
        let time = item.text_of(name).map(|time| line(&shown_in(time, zone)));
        notes.extend(time.map(|time| format!("{says}{time}")));
    }
    if let Some(percent) = item.get("percentComplete") {
        notes.push(format!("{} %", percent.value()));
    }
    let needs: Vec<String> = item
        .items_of("dependencies")
        .filter_map(|id| id.text())
        .chain(
            item.text_of("id")
                .and_then(|id| waits.get(id))
                .into_iter()
                .flatten()
                .copied(),
        )
        .map(|id| format!("`{}`", line(id)))
        .collect();
    if !needs.is_empty() {
        notes.push(format!("after {}", needs.join(", ")));
    }
    match notes.is_empty() {
        true => String::new(),
        false => format!(" ({})", notes.join(", ")),
    }
}

/// The type of an item. Not all versions have types, in which case it is `None`.
fn kind_of(item: Node<'_>) -> Option<&str> {
    let has_types = item.version().shape("PlanItem").field("type").is_some();
    item.text_of("type").filter(|_| has_types)
}

fn entries(text: &mut String, playbook: Node<'_>) {
    let folded = fold(playbook.list("items"));
    let (active, ended): (Vec<&Entry>, Vec<&Entry>) = folded
        .entries
        .iter()
        .partition(|entry| entry.status == PlaybookStatus::Active);
    for entry in active {
        self::entry(text, entry);
    }
    if !ended.is_empty() {
        text.push_str("\n## Deprecated\n\n");
    }
    for entry in ended {
        let why = entry
            .text("deprecatedReason")
            .or_else(|| entry.text("reason"));
        let why = why.map_or_else(String::new, |why| format!(": {}", line(why)));
        let _ = writeln!(
            text,
            "- `{}` ({}){why}",
            line(&entry.target_id),
            entry.status.as_str()
        );
    }
}

fn entry(text: &mut String, entry: &Entry) {
    let title = entry.text("title").unwrap_or(&entry.target_id);
    let kind = entry.text("kind").unwrap_or("note");
    let _ = writeln!(text, "\n## {}\n", line(title));
    let mut notes = vec![format!("`{}`", line(&entry.target_id)), kind.to_owned()];
    notes.extend(entry.remarks());
    let _ = writeln!(text, "{}", notes.join(" · "));
    let titles = entry.fields.get("narrative").and_then(Value::as_object);
    for (title, own) in titles.into_iter().flat_map(Object::iter) {
        if let Some(own) = own.as_str() {
            let _ = writeln!(text, "\n**{}.** {}", line(title), own.trim_end());
        }
    }
}

fn links(text: &mut String, node: Node<'_>) {
    let all: Vec<Node<'_>> = node
        .items_of("references")
        .chain(node.items_of("uris"))
        .collect();
    if all.is_empty() {
        return;
    }
    text.push_str("\n## Links\n\n");
    for link in all {
        let uri = line(link.text_of("uri").unwrap_or_default());
        let title = link.text_of("title").map_or_else(|| uri.clone(), line);
        let _ = writeln!(text, "- [{title}](<{uri}>)");
    }
}

/// Joins the lines of `text`, since a line break would end the heading or list item around it.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
