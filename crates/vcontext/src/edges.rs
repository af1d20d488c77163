//! Relations between the items of a plan, which later versions record in `edges`.

use windlass_tron::{Object, Value};

use crate::Node;
use crate::specification::Needs;

/// The type of an edge whose target waits for its source.
pub(crate) const BLOCKS: &str = "blocks";

#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanEdge<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) kind: &'a str,
}

/// Returns the edges of a plan, which are none in versions without edges.
pub(crate) fn edges_of(plan: Node<'_>) -> impl Iterator<Item = PlanEdge<'_>> {
    let has_edges = plan.version().needs == Needs::Edges;
    let list = plan.get("edges").filter(|_| has_edges);
    list.into_iter().flat_map(Node::items).filter_map(|node| {
        Some(PlanEdge {
            node,
            from: node.text_of("from")?,
            to: node.text_of("to")?,
            kind: node.text_of("type")?,
        })
    })
}

/// Creates an edge that makes `to` wait for `from`.
pub(crate) fn blocking(from: &str, to: &str) -> Value<'static> {
    let mut edge = Object::new();
    edge.insert("from", from.to_owned());
    edge.insert("to", to.to_owned());
    edge.insert("type", BLOCKS);
    edge.into()
}

/// Replaces the edges that make the item `id` wait for others, and keeps edges of other types.
pub(crate) fn replace_needs(plan: &mut Object<'static>, id: &str, needs: &[String]) {
    let mut edges = match plan.get("edges") {
        Some(Value::Array(edges)) => edges.to_vec(),
        _ => Vec::new(),
    };
    let text = |edge: &Value<'static>, name: &str| edge.get(name)?.as_str().map(str::to_owned);
    let is_need = |edge: &Value<'static>| {
        text(edge, "to").as_deref() == Some(id) && text(edge, "type").as_deref() == Some(BLOCKS)
    };
    let is_kept = |edge: &Value<'static>| {
        !is_need(edge) || text(edge, "from").is_some_and(|from| needs.contains(&from))
    };
    edges.retain(is_kept);
    for need in needs {
        let is_there = |edge: &Value<'static>| {
            is_need(edge) && text(edge, "from").as_deref() == Some(need.as_str())
        };
        if !edges.iter().any(is_there) {
            edges.push(blocking(need, id));
        }
    }
    match edges.is_empty() {
        true => drop(plan.remove("edges")),
        false => drop(plan.insert("edges", edges)),
    }
}
