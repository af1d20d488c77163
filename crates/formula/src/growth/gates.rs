//! Gates: events to wait for before a step starts, besides the end of the needed steps.

use std::collections::BTreeMap;

use windlass_base::Diagnostic;
use windlass_plan::DurationText;
use windlass_plan::quote::{cut, listed, near};

use super::{Growth, Here, spot};
use crate::document::{GateDoc, Located, Scalar, VarDoc};
use crate::draft::{Spot, UnitId, What};
use crate::run_condition::run_condition;
use crate::vars::{GivenBy, Variable, Variables, bind, check_definitions};
use crate::{Gate, GateInput, GateKind, InputType};

const GATE_KINDS: [&str; 9] = [
    "timer",
    "human",
    "mail",
    "bead",
    "gh:run",
    "gh:pr",
    "file",
    "command",
    "condition",
];

pub(super) struct Gates<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Gates<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    pub(super) fn gate(&mut self, unit: UnitId, doc: &Located<GateDoc>, first_need: Option<&str>) {
        let here = self.here;
        let at = spot(here.source, doc);
        let Some((kind, timeout)) = self.gate_kind(doc, at, first_need) else {
            return;
        };
        self.refuse_other_fields(doc, at);
        // A `conditional` gate decides once whether the step runs at all, so we treat it as a
        // condition.
        if doc.kind.value == "conditional"
            && let GateKind::Condition { condition } = kind
        {
            let what = What::RunIf {
                holds: true,
                condition,
            };
            return self.growth.attach(unit, what, at, here.scope, None);
        }
        self.growth.attach(
            unit,
            What::Gate(Gate { kind, timeout }),
            at,
            here.scope,
            None,
        );
    }

    fn gate_kind(
        &mut self,
        doc: &Located<GateDoc>,
        at: Spot,
        first_need: Option<&str>,
    ) -> Option<(GateKind, Option<DurationText>)> {
        let here = self.here;
        let fill = |text: &Option<String>| text.as_deref().map(|text| here.names.fill(text));
        let await_id = fill(&doc.await_id)
            .or_else(|| fill(&doc.id))
            .filter(|id| !id.is_empty());
        let mut timeout = doc
            .timeout
            .as_ref()
            .and_then(|text| self.growth.duration(here, text));
        let kind = here.names.fill(&doc.kind);
        let kind = match kind.as_str() {
            "timer" => {
                let duration = match (&doc.duration, &await_id) {
                    (Some(text), _) => self.growth.duration(here, text)?,
                    (None, Some(id)) if DurationText::new(id.as_str()).parse().is_ok() => {
                        DurationText::new(id.as_str())
                    }
                    // Beads has no `duration` field, and uses the timeout of a timer as its
                    // duration.
                    _ => match timeout.take() {
                        Some(duration) => duration,
                        // An ID with a placeholder may still become a duration, and an invalid
                        // timeout has been reported by now.
                        None if self.growth.open || doc.timeout.is_some() => return None,
                        None => return self.incomplete(at, "timer", "duration = \"5m\""),
                    },
                };
                GateKind::Timer { duration }
            }
            "human" => GateKind::Human {
                await_id,
                inputs: self.gate_inputs(doc),
            },
            "mail" => GateKind::Mail { await_id },
            "gh:run" => GateKind::GithubRun { await_id },
            "gh:pr" => GateKind::GithubPr { await_id },
            "bead" => match await_id {
                Some(await_id) => GateKind::Bead { await_id },
                None => return self.incomplete(at, "bead", "await_id = \"…\""),
            },
            "file" => match fill(&doc.path).or(await_id) {
                Some(path) => GateKind::File { path },
                None => return self.incomplete(at, "file", "path = \"…\""),
            },
            "command" => match doc.command.as_deref() {
                Some(words) if !words.is_empty() => GateKind::Command {
                    command: words.iter().map(|word| here.names.fill(word)).collect(),
                },
                _ => {
                    return self.incomplete(at, "command", "command = [\"program\", \"argument\"]");
                }
            },
            "condition" | "conditional" => {
                return self
                    .condition_gate(doc, at, first_need)
                    .map(|kind| (kind, timeout));
            }
            _ => {
                let message = format!("unknown gate type `{}`", cut(&kind));
                let help = match near(&kind, GATE_KINDS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known gate types: {}", listed(GATE_KINDS)),
                };
                self.growth
                    .wrong(spot(here.source, &doc.kind), "gate-type", message, help);
                return None;
            }
        };
        Some((kind, timeout))
    }

    /// Reports fields that mean nothing for this kind of gate.
    ///
    /// The author may expect them to do something.
    fn refuse_other_fields(&mut self, doc: &GateDoc, at: Spot) {
        let kind = doc.kind.value.as_str();
        let is = |kinds: &[&str]| kinds.contains(&kind);
        let named = doc.id.is_some() || doc.await_id.is_some();
        let others = [
            (
                "await_id",
                named && is(&["command", "condition", "conditional"]),
            ),
            ("timeout", doc.timeout.is_some() && is(&["conditional"])),
            ("duration", doc.duration.is_some() && !is(&["timer"])),
            (
                "condition",
                doc.condition.is_some() && !is(&["condition", "conditional"]),
            ),
            ("path", doc.path.is_some() && !is(&["file"])),
            ("command", doc.command.is_some() && !is(&["command"])),
            ("inputs", doc.inputs.is_some() && !is(&["human"])),
        ];
        for (field, _) in others.iter().filter(|(_, there)| *there) {
            let message = format!("a `{kind}` gate has no `{field}`");
            let help = match *field {
                "timeout" => {
                    "a conditional gate is decided once; use `type = \"condition\"` to wait"
                }
                _ => "remove it, or change `type`",
            };
            self.growth.refuse(at, message, help);
        }
    }

    fn gate_inputs(&mut self, doc: &GateDoc) -> BTreeMap<String, GateInput> {
        let here = self.here;
        let all = doc.inputs.iter().flatten();
        let declared = |(name, part): (&String, &Located<VarDoc>)| {
            let place = self.growth.place(spot(here.source, part))?;
            let VarDoc(table) = part.value.clone();
            Some((name.clone(), Variable { table, place }))
        };
        let variables: Variables = all.filter_map(declared).collect();
        // The inputs are declared like variables, so check them in the same way. Their values only
        // come from the approver, which is why the set is `open`.
        check_definitions(&variables, self.growth.found);
        let by = GivenBy::Caller { open: true };
        bind(&variables, &BTreeMap::new(), by, self.growth.found);
        let asked = |(name, Variable { table, .. }): (String, Variable)| {
            let scalar = |Scalar(text): Scalar| text;
            let input = GateInput {
                kind: table.kind.map(InputType::from).unwrap_or_default(),
                description: here.names.fill(&table.description.unwrap_or_default()),
                required: table.required == Some(true),
                default: table.default.map(scalar),
                allowed: table.allowed.into_iter().flatten().map(scalar).collect(),
                pattern: table.pattern.map(|pattern| pattern.value),
            };
            (name, input)
        };
        for (name, variable) in &variables {
            if variable.table.required_unless.is_some() {
                let message = format!(
                    "`required_unless` of `{}` is not supported in a gate",
                    cut(name)
                );
                let at = spot(here.source, &doc.kind);
                self.growth.refuse(
                    at,
                    message,
                    "write `required = true`, or explain it in `description`",
                );
            }
        }
        variables.into_iter().map(asked).collect()
    }

    fn incomplete<T>(&mut self, at: Spot, kind: &str, example: &str) -> Option<T> {
        let message = format!("a `{kind}` gate needs a subject to wait for");
        let help = format!("add `{example}`");
        self.growth.wrong(at, "gate", message, help);
        None
    }

    fn condition_gate(
        &mut self,
        doc: &Located<GateDoc>,
        at: Spot,
        first_need: Option<&str>,
    ) -> Option<GateKind> {
        let here = self.here;
        let Some(text) = &doc.condition else {
            return self.incomplete(
                at,
                "condition",
                "condition = \"STEP.output.FIELD == VALUE\"",
            );
        };
        match run_condition(&here.names.fill(text)) {
            Ok(condition) => Some(GateKind::Condition { condition }),
            Err((why, help)) => {
                let message = format!("invalid gate condition: {why}");
                let help = match first_need.filter(|_| is_word(text)) {
                    Some(step) => format!(
                        "return it in the output of `{0}` and write `{0}.output.{1} == true`",
                        cut(step),
                        cut(text)
                    ),
                    None => help,
                };
                let diagnostic = Diagnostic::error("condition", message).help(help);
                self.growth.report(spot(here.source, text), diagnostic);
                None
            }
        }
    }
}

/// True for a single word such as `approved`. It cannot refer to anything, but the author may have
/// meant a field of the previous step's output.
fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
