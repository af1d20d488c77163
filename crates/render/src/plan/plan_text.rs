use std::fmt::Write as _;

use windlass::plan::quote::harmless;
use windlass::plan::{Plan, PlannedStep};

use super::{StepStates, notes};

/// Lists the steps of a plan in layers. Steps of a layer can run in parallel.
#[must_use]
pub fn plan_text(plan: &Plan, states: &StepStates) -> String {
    let mut text = String::new();
    head(&mut text, plan);
    for (number, layer) in plan.layers().into_iter().enumerate() {
        let finally = layer.first().and_then(|first| plan.step(*first));
        let finally = finally.is_some_and(|step| step.finally);
        let _ = writeln!(
            text,
            "\n{}{}",
            number + 1,
            if finally { " (finally)" } else { "" }
        );
        for (at, index) in layer.iter().enumerate() {
            let Some(step) = plan.step(*index) else {
                continue;
            };
            let last = at + 1 == layer.len();
            self::step(&mut text, (plan, states), step, last);
        }
    }
    sections(&mut text, plan);
    // A YAML text in double quotes may contain any character, but must not control the terminal.
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

fn head(text: &mut String, plan: &Plan) {
    let _ = writeln!(text, "{}", plan.id());
    if plan.title() != plan.id().as_str() {
        let _ = writeln!(text, "{}", harmless(plan.title()));
    }
    if !plan.purpose().is_empty() {
        let _ = writeln!(text, "{}", plan.purpose().trim_end());
    }
    for input in plan.inputs() {
        let _ = write!(text, "  --input {}=<{}>", input.name, input.kind.as_str());
        if let Some(default) = &input.default {
            let _ = write!(text, " (default {default})");
        } else if input.required {
            text.push_str(" (required)");
        }
        if !input.description.is_empty() {
            let _ = write!(text, "  {}", harmless(input.description.trim()));
        }
        text.push('\n');
    }
}

fn step(text: &mut String, (plan, states): (&Plan, &StepStates), step: &PlannedStep, last: bool) {
    let (branch, stem) = if last {
        ("└─", "  ")
    } else {
        ("├─", "│ ")
    };
    let _ = write!(text, "{branch} {}  {}", step.id, step.uses);
    let names: Vec<_> = step
        .needs
        .iter()
        .filter_map(|needs| plan.step(*needs))
        .map(|step| step.id.as_str())
        .collect();
    if !names.is_empty() {
        let _ = write!(text, "  ← {}", names.join(", "));
    }
    if let Some(state) = states.get(step) {
        let _ = write!(text, "  [{}]", harmless(&state.words()));
    }
    text.push('\n');
    for note in notes(step) {
        let _ = writeln!(text, "{stem}   {note}");
    }
}

fn sections(text: &mut String, plan: &Plan) {
    if plan.outputs().is_empty() {
        return;
    }
    text.push_str("\nsections\n");
    for output in plan.outputs() {
        let from = plan.step(output.from).map_or("", |step| step.id.as_str());
        let _ = write!(text, "  {}  from {from}", harmless(&output.title));
        if let Some(select) = &output.select {
            let _ = write!(text, " {}", harmless(&select.to_string()));
        }
        if let Some(sort) = &output.sort {
            let _ = write!(text, ", sorted by {}", harmless(&sort.to_string()));
        }
        if let Some(limit) = output.limit {
            let _ = write!(text, ", at most {limit}");
        }
        text.push('\n');
    }
}
