//! Describes closed gates: the events that open them, and commands that users can run to make that
//! happen.

use windlass_base::shell_word;
use windlass_formula::{CookedFormula, CookedStep, GateInput, GateKind, InputType};
use windlass_ledger::bead::BeadStatus;
use windlass_ledger::{MolStep, Molecule, RepoWorld, Stamp, State, World as _};

use crate::machine::gate_program;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GateNeed {
    /// The end of the sentence "the step waits for ...".
    pub(crate) waits_for: String,
    /// A command to open the gate, or at least to try.
    pub(crate) call: String,
    /// True if only time or a program opens the gate, so that a drive can wait for it.
    pub(crate) by_machine: bool,
    /// Time at which the gate opens or times out by itself, in the log's time.
    pub(crate) opens_at: Option<Stamp>,
    /// True if a program decides about the gate.
    pub(crate) is_program: bool,
}

pub(crate) struct GateView<'a> {
    pub(crate) state: &'a State,
    pub(crate) world: &'a RepoWorld,
    pub(crate) molecule: &'a Molecule,
    pub(crate) cooked: Option<&'a CookedFormula>,
    /// The current time, in the log's time.
    pub(crate) now: Stamp,
}

impl GateView<'_> {
    /// Returns the needs of a step's closed gates, in gate order. As long as the step is waiting
    /// for another step, its gates don't matter yet, so there are none.
    pub(crate) fn needs(&self, step: &MolStep) -> Vec<GateNeed> {
        if !step.waits_at_gates() {
            return Vec::new();
        }
        let asked = self.molecule.find(&step.id);
        let asked = asked.and_then(|at| self.cooked?.steps.get(at.index()));
        let closed = step.closed_gates();
        closed
            .map(|number| self.need(step, asked, number))
            .collect()
    }

    fn need(&self, step: &MolStep, asked: Option<&CookedStep>, number: usize) -> GateNeed {
        let (mol, id) = (&self.molecule.id, &step.id);
        let by_hand = format!(
            "windlass mol approve {mol} {} --gate {number}",
            shell_word(id)
        );
        let gate = asked.and_then(|asked| asked.gates.get(number));
        let Some(gate) = gate else {
            // The ledger adds a gate of its own to steps that wait for child molecules, after those
            // of the formula.
            return GateNeed::of(self.children(asked), by_hand);
        };
        let mail = |subject: &str| {
            let to = shell_word(&self.molecule.created_by);
            let about = shell_word(&format!("{mol}/{id}"));
            format!(
                "windlass mail send {to} --mol {about} --subject {}",
                shell_word(subject)
            )
        };
        let mut need = match &gate.kind {
            GateKind::Timer { duration } => {
                let opens_at = step.opens_after(duration, self.now);
                let at = opens_at.map_or(String::new(), |at| format!(", which ends at {at}"));
                GateNeed {
                    opens_at,
                    by_machine: true,
                    ..GateNeed::of(
                        format!("its timer of {duration}{at}"),
                        format!("windlass mol drive {mol}"),
                    )
                }
            }
            GateKind::Human { inputs, .. } => {
                let given: String = inputs.iter().filter_map(example).collect();
                let call = format!("windlass mol approve {mol} {}", shell_word(id));
                GateNeed::of("a person's approval".to_owned(), format!("{call}{given}"))
            }
            GateKind::Mail { await_id: None } => GateNeed::of(
                format!("a message about `{id}` of `{mol}`"),
                mail(&format!("continue {id}")),
            ),
            GateKind::Mail {
                await_id: Some(awaited),
            } => GateNeed::of(
                format!("a message whose id, type, subject or sender is `{awaited}`"),
                mail(awaited),
            ),
            GateKind::Bead { await_id } => match self.bead(await_id) {
                Some(status) => GateNeed::of(
                    format!("bead `{await_id}` to be closed: it is {}", status.as_str()),
                    format!("windlass bead close {}", shell_word(await_id)),
                ),
                None => GateNeed::of(
                    format!(
                        "bead `{await_id}` to be closed, but neither this ledger nor any routed ledger has it"
                    ),
                    by_hand,
                ),
            },
            GateKind::File { path } => {
                GateNeed::of(format!("the file `{path}`, which does not exist"), by_hand)
            }
            GateKind::Condition { condition } => GateNeed::of(
                format!("its condition to hold: {}", condition.text),
                by_hand,
            ),
            kind @ (GateKind::Command { .. }
            | GateKind::GithubRun { .. }
            | GateKind::GithubPr { .. }) => {
                let (argv, prints) = gate_program(kind).unwrap_or_default();
                let want = match prints.open {
                    Some(open) => format!("print `{open}`"),
                    None => "end with 0".to_owned(),
                };
                GateNeed {
                    // A program without a timeout may never open its gate, and a drive that waits
                    // for it would never end.
                    by_machine: gate.timeout.is_some(),
                    is_program: true,
                    ..GateNeed::of(
                        format!("its program `{}` to {want}", argv.join(" ")),
                        format!("windlass mol drive {mol} --allow-commands"),
                    )
                }
            }
        };
        if let Some(timeout) = &gate.timeout {
            let ends_at = step.opens_after(timeout, self.now);
            need.opens_at = need.opens_at.or(ends_at.filter(|_| need.is_program));
        }
        need
    }

    fn bead(&self, id: &str) -> Option<BeadStatus> {
        let here = self.state.beads.get(id).map(|bead| bead.status);
        here.or_else(|| Some(self.world.bead_elsewhere(id)?.0))
    }

    fn children(&self, asked: Option<&CookedStep>) -> String {
        let of = asked.and_then(|asked| asked.waits_for.as_ref());
        let of = of.map(|waits| waits.of.as_slice()).unwrap_or_default();
        let molecules = self.state.molecules.iter();
        let open = molecules.filter_map(|(id, found)| {
            let head = found.head().filter(windlass_ledger::MolHead::is_open)?;
            let (mol, step) = head.from?;
            let is_made = mol == self.molecule.id && of.iter().any(|of| of == step);
            is_made.then(|| format!("`{id}`"))
        });
        let open: Vec<String> = open.collect();
        match open.is_empty() {
            true => format!("the molecules made by {} to end", of.join(", ")),
            false => format!("{} to end", open.join(", ")),
        }
    }
}

impl GateNeed {
    fn of(waits_for: String, call: String) -> Self {
        Self {
            waits_for,
            call,
            by_machine: false,
            opens_at: None,
            is_program: false,
        }
    }
}

/// Returns a sample argument for an input that the user has to give.
fn example((name, input): (&String, &GateInput)) -> Option<String> {
    if !input.required || input.default.is_some() {
        return None;
    }
    let usual = match input.kind {
        InputType::Boolean => "true",
        InputType::Number | InputType::Integer => "1",
        _ => "TEXT",
    };
    let value = input.allowed.first().map_or(usual, String::as_str);
    Some(format!(
        " --input {}",
        shell_word(&format!("{name}={value}"))
    ))
}
