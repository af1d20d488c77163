//! Converts a TodoList or Plan to a formula with one step per open item, so that several agents can
//! work on it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};
use windlass_base::{Diagnostic, Diagnostics, Digest};
use windlass_formula::{
    COOKED_VERSION, CookedFormula, CookedStep, Dialect, FormulaKind, Gate, GateKind, LeftOut, Need,
    NeedKind, Origin, SourceRole, SourceUsed,
};

use crate::edit::name_of;
use crate::order::WorkOrder;
use crate::status::{AUTO, status_of, summary_of};
use crate::{Document, ItemStatus, Node, Priority};

/// Key of a step's `metadata` that names its item.
pub const ITEM_KEY: &str = "vcontext";

/// The item behind a step of such a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepItem {
    /// The item's name for [`set_item`](crate::set_item): its `id`, or its title.
    pub name: String,
    /// The item's status when the formula was created.
    pub status: ItemStatus,
}

impl StepItem {
    /// Returns a step's item, if its formula was created from a document.
    #[must_use]
    pub fn of(step: &CookedStep) -> Option<Self> {
        let item = step.metadata.get(ITEM_KEY)?;
        let text = |name: &str| item.get(name)?.as_str();
        Some(Self {
            name: text("item")?.to_owned(),
            status: ItemStatus::from_word(text("status")?)?,
        })
    }
}

/// Converts a TodoList or Plan to a formula, with the dependencies of [`as_plan`](crate::as_plan).
/// `file` is the name of the document and of the formula.
///
/// Completed and cancelled items are omitted with all their parts. A dependency on a completed item
/// is dropped, since it's already met. A dependency on a cancelled item is replaced with that
/// item's own dependencies. An item with status `blocked` or `failed` gets a manual gate, which a
/// person has to open.
///
/// # Errors
/// Returns an error if the document is invalid, holds a Playbook or has no open item, or if an open
/// item's name is ambiguous.
pub fn as_formula(document: &Document, file: &str) -> Result<CookedFormula, Diagnostics> {
    let order = WorkOrder::of(document)?;
    let over = over(&order);
    let unnamed = ambiguous(&order, &over);
    if unnamed.has_errors() {
        return Err(unnamed);
    }
    let needs = needs(&order, &over);
    let mut steps = Vec::new();
    let mut left_out = Vec::new();
    for (at, item) in order.items.all.iter().enumerate() {
        let id = order.names.get(at).map(ToString::to_string);
        let id = id.unwrap_or_default();
        let origin = Origin {
            source: 0,
            line: item.node.lines().start(),
            via: Vec::new(),
        };
        match over.get(at).copied().flatten() {
            Some(status) => left_out.push(LeftOut {
                id,
                condition: format!("it is {}", status.as_str()),
                origin,
            }),
            None => steps.push(step(&order, at, id, &needs, origin)),
        }
    }
    if steps.is_empty() {
        let finding = Diagnostic::error("nothing-to-do", "the document has no open item");
        return Err(finding
            .at(order.node.place())
            .help("add an item with `windlass doc item add`, or set one back to `pending`")
            .into());
    }
    Ok(CookedFormula {
        schema_version: COOKED_VERSION,
        formula: file.to_owned(),
        kind: FormulaKind::Workflow,
        dialect: Dialect::Beads,
        version: 1,
        title: order.title().to_owned(),
        description: order.purpose().to_owned(),
        vars: BTreeMap::new(),
        steps,
        left_out,
        phase: None,
        internal: false,
        target_required: false,
        pour: true,
        squash: None,
        metadata: BTreeMap::new(),
        output: None,
        bond_points: Vec::new(),
        open_hooks: Vec::new(),
        sources: vec![SourceUsed {
            name: order.title().to_owned(),
            file: file.to_owned(),
            role: SourceRole::Formula,
            digest: Digest::of_bytes(document.source().text().as_bytes()),
        }],
        digest: digest(&order),
    })
}

/// Returns each item's final status, or that of an enclosing item. It's `None` for open items.
fn over(order: &WorkOrder<'_>) -> Vec<Option<ItemStatus>> {
    let mut over: Vec<Option<ItemStatus>> = Vec::new();
    for item in &order.items.all {
        let own = status(item.node);
        let is_over = matches!(own, ItemStatus::Completed | ItemStatus::Cancelled);
        let outer = item
            .parent
            .and_then(|parent| over.get(parent).copied().flatten());
        over.push(outer.or(is_over.then_some(own)));
    }
    over
}

fn status(node: Node<'_>) -> ItemStatus {
    status_of(node).unwrap_or(ItemStatus::Pending)
}

/// Reports open items with an ambiguous name.
fn ambiguous(order: &WorkOrder<'_>, over: &[Option<ItemStatus>]) -> Diagnostics {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for item in &order.items.all {
        *count.entry(name_of(item.node)).or_default() += 1;
    }
    let mut found = Diagnostics::default();
    for (item, over) in order.items.all.iter().zip(over) {
        let name = name_of(item.node);
        if over.is_none() && count.get(name).is_some_and(|count| *count > 1) {
            let message =
                format!("several items are called `{name}`, so their status cannot be tracked");
            found.push(
                Diagnostic::error("ambiguous-item", message)
                    .at(item.node.place())
                    .help("give each of them its own `id`"),
            );
        }
    }
    found
}

/// Returns the open items each item waits for.
fn needs(order: &WorkOrder<'_>, over: &[Option<ItemStatus>]) -> Vec<Vec<(usize, NeedKind)>> {
    let mut direct: Vec<Vec<(usize, NeedKind)>> = vec![Vec::new(); order.items.all.len()];
    for wait in &order.waits {
        if let Some(own) = direct.get_mut(wait.item) {
            own.push((wait.needs, wait.why));
        }
    }
    let left = |at: usize| {
        let mut found: BTreeMap<usize, NeedKind> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(usize, NeedKind)> = direct.get(at).cloned().unwrap_or_default();
        while let Some((needs, why)) = open.pop() {
            if !seen.insert(needs) {
                continue;
            }
            match over.get(needs).copied().flatten() {
                None => drop(found.insert(needs, why)),
                Some(ItemStatus::Cancelled) if why != NeedKind::Child => {
                    let further = direct.get(needs).into_iter().flatten();
                    open.extend(further.map(|(needs, _)| (*needs, NeedKind::Bridge)));
                }
                Some(_) => {}
            }
        }
        found.into_iter().collect()
    };
    (0..direct.len()).map(left).collect()
}

fn step(
    order: &WorkOrder<'_>,
    at: usize,
    id: String,
    needs: &[Vec<(usize, NeedKind)>],
    origin: Origin,
) -> CookedStep {
    let name = |at: usize| order.names.get(at).map(ToString::to_string);
    let own = needs.get(at).map_or(&[][..], |needs| &needs[..]);
    let item = order.items.all.get(at);
    let node = item.map_or(order.node, |item| item.node);
    let status = status(node);
    let children = own.iter().filter(|(_, why)| *why == NeedKind::Child);
    CookedStep {
        title: node.text_of("title").unwrap_or_default().to_owned(),
        description: description(node),
        priority: node
            .text_of("priority")
            .and_then(Priority::from_word)
            .map(Priority::rank),
        labels: texts(node, "tags"),
        metadata: Map::from_iter([(
            ITEM_KEY.to_owned(),
            json!({ "item": name_of(node), "status": status.as_str() }),
        )]),
        assignee: assignee(node),
        needs: (own.iter())
            .filter_map(|(at, kind)| {
                Some(Need {
                    step: name(*at)?,
                    kind: *kind,
                })
            })
            .collect(),
        gates: is_held(node, status)
            .then(|| Gate {
                kind: GateKind::Human {
                    await_id: Some("unblocked".to_owned()),
                    inputs: BTreeMap::new(),
                },
                timeout: None,
            })
            .into_iter()
            .collect(),
        parent: item.and_then(|item| item.parent).and_then(name),
        children: children.filter_map(|(at, _)| name(*at)).collect(),
        ..CookedStep::new(id, origin)
    }
}

/// True if a person has to open the item. Parts of an item with a derived status have gates of
/// their own.
fn is_held(node: Node<'_>, status: ItemStatus) -> bool {
    matches!(status, ItemStatus::Blocked | ItemStatus::Failed)
        && node.text_of("status") != Some(AUTO)
}

fn texts(node: Node<'_>, name: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for text in node.items_of(name).filter_map(|node| node.text()) {
        if !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }
    texts
}

/// Returns the participant whose role is assignee.
fn assignee(node: Node<'_>) -> Option<String> {
    let mut participants = node.items_of("participants");
    let found = participants.find(|one| one.text_of("role") == Some("assignee"))?;
    Some(found.text_of("id")?.to_owned())
}

/// Returns the narrative as Markdown, or else the summary.
fn description(node: Node<'_>) -> String {
    let narrative = node.get("narrative").into_iter().flat_map(Node::members);
    let parts = narrative.filter_map(|(title, text)| Some((title, text.text()?)));
    let parts: Vec<(&str, &str)> = parts.collect();
    match parts[..] {
        [] => summary_of(node).unwrap_or_default().to_owned(),
        [("Overview", text)] => text.to_owned(),
        _ => {
            let parts: Vec<String> = (parts.iter())
                .map(|(title, text)| format!("## {title}\n\n{text}"))
                .collect();
            parts.join("\n\n")
        }
    }
}

/// Returns a digest of the work in a document, regardless of its progress. It's the digest of the
/// document's formula.
///
/// # Errors
/// Returns an error if the document is invalid or holds a Playbook.
pub fn work_digest(document: &Document) -> Result<Digest, Diagnostics> {
    Ok(digest(&WorkOrder::of(document)?))
}

fn digest(order: &WorkOrder<'_>) -> Digest {
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); order.items.all.len()];
    for wait in &order.waits {
        if let Some(own) = waits.get_mut(wait.item) {
            own.push(wait.needs);
        }
    }
    let items = order.items.all.iter().zip(waits);
    let items = items.map(|(item, waits)| {
        let title = item.node.text_of("title");
        json!([name_of(item.node), title, description(item.node), waits])
    });
    let all = Json::Array(std::iter::once(json!(order.title())).chain(items).collect());
    Digest::of_bytes(all.to_string().as_bytes())
}
