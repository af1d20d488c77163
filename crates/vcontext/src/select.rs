//! Selects parts of a document: items of TodoLists and Plans, and entries of Playbooks.

use windlass_base::{Diagnostic, Diagnostics, LineSpan};
use windlass_search::{composed, folded};
use windlass_tron::{Object, Value};

use crate::items::Items;
use crate::parts::part_lists;
use crate::status::{AUTO, status_of};
use crate::time::shown_in;
use crate::{Container, Document, Entry, ItemKind, ItemStatus, Node, PlaybookStatus};

/// An item of a TodoList or Plan, at any nesting depth.
#[derive(Debug, Clone)]
pub struct WorkItem<'a> {
    /// The item in its document.
    pub node: Node<'a>,
    /// The index of the item around this one.
    pub part_of: Option<usize>,
    /// The indices of the items that this one depends on.
    pub waits_for: Vec<usize>,
    /// False for an item of a TodoList.
    pub is_stage: bool,
    /// The time zone for the item's times, which may come from something around it.
    pub timezone: Option<&'a str>,
}

/// Lists a document's items, with each item before its parts.
///
/// # Errors
/// Returns an error if the document doesn't contain a TodoList or Plan.
pub fn work_items(document: &Document) -> Result<Vec<WorkItem<'_>>, Diagnostics> {
    let (container, node) = document
        .container()
        .filter(|(container, _)| *container != Container::Playbook)
        .ok_or_else(|| no_items(document))?;
    let items = Items::of(container, node);
    let mut all: Vec<WorkItem<'_>> = Vec::with_capacity(items.all.len());
    let outer = zone_of(document, node);
    for (at, item) in items.all.iter().enumerate() {
        let inherited = item
            .parent
            .and_then(|parent| all.get(parent))
            .map_or(outer, |parent| parent.timezone);
        all.push(WorkItem {
            node: item.node,
            part_of: item.parent,
            waits_for: items
                .dependencies(at)
                .into_iter()
                .map(|(at, _)| at)
                .collect(),
            is_stage: item.is_stage,
            timezone: item.node.text_of("timezone").or(inherited),
        });
    }
    Ok(all)
}

/// The time zone of the container `node`, or else of its document.
pub(crate) fn zone_of<'a>(document: &'a Document, node: Node<'a>) -> Option<&'a str> {
    let of_document = || document.info()?.text_of("timezone");
    node.text_of("timezone").or_else(of_document)
}

fn no_items(document: &Document) -> Diagnostics {
    let (message, help) = match document.container() {
        Some(_) => (
            "a Playbook has no work items",
            "run `windlass doc playbook show` or use the step `playbook` to show its entries",
        ),
        None => (
            "the document has no TodoList or Plan",
            "run `windlass doc check` on it",
        ),
    };
    Diagnostic::error("no-items", message)
        .at(document.root().place())
        .help(help)
        .into()
}

impl<'a> WorkItem<'a> {
    /// The `id`. There's none for an item that's only known by its title.
    #[must_use]
    pub fn id(&self) -> Option<&'a str> {
        self.node.text_of("id")
    }

    /// The title. It's empty if there isn't any.
    #[must_use]
    pub fn title(&self) -> &'a str {
        self.node.text_of("title").unwrap_or_default()
    }

    /// The `id` or, without one, the title.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.id().unwrap_or(self.title())
    }

    /// The names of the dependencies that aren't finished. `all` must be all items of the document,
    /// in order.
    #[must_use]
    pub fn waits_for_open(&self, all: &[WorkItem<'a>]) -> Vec<&'a str> {
        let needed = self.waits_for.iter().filter_map(|at| all.get(*at));
        let open = needed.filter(|item| item.status() != Some(ItemStatus::Completed));
        open.map(Self::name).collect()
    }

    /// The due time, in the item's time zone if it has one, e.g. `2026-03-01 09:00 Europe/Zurich`.
    #[must_use]
    pub fn due(&self) -> Option<String> {
        let due = self.node.text_of("dueDate")?;
        Some(shown_in(due, self.timezone))
    }

    /// The status. It's `None` for a word that isn't part of the specification.
    #[must_use]
    pub fn status(&self) -> Option<ItemStatus> {
        status_of(self.node)
    }

    /// True if the status is `auto`, i.e. derived from the parts.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.node.text_of("status") == Some(AUTO)
    }

    /// The lines of the item itself. Lines that only belong to its parts aren't included.
    #[must_use]
    pub fn own_lines(&self) -> Vec<LineSpan> {
        let whole = self.node.lines();
        let mut own = vec![whole];
        for parts in part_lists(self.node) {
            let list: Vec<Node<'_>> = parts.list.items().collect();
            if let (Some(first), Some(last)) = (list.first(), list.last()) {
                own = without(own, *first, *last);
            }
        }
        own
    }
}

/// Cuts out the lines that are fully covered by the items from `first` to `last`.
fn without(lines: Vec<LineSpan>, first: Node<'_>, last: Node<'_>) -> Vec<LineSpan> {
    let mut from = first.lines().start();
    let mut to = last.lines().end();
    let (start, end) = (first.place(), last.place());
    let text = start.source.text();
    let line = |number: u32| start.source.line_range(number as usize);
    let is_blank = |text: Option<&str>| text.is_none_or(|text| text.trim().is_empty());
    // The item around them may begin on the same line, and also go on after them.
    if !is_blank(text.get(line(from).start..start.range.start)) {
        from += 1;
    }
    let rest = text.get(end.range.end..line(to).end).unwrap_or_default();
    if !is_blank(Some(rest.trim_start().trim_start_matches(','))) {
        to = to.saturating_sub(1);
    }
    let keep = |lines: LineSpan| {
        let before = LineSpan::new(lines.start(), lines.end().min(from.saturating_sub(1)));
        let after = LineSpan::new(lines.start().max(to.saturating_add(1)), lines.end());
        match from <= to {
            true => before.into_iter().chain(after).collect(),
            false => vec![lines],
        }
    };
    lines.into_iter().flat_map(keep).collect()
}

/// A filter for items. An empty field matches everything.
#[derive(Debug, Clone, Default)]
pub struct ItemQuery {
    /// Matches items with one of these `id`s.
    pub ids: Vec<String>,
    /// Matches items with one of these statuses.
    pub statuses: Vec<ItemStatus>,
    /// Matches items with all of these tags.
    pub tags: Vec<String>,
    /// Matches items with this text in their title or narrative, ignoring case.
    pub text: String,
}

impl ItemQuery {
    /// True if `item` matches all fields.
    #[must_use]
    pub fn takes(&self, item: &WorkItem<'_>) -> bool {
        let is_named = |id: &str| self.ids.iter().any(|wanted| wanted == id);
        let is_as_far = |status| self.statuses.contains(&status);
        (self.ids.is_empty() || item.id().is_some_and(is_named))
            && (self.statuses.is_empty() || item.status().is_some_and(is_as_far))
            && has_all(
                &tags_of(item.node.get("tags").map(|tags| tags.value())),
                &self.tags,
            )
            && has_text(
                &self.text,
                item.title(),
                item.node.get("narrative").map(|node| node.value()),
            )
    }
}

/// A filter for entries of a Playbook. An empty field matches everything.
#[derive(Debug, Clone, Default)]
pub struct EntryQuery {
    /// Matches entries with one of these names.
    pub targets: Vec<String>,
    /// Matches entries of one of these kinds.
    pub kinds: Vec<ItemKind>,
    /// Matches entries with all of these tags.
    pub tags: Vec<String>,
    /// Matches entries with one of these tags.
    pub any_tags: Vec<String>,
    /// Matches entries with this text in their title or narrative, ignoring case.
    pub text: String,
    /// If true, inactive entries match as well.
    pub all: bool,
}

impl EntryQuery {
    /// True if `entry` matches all fields.
    #[must_use]
    pub fn takes(&self, entry: &Entry) -> bool {
        let kind = entry.text("kind").and_then(ItemKind::from_word);
        let tags = tags_of(entry.fields.get("tags"));
        let has_any = || {
            let mut any = self.any_tags.iter();
            any.any(|tag| has_all(&tags, std::slice::from_ref(tag)))
        };
        (self.all || entry.status == PlaybookStatus::Active)
            && (self.targets.is_empty() || self.targets.contains(&entry.target_id))
            && (self.kinds.is_empty() || kind.is_some_and(|kind| self.kinds.contains(&kind)))
            && has_all(&tags, &self.tags)
            && (self.any_tags.is_empty() || has_any())
            && has_text(
                &self.text,
                entry.text("title").unwrap_or_default(),
                entry.fields.get("narrative"),
            )
    }
}

fn tags_of<'v>(tags: Option<&'v Value<'static>>) -> Vec<&'v str> {
    let tags = tags.and_then(Value::as_array);
    let tags = tags.into_iter().flat_map(|tags| tags.iter());
    tags.filter_map(Value::as_str).collect()
}

fn has_all(tags: &[&str], wanted: &[String]) -> bool {
    let has = |tag: &String| tags.iter().any(|own| composed(own) == composed(tag));
    wanted.iter().all(has)
}

fn has_text(text: &str, title: &str, narrative: Option<&Value<'static>>) -> bool {
    let text = folded(text);
    let holds = |own: &str| folded(own).contains(&text);
    let narrative = narrative.and_then(Value::as_object);
    let mut texts = narrative
        .into_iter()
        .flat_map(Object::iter)
        .filter_map(|(_, text)| text.as_str());
    text.is_empty() || holds(title) || texts.any(holds)
}
