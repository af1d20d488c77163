//! Converts a TodoList or Plan to a formula with one step per open item, so that several agents can
//! share the work.

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

/// The key in a step's `metadata` for the item that the step was made from.
pub const ITEM_KEY: &str = "vcontext";

/// The item of a document that a step was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepItem {
    /// The item's name for [`set_item`](crate::set_item), i.e. its `id` or its title.
    pub name: String,
    /// The item's status when the formula was created.
    pub status: ItemStatus,
}

impl StepItem {
    /// Reads the item from a step's metadata.
    ///
    /// Steps that were not made from a document do not have one.
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

/// Converts a TodoList or Plan to a formula, with the same dependencies as
/// [`as_plan`](crate::as_plan).
///
/// Both the document and the formula are called `file`.
///
/// Completed and cancelled items are left out along with all their parts. If another item depends
/// on a completed one, that dependency is met and can be dropped. A dependency on a cancelled item
/// is not met, so we replace it by that item's own dependencies. An item with status `blocked` or
/// `failed` gets a manual gate, which means that it cannot start before a person opens the gate.
///
/// # Errors
/// Returns an error if the document is invalid, contains a Playbook or no open item, or if the name
/// of an open item is ambiguous.
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
        // A finished item has no step, but we list it as left out, just as if a condition had
        // removed it.
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

/// The final status of each item, or of an item around it. An open item has none.
fn over(order: &WorkOrder<'_>) -> Vec<Option<ItemStatus>> {
    // An item comes after the one around it, whose status we've already determined.
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

/// Builds an error for each open item whose name is not unique. The progress of its step could not
/// be written back to the document.
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

/// Returns the open dependencies of each item.
fn needs(order: &WorkOrder<'_>, over: &[Option<ItemStatus>]) -> Vec<Vec<(usize, NeedKind)>> {
    let mut direct: Vec<Vec<(usize, NeedKind)>> = vec![Vec::new(); order.items.all.len()];
    for wait in &order.waits {
        if let Some(own) = direct.get_mut(wait.item) {
            own.push((wait.needs, wait.why));
        }
    }
    // A cancelled item may depend on further cancelled items.
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
                // A part that was cancelled is no longer a part of the work, and neither is what it
                // waited for.
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

/// True if a person has to open the item. If the status is derived from the item's parts, they have
/// gates of their own.
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

fn assignee(node: Node<'_>) -> Option<String> {
    let mut participants = node.items_of("participants");
    let found = participants.find(|one| one.text_of("role") == Some("assignee"))?;
    Some(found.text_of("id")?.to_owned())
}

/// The narrative as Markdown. If there is not any, the summary has to do.
fn description(node: Node<'_>) -> String {
    let narrative = node.get("narrative").into_iter().flat_map(Node::members);
    let parts = narrative.filter_map(|(title, text)| Some((title, text.text()?)));
    let parts: Vec<(&str, &str)> = parts.collect();
    match parts[..] {
        [] => summary_of(node).unwrap_or_default().to_owned(),
        // A heading above the only part wouldn't tell the reader anything.
        [("Overview", text)] => text.to_owned(),
        _ => {
            let parts: Vec<String> = (parts.iter())
                .map(|(title, text)| format!("## {title}\n\n{text}"))
                .collect();
            parts.join("\n\n")
        }
    }
}

/// The digest of the work that a document and its formula describe. It does not change with the
/// progress.
///
/// # Errors
/// Returns an error if the document is invalid or contains a Playbook.
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
        // Dependencies are part of the work, but the status isn't.
        let title = item.node.text_of("title");
        json!([name_of(item.node), title, description(item.node), waits])
    });
    let all = Json::Array(std::iter::once(json!(order.title())).chain(items).collect());
    Digest::of_bytes(all.to_string().as_bytes())
}
