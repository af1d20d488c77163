//! `molecule`: workflows that several agents work on, step by step.

mod steps;

use serde_json::{Map, Value};
use windlass::formula::{CookOptions, FormulaLimits, Subject};
use windlass::{LedgerSession, MolReport, Molecules, NewMail, NewMolecule, StepProof, millis};
use windlass_render::{
    mail_line, mail_sent, mail_text, mol_done, mol_line, mol_text, ready_line, step_text,
};

use super::ledger_call::{action, with_ledger};
use super::{needed, typed};
use crate::actions::{Action, chosen};
use crate::answer::{Answer, Answered};
use crate::paged_rows::Rows;
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::declare_arguments;

const ACTIONS: [Action; 17] = [
    Action::reads("list", "", "all cursor"),
    Action::reads("ready", "", "mol all cursor"),
    Action::reads("show", "", "mol step"),
    Action::reads("progress", "", "mol"),
    Action::reads("inbox", "", "all cursor"),
    Action::writes("pour", "formula", "vars bead title lease"),
    Action::writes("claim", "", "mol step lease"),
    Action::writes("heartbeat", "step token", "mol lease"),
    Action::writes("complete", "step token", "mol output claim_next"),
    Action::writes("fail", "step token reason", "mol output for_good"),
    Action::writes("release", "step token", "mol reason"),
    Action::writes("hand_over", "step token body", "mol lease"),
    Action::writes("approve", "step", "mol inputs"),
    Action::writes("reject", "step reason", "mol"),
    Action::writes("verify", "step", "mol"),
    Action::writes("mail", "to subject body", "bead mol step"),
    Action::writes("read", "id", ""),
];

pub(crate) const TOOL: Tool = Tool {
    name: "molecule",
    title: "Workflows",
    about: "A formula poured becomes a molecule whose steps agents claim. `claim` gives a step's instructions and a \
            `token`, which heartbeat/complete/fail/release/hand_over show. `complete` with `claim_next` goes on at once; \
            `hand_over` leaves the step to your next session. approve/reject answer gates. mail/inbox/read: \
            messages between agents.",
    // There's no way back from a failed or rejected step.
    effect: Effect::Writes {
        removes: true,
        also_reads: true,
        repeatable: false,
    },
    actions: &ACTIONS,
    fields: Arguments::fields,
    required: &["action"],
    call,
};

declare_arguments! {
    mol: Option<String>: "id; the only open one if left out",
    step: Option<String>,
    all: bool,
    cursor: Option<String>,
    actor: Option<String>,
    token: Option<String>,
    formula: Option<String>,
    vars: Map<String, Value>,
    bead: Option<String>,
    title: Option<String>,
    lease: Option<String>: "15m",
    output: Value,
    claim_next: bool,
    reason: Option<String>,
    for_good: bool,
    body: Option<String>,
    inputs: Map<String, Value>,
    to: Option<String>,
    subject: Option<String>,
    id: Option<String>,
}

impl Arguments {
    fn lease_ms(&self) -> Result<Option<u64>, Failure> {
        Ok(self.lease.as_deref().map(millis).transpose()?)
    }

    fn proof(&self) -> StepProof {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        StepProof {
            mol: text(&self.mol),
            step: text(&self.step),
            token: text(&self.token),
        }
    }
}

fn call(call: &Call<'_>) -> Answered {
    let chosen = chosen(&ACTIONS, call.arguments)?;
    let asked: Arguments = call.read()?;
    let actor = asked.actor.clone();
    let service = call.workspace.molecules();
    with_ledger(call, actor.as_deref(), "molecule", |ledger| {
        let molecules = &mut service.on(ledger);
        match chosen.name {
            "list" => list(call, molecules, asked),
            "ready" => ready(call, molecules, asked),
            "show" => show(call, molecules, &asked),
            "progress" => {
                let progress = molecules.progress(asked.mol.as_deref())?;
                let text = format!(
                    "{}  {}%  {} of {} steps",
                    progress.id, progress.percent, progress.done, progress.total
                );
                Answer::shortened(&text, &progress, &[], call.limit)
            }
            "inbox" => inbox(call, molecules.session(), asked),
            "pour" => pour(call, molecules, &asked),
            "mail" => mail(call, molecules.session(), asked),
            "read" => {
                let id = asked.id.unwrap_or_default();
                let message = molecules.session().mail().read(&id, false)?;
                Answer::shortened(&mail_text(&message), &message, &[], call.limit)
            }
            "claim" => steps::claim(call, molecules, asked),
            other => {
                // All other actions are on a step, so they need a molecule. The user may have left
                // it out.
                let mol = molecules.id(asked.mol.as_deref())?;
                let asked = Arguments {
                    mol: Some(mol),
                    ..asked
                };
                steps::done(call, molecules, other, asked)
            }
        }
    })
}

fn list(call: &Call<'_>, molecules: &Molecules<'_>, asked: Arguments) -> Answered {
    let all = molecules.list(asked.all);
    let lines: Vec<String> = all.iter().map(mol_line).collect();
    let rows = Rows {
        key: "molecules",
        rows: &all,
        lines: &lines,
        none: "no molecules; `pour` a formula to create one",
        head: Map::new(),
        next: Vec::new(),
    };
    rows.page(call, "molecule", asked.cursor)
}

fn ready(call: &Call<'_>, molecules: &mut Molecules<'_>, asked: Arguments) -> Answered {
    let ready = molecules.ready(asked.mol.as_deref(), asked.all)?;
    let steps = ready.steps;
    let lines: Vec<String> = steps.iter().map(ready_line).collect();
    // A read-only server has no `claim`, so don't propose one.
    let first = steps.first().filter(|_| !call.only_reading);
    let claim = first.map(|step| {
        let place = [
            ("mol", step.mol_id.as_str()),
            ("step", step.step_id.as_str()),
        ];
        action(call, "molecule", "claim", &place, "take it")
    });
    let rows = Rows {
        key: "steps",
        rows: &steps,
        lines: &lines,
        none: match ready.for_others {
            0 => "no step is ready",
            _ => "no step is ready for you; `all` also lists steps for others",
        },
        head: Map::from_iter([("for_others".to_owned(), ready.for_others.into())]),
        next: claim.into_iter().collect(),
    };
    rows.page(call, "molecule", asked.cursor)
}

fn show(call: &Call<'_>, molecules: &mut Molecules<'_>, asked: &Arguments) -> Answered {
    if let Some(step) = &asked.step {
        let molecule = molecules.get(asked.mol.as_deref(), None)?;
        let step = molecules.step(&molecule.id, step)?;
        return Answer::shortened(&step_text(&step), &step, &[], call.limit);
    }
    let molecule = molecules.get(asked.mol.as_deref(), None)?;
    let report = MolReport {
        expired: molecule.is_expired(molecules.session().log_now()),
        molecule: molecule.to_file(),
        formula_changed: None,
    };
    Answer::shortened(&mol_text(&report), &report, &[], call.limit)
}

fn inbox(call: &Call<'_>, ledger: &mut LedgerSession, asked: Arguments) -> Answered {
    let inbox = ledger.mail().inbox(None, asked.all, usize::MAX)?;
    let lines: Vec<String> = inbox.messages.iter().map(mail_line).collect();
    let first = inbox
        .messages
        .first()
        .filter(|message| message.read_at.is_none() && !call.only_reading);
    let read =
        first.map(|message| action(call, "molecule", "read", &[("id", &message.id)], "read it"));
    let rows = Rows {
        key: "messages",
        rows: &inbox.messages,
        lines: &lines,
        none: "no unread messages",
        head: Map::from_iter([("unread".to_owned(), inbox.unread.into())]),
        next: read.into_iter().collect(),
    };
    rows.page(call, "molecule", asked.cursor)
}

fn pour(call: &Call<'_>, molecules: &mut Molecules<'_>, asked: &Arguments) -> Answered {
    let formula = needed(asked.formula.as_deref(), "pour", "formula")?;
    // What gets attached to the molecule depends on the bead's type, priority and labels.
    let bead = asked
        .bead
        .as_deref()
        .map(|id| molecules.session().beads().get(id, None))
        .transpose()?;
    let subject = bead.map(|report| Subject {
        kind: Some(report.bead.issue_type.to_string()),
        priority: Some(report.bead.priority),
        bead: Some(report.bead.id),
        labels: report.bead.labels,
    });
    let catalog = call.workspace.molecules().catalog();
    let options = CookOptions {
        vars: typed(&asked.vars).collect(),
        open: false,
        strict: false,
        preset: None,
        subject: Some(subject.unwrap_or_default()),
        limits: FormulaLimits::default(),
        catalog: Some(&catalog),
    };
    let workspace = call.workspace;
    let service = workspace.molecules();
    let formula = service.cook(
        formula,
        call.start(),
        &workspace.site().snapshot(),
        &options,
    )?;
    let molecule = molecules.pour(
        &formula,
        &NewMolecule {
            bead: asked.bead.clone(),
            title: asked.title.clone(),
            ttl_ms: None,
            concurrency: None,
            lease_ms: asked.lease_ms()?,
        },
    )?;
    let text = mol_done("poured", &molecule);
    let next = [action(
        call,
        "molecule",
        "claim",
        &[("mol", &molecule.id)],
        "claim the first step",
    )];
    let mut answer = Answer::shortened(&text, &molecule.to_file(), &next, call.limit)?;
    answer.note(formula.warnings.iter().map(ToString::to_string), call.limit);
    Ok(answer)
}

fn mail(call: &Call<'_>, ledger: &mut LedgerSession, asked: Arguments) -> Answered {
    let message = ledger.mail().send(&NewMail {
        to: asked.to.unwrap_or_default(),
        subject: asked.subject,
        body: asked.body.unwrap_or_default(),
        bead: asked.bead,
        mol: asked.mol.map(|mol| match asked.step {
            Some(step) => format!("{mol}/{step}"),
            None => mol,
        }),
        ..NewMail::default()
    })?;
    Answer::shortened(&mail_sent(&message), &message, &[], call.limit)
}
