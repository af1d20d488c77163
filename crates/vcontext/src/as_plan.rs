//! Converts a TodoList or Plan to a plan with one step per item.

use serde_json::json;
use windlass_base::{Diagnostics, Ident};
use windlass_plan::{Edge, EdgeReason, Plan, PlanParts, PlannedStep, StepIndex};

use crate::order::WorkOrder;
use crate::{Document, Node};

/// Converts a TodoList or Plan to a plan with the dependencies of its items:
///
/// - An item waits for its `dependencies`.
/// - If no stage in a list declares dependencies, the stages come one after the other. Items of a
///   TodoList are independent.
/// - An item with parts is done when they are, and the parts wait for the dependencies of the item.
///
/// Each step is named after the `id` or title of its item. Its `uses` shows the title and the
/// status.
///
/// # Errors
/// Returns an error if the document is invalid or contains a Playbook.
pub fn as_plan(document: &Document) -> Result<Plan, Diagnostics> {
    let order = WorkOrder::of(document)?;
    let Some(id) = order.name() else {
        return Err(Diagnostics::default());
    };
    let mut parts = PlanParts::new(id);
    parts.title = order.title().to_owned();
    parts.purpose = order.purpose().to_owned();
    let named = order.items.all.iter().zip(order.names);
    parts.steps = named.map(|(item, name)| step(item.node, name)).collect();
    let edges = order.waits.into_iter().map(|wait| Edge {
        step: StepIndex::new(wait.item),
        needs: StepIndex::new(wait.needs),
        reason: EdgeReason::Needs { place: wait.place },
    });
    parts.edges = edges.collect();
    Plan::from_parts(parts)
}

fn step(node: Node<'_>, id: Ident) -> PlannedStep {
    let title = node.text_of("title").unwrap_or_default();
    let status = node.text_of("status").unwrap_or_default();
    let mut step = PlannedStep::new(id, format!("{title} ({status})"));
    step.with = json!({ "title": title, "status": status });
    for name in ["id", "priority", "dueDate", "percentComplete"] {
        if let Some(value) = node.get(name) {
            step.with[name] = crate::json::to_json(value.value());
        }
    }
    step.place = Some(node.place());
    step
}
