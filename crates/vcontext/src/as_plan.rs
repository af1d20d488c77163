//! A TodoList or Plan as a plan of steps, one for each item.

use std::collections::BTreeSet;

use serde_json::json;
use windlass_base::{Diagnostic, Diagnostics, Ident};
use windlass_plan::{Edge, EdgeReason, Plan, PlanParts, PlannedStep, StepIndex};

use crate::items::Items;
use crate::{CheckOptions, Container, Document, Node, check};

/// The plan that a TodoList or Plan is, by what its items wait for:
///
/// - an item waits for those in its `dependencies`;
/// - stages of which none has dependencies come one after the other, in the order of the list; items of a TodoList need
///   not;
/// - an item with parts is done when they are, and they wait for what it waits for.
///
/// A step is called as its item, or by its title. `uses` says what is to be done, and how far it is.
///
/// # Errors
/// When the document is not valid, or holds a Playbook.
pub fn as_plan(document: &Document) -> Result<Plan, Diagnostics> {
    let found = check(document, &CheckOptions::default());
    if found.has_errors() {
        return Err(found);
    }
    let Some((container, node)) = document
        .container()
        .filter(|(container, _)| *container != Container::Playbook)
    else {
        let finding = Diagnostic::error("no-plan", "a Playbook has no steps, so it is no plan");
        return Err(finding.at(document.root().place()).into());
    };
    let items = Items::of(container, node);
    let mut names = Names::default();
    let title = node.text_of("title").unwrap_or_else(|| container.field());
    let Some(id) = names.free(node.text_of("id").unwrap_or(title)) else {
        return Err(found);
    };
    let mut parts = PlanParts::new(id);
    parts.title = title.to_owned();
    parts.purpose = purpose(node).to_owned();
    let mut names = Names::default();
    parts.steps = items
        .all
        .iter()
        .filter_map(|item| step(item.node, &mut names))
        .collect();
    parts.edges = edges(&items);
    Plan::from_parts(parts)
}

/// What a container says of itself in short.
fn purpose<'a>(node: Node<'a>) -> &'a str {
    let narratives = node.get("narratives").or_else(|| node.get("narrative"));
    let text = |name: &str| narratives.and_then(|node| node.text_of(name));
    let text = text("overview")
        .or_else(|| text("Overview"))
        .or_else(|| text("proposal"));
    text.unwrap_or_default()
}

/// There always is a name that is free, since there are fewer items than numbers.
fn step(node: Node<'_>, names: &mut Names) -> Option<PlannedStep> {
    let title = node.text_of("title").unwrap_or_default();
    let status = node.text_of("status").unwrap_or_default();
    let id = names.free(node.text_of("id").unwrap_or(title))?;
    let mut step = PlannedStep::new(id, format!("{title} ({status})"));
    step.with = json!({ "title": title, "status": status });
    for name in ["id", "priority", "dueDate", "percentComplete"] {
        if let Some(value) = node.get(name) {
            step.with[name] = crate::json::to_json(value.value());
        }
    }
    step.place = Some(node.place());
    Some(step)
}

fn edges(items: &Items<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    // For each item what it waits for before it begins; parts come after what they are parts of.
    let mut waits: Vec<Vec<usize>> = Vec::with_capacity(items.all.len());
    let mut edge = |step: usize, needs: usize, place| {
        edges.push(Edge {
            step: StepIndex::new(step),
            needs: StepIndex::new(needs),
            reason: EdgeReason::Needs { place },
        });
    };
    let before = in_order(items);
    for (at, item) in items.all.iter().enumerate() {
        let mut own: Vec<usize> = Vec::new();
        for (needs, node) in items.dependencies(at) {
            edge(at, needs, Some(node.place()));
            own.push(needs);
        }
        if let Some(previous) = before[at] {
            edge(at, previous, None);
            own.push(previous);
        }
        if let Some(parent) = item.parent {
            edge(parent, at, None);
            // An item that waits for another one of its list comes after that one's beginning anyway.
            let waits_beside = own.iter().any(|needs| items.all[*needs].list == item.list);
            if !waits_beside {
                for needs in waits[parent].clone() {
                    if !own.contains(&needs) {
                        edge(at, needs, None);
                        own.push(needs);
                    }
                }
            }
        }
        waits.push(own);
    }
    edges
}

/// For each item the one before it, where the order of the list decides.
fn in_order(items: &Items<'_>) -> Vec<Option<usize>> {
    let mut before = vec![None; items.all.len()];
    for list in items.by_list() {
        let decides = |at: &usize| items.all[*at].is_stage && items.dependencies(*at).is_empty();
        if list.iter().all(decides) {
            for pair in list.windows(2) {
                before[pair[1]] = Some(pair[0]);
            }
        }
    }
    before
}

/// Names for steps, each once.
#[derive(Default)]
struct Names(BTreeSet<String>);

/// How many characters of a title are used for a name.
const LONGEST: usize = 60;

impl Names {
    /// A name like `wanted`, which no step has.
    fn free(&mut self, wanted: &str) -> Option<Ident> {
        let name = match Ident::parse(wanted) {
            Ok(_) if wanted.len() <= LONGEST => wanted.to_owned(),
            _ => made_of_words(wanted),
        };
        let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
        let all = std::iter::once(name.clone()).chain(numbered);
        let mut free = all
            .filter(|name| !self.0.contains(name))
            .filter_map(|name| Ident::parse(&name).ok());
        let free = free.next()?;
        self.0.insert(free.to_string());
        Some(free)
    }
}

fn made_of_words(text: &str) -> String {
    let mut name = String::new();
    for c in text.to_lowercase().chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
        if name.len() >= LONGEST {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "item" } else { name }.to_owned()
}
