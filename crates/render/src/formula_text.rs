//! Text output for formulas, both as written and cooked.

use std::fmt::Write as _;

use crate::step_text::scope_words;
use windlass::FormulaEntry;
use windlass::base::{counted, cut_after, first_names};
use windlass::formula::{
    CookedFormula, CookedStep, Dialect, FormulaHead, Gate, GateKind, Phase, ValueFrom, Via,
    WaitMode,
};
use windlass::packs::{harmless_line, harmless_lines};

/// Lists formulas with their files, or with the error in the case of a formula that cannot be read.
#[must_use]
pub fn formula_list(formulas: &[FormulaEntry]) -> String {
    let widest = formulas
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or(0)
        .min(40);
    let mut text = String::new();
    for entry in formulas {
        let name = harmless_line(&entry.name);
        let what = match (&entry.head, &entry.error, &entry.hidden_by) {
            (_, _, Some(other)) => format!("shadowed by {other}"),
            (Some(head), ..) => {
                let kind = head
                    .kind
                    .described()
                    .trim_start_matches("a ")
                    .trim_start_matches("an ");
                let internal = if head.internal { "internal " } else { "" };
                format!("{internal}{kind}: {}", cut_after(&head.summary, 70))
            }
            (None, Some(error), _) => format!("cannot be read: {}", cut_after(error, 100)),
            (None, None, _) => String::new(),
        };
        let _ = writeln!(text, "{name:widest$}  {}", harmless_line(&what));
        let _ = writeln!(text, "{:widest$}  {}", "", harmless_line(&entry.file));
    }
    text
}

/// Describes a formula by its purpose, variables and steps.
#[must_use]
pub fn formula_text(file: &str, head: &FormulaHead, formula: Option<&CookedFormula>) -> String {
    let mut text = format!(
        "{}: {}, version {}\n",
        harmless_line(&head.name),
        head.kind.described(),
        head.version
    );
    let _ = writeln!(text, "  file      {}", harmless_line(file));
    if !head.extends.is_empty() {
        let _ = writeln!(
            text,
            "  extends   {}",
            harmless_line(&head.extends.join(", "))
        );
    }
    if !head.summary.is_empty() {
        let _ = writeln!(text, "  about     {}", harmless_line(&head.summary));
    }
    let Some(formula) = formula else {
        return text;
    };
    let _ = writeln!(text, "  rules of  {}", dialect(formula.dialect));
    for (name, var) in &formula.vars {
        let value = match (&var.value, var.from) {
            (Some(value), _) => format!(
                " = {}",
                cut_after(value.lines().next().unwrap_or_default(), 40)
            ),
            (None, _) => String::new(),
        };
        let about = cut_after(var.description.lines().next().unwrap_or_default(), 80);
        let _ = writeln!(
            text,
            "  --var     {}",
            harmless_line(&format!("{name}{value}  {about}"))
        );
    }
    whole(formula, &mut text);
    let _ = writeln!(text, "{}:", counted(formula.steps.len(), "step"));
    steps(formula, &mut text);
    text
}

fn whole(formula: &CookedFormula, text: &mut String) {
    let mut line = |word: &str, what: &str| {
        let _ = writeln!(text, "  {word:<9} {}", harmless_line(what));
    };
    match formula.phase {
        Some(Phase::Liquid) => line("phase", "liquid: persistent"),
        Some(Phase::Vapor) => line("phase", "vapor: temporary"),
        None => {}
    }
    if formula.pour {
        line("pour", "each step is recorded");
    }
    if let Some(squash) = &formula.squash {
        let kind = squash.template_type.as_deref();
        let kind = kind.map_or(String::new(), |kind| {
            format!(", to a digest called `{kind}`")
        });
        let numbers = if squash.include_metrics {
            ", with numbers"
        } else {
            ""
        };
        line("squash", &format!("once it is done{kind}{numbers}"));
    }
    if formula.target_required {
        line("bead", "needed: the molecule works on it");
    }
    for point in &formula.bond_points {
        let place = match (point.after.as_slice(), point.before.as_slice()) {
            (after, []) => format!("after {}", after.join(", ")),
            (_, before) => format!("before {}", before.join(", ")),
        };
        let beside = if point.parallel { ", in parallel" } else { "" };
        line("bond at", &format!("{}, {place}{beside}", point.id));
    }
    if !formula.metadata.is_empty() {
        let metadata = serde_json::to_string(&formula.metadata).unwrap_or_default();
        line("metadata", &cut_after(&metadata, 120));
    }
}

fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Beads => "beads",
        Dialect::Gastown => "Gas Town",
        Dialect::Gascity => "Gas City",
    }
}

/// Describes a cooked formula: the steps to pour, and the origin of each step.
#[must_use]
pub fn cooked_text(file: &str, formula: &CookedFormula) -> String {
    let mut text = format!(
        "{}: {} from {}\n",
        harmless_line(&formula.title),
        counted(formula.steps.len(), "step"),
        harmless_line(file)
    );
    for (name, var) in formula
        .vars
        .iter()
        .filter(|(_, var)| var.from == ValueFrom::Given)
    {
        let value = cut_after(var.value.as_deref().unwrap_or_default(), 60);
        let _ = writeln!(
            text,
            "  with      {}",
            harmless_line(&format!("{name} = {value}"))
        );
    }
    for source in formula.sources.iter().skip(1) {
        let _ = writeln!(text, "  of        {}", harmless_line(&source.file));
    }
    for hook in &formula.open_hooks {
        let at = hook.at.as_deref().unwrap_or("end");
        let line = format!("{} at {at}, for {}", hook.attach, hook.trigger);
        let _ = writeln!(text, "  may add   {}", harmless_line(&line));
    }
    whole(formula, &mut text);
    let _ = writeln!(text, "  digest    {}", formula.digest);
    steps(formula, &mut text);
    for gone in &formula.left_out {
        let line = format!("without {}: {}", gone.id, gone.condition);
        let _ = writeln!(text, "{}", harmless_line(&line));
    }
    text
}

fn steps(formula: &CookedFormula, text: &mut String) {
    // Every line starts with a label, except for the first one of a step. All of them are cleaned
    // together, which is faster than line by line.
    let (mut words, mut lines) = (Vec::new(), Vec::new());
    for step in &formula.steps {
        let uses = step
            .uses
            .as_deref()
            .map(|uses| format!(" [{uses}]"))
            .unwrap_or_default();
        words.push("");
        lines.push(format!("{}{uses}  {}", step.id, step.title));
        for (word, what) in details(formula, step) {
            words.push(word);
            lines.push(what);
        }
    }
    for (word, line) in words.into_iter().zip(harmless_lines(&lines)) {
        let _ = match word {
            "" => writeln!(text, "{line}"),
            word => writeln!(text, "  {word:<9} {line}"),
        };
    }
}

/// Lists the non-default properties of a step, as pairs of label and value.
fn details(formula: &CookedFormula, step: &CookedStep) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    if !step.needs.is_empty() {
        let needs = step.needs.iter().map(|need| need.step.as_str());
        details.push(("needs", first_names(needs, 12, " and ")));
    }
    if let Some(waits) = &step.waits_for {
        let mode = match waits.mode {
            WaitMode::All => "all children of",
            WaitMode::Any => "the first child of",
        };
        details.push(("waits for", format!("{mode} {}", waits.of.join(", "))));
    }
    for gate in &step.gates {
        details.push(("gate", gate_words(gate)));
    }
    for run_if in &step.run_if {
        let not = if run_if.holds { "" } else { "not " };
        details.push(("only if", format!("{not}{}", run_if.condition.text)));
    }
    for open in &step.undecided {
        details.push(("only if", format!("{open} (not decided yet)")));
    }
    if let Some(fan_out) = &step.on_complete {
        details.push((
            "then",
            format!(
                "{} for each of output.{}",
                fan_out.formula,
                fan_out.for_each.join(".")
            ),
        ));
    }
    if let Some(retry) = &step.retry {
        details.push((
            "retry",
            format!("up to {}", counted(retry.max_attempts as usize, "attempt")),
        ));
    }
    if let Some(drain) = &step.drain {
        let each = format!("{} for each child of the bead", drain.formula);
        details.push(("makes", each));
    }
    if let Some(scope) = &step.scope {
        details.push(("scope", scope_words(scope)));
    }
    for (word, value) in [
        ("for", &step.assignee),
        ("agent", &step.agent),
        ("target", &step.target),
    ] {
        details.extend(value.clone().map(|value| (word, value)));
    }
    let alone = "no other step runs meanwhile";
    for (word, there, words) in [
        ("alone", step.parallel == Some(false), alone),
        ("only", step.review_only, "review: no changes"),
        ("doer", step.interactive, "a person with an agent"),
    ] {
        details.extend(there.then(|| (word, words.to_owned())));
    }
    if let Some(check) = &step.check {
        details.push(("check", check.path.clone()));
    }
    if let Some(pack) = &step.pack {
        let fields: Vec<&str> = pack.keys().map(String::as_str).collect();
        let made_of = match fields.as_slice() {
            [] => "context pack on claim".to_owned(),
            fields => format!("context pack on claim ({})", fields.join(", ")),
        };
        details.push(("pack", made_of));
    }
    if let Some(timeout) = &step.timeout {
        details.push(("timeout", timeout.to_string()));
    }
    if !step.origin.via.is_empty() {
        let via: Vec<_> = step.origin.via.iter().map(via_words).collect();
        let source = formula.sources.get(step.origin.source as usize);
        let file = source.map_or("", |source| source.file.as_str());
        details.push((
            "from",
            format!("{file}:{}, {}", step.origin.line, via.join(", ")),
        ));
    }
    details
}

fn gate_words(gate: &Gate) -> String {
    let named = |what: &str, id: &Option<String>| match id {
        Some(id) => format!("{what} {id}"),
        None => what.to_owned(),
    };
    let what = match &gate.kind {
        GateKind::Timer { duration } => format!("{duration} later"),
        GateKind::Human { await_id, inputs } => {
            let asked: Vec<&str> = inputs.keys().map(String::as_str).collect();
            let what = named("approved by a person", await_id);
            match asked.as_slice() {
                [] => what,
                asked => format!("{what}, with input {}", asked.join(", ")),
            }
        }
        GateKind::Mail { await_id } => named("a message", await_id),
        GateKind::Bead { await_id } => format!("{await_id} is closed"),
        GateKind::GithubRun { await_id } => named("a GitHub workflow run", await_id),
        GateKind::GithubPr { await_id } => named("a pull request is merged", await_id),
        GateKind::File { path } => format!("{path} exists"),
        GateKind::Command { command } => format!("`{}` succeeds", command.join(" ")),
        GateKind::Condition { condition } => condition.text.clone(),
    };
    match &gate.timeout {
        Some(timeout) => format!("{what}, within {timeout}"),
        None => what,
    }
}

fn via_words(via: &Via) -> String {
    match via {
        Via::Extends(formula) => format!("inherited from {formula}"),
        Via::Expansion { formula, target } => format!("{formula} in place of {target}"),
        Via::Loop { step, iteration } => format!("iteration {iteration} of {step}"),
        Via::Advice { formula, target } => format!("woven around {target} by {formula}"),
        Via::Hook { formula, at } => format!("{formula} attached at {at}"),
    }
}
