use std::fmt::Write as _;

use windlass::plan::{EdgeReason, Plan};

use super::{StepStates, notes};

/// Formats the plan as a Mermaid flowchart. Mermaid rejects some step names, e.g. `end`, so nodes
/// are numbered and the names become labels.
#[must_use]
pub fn plan_mermaid(plan: &Plan, states: &StepStates) -> String {
    let mut text = String::from("flowchart LR\n");
    for (index, step) in plan.iter() {
        let mut label = format!("{}<br/>{}", escape(step.id.as_str()), escape(&step.uses));
        for note in notes(step) {
            let _ = write!(label, "<br/>{}", escape(&note));
        }
        let mut class = String::new();
        if let Some(state) = states.get(step) {
            let _ = write!(label, "<br/>{}", escape(&state.words()));
            class = format!(":::{}", state.class());
        }
        let (open, close) = if step.finally {
            ("([", "])")
        } else {
            ("[", "]")
        };
        let _ = writeln!(text, "  s{index}{open}\"{label}\"{close}{class}");
    }
    for (index, step) in plan.iter() {
        for needs in &step.needs {
            let order_only = |reason: &EdgeReason| matches!(reason, EdgeReason::Needs { .. });
            let dashed = plan.reasons(index, *needs).iter().all(order_only);
            let arrow = if dashed { "-.->" } else { "-->" };
            let _ = writeln!(text, "  s{needs} {arrow} s{index}");
        }
    }
    for (class, color) in states.classes() {
        let _ = writeln!(text, "  classDef {class} fill:{color},color:#1b1f24");
    }
    text
}

/// Escapes text for a label inside of double quotes. Mermaid only knows numeric entities.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '&' | '<' | '>' | '#' | '`' | '\\' | '[' | ']' | '{' | '}' | '|' | ';' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
