use std::fmt::Write as _;

use windlass::plan::{EdgeReason, Plan};

use super::{StepStates, notes};

/// Formats the plan as a graph for Graphviz. Each edge leads from a step to a dependent step, and
/// is dashed if it only determines the order.
#[must_use]
pub fn plan_dot(plan: &Plan, states: &StepStates) -> String {
    let mut text = String::from("digraph plan {\n  rankdir=LR;\n  node [shape=box];\n");
    let _ = writeln!(text, "  label=\"{}\";", escape(plan.title()));
    for (_, step) in plan.iter() {
        let mut label = format!("{}\\n{}", escape(step.id.as_str()), escape(&step.uses));
        for note in notes(step) {
            let _ = write!(label, "\\n{}", escape(&note));
        }
        let mut style = if step.finally { ", style=dashed" } else { "" }.to_owned();
        if let Some(state) = states.get(step) {
            let _ = write!(label, "\\n{}", escape(&state.words()));
            style = format!(", style=filled, fillcolor=\"{}\"", state.color());
        }
        let _ = writeln!(text, "  \"{}\" [label=\"{label}\"{style}];", step.id);
    }
    for (index, step) in plan.iter() {
        for needs in &step.needs {
            let Some(needed) = plan.step(*needs) else {
                continue;
            };
            let order_only = |reason: &EdgeReason| matches!(reason, EdgeReason::Needs { .. });
            let dashed = plan.reasons(index, *needs).iter().all(order_only);
            let style = if dashed { " [style=dashed]" } else { "" };
            let _ = writeln!(text, "  \"{}\" -> \"{}\"{style};", needed.id, step.id);
        }
    }
    text.push_str("}\n");
    text
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
