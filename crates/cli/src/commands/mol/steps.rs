//! Commands on the steps of molecules.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use windlass::packs::Format;
use windlass::{
    Claim, Error, GateAnswer, Molecules, PackView, ShowPack, StepProof, StepReport, millis,
};

use super::{list, one, tell_step};
use crate::args::{
    MolApproveArgs, MolClaimArgs, MolCompleteArgs, MolFailArgs, MolHandoffArgs, MolHeartbeatArgs,
    MolProofArgs, MolReleaseArgs, OutputFormat,
};
use crate::commands::command_context::{CommandContext, interruptible, text_of};
use crate::commands::{Ended, Failure, limit};
use crate::exit::Exit;
use crate::outside::here;
use windlass_render::{completion_text, step_next, step_prolonged, step_released, step_text};

pub(super) fn claim(context: &CommandContext<'_>, args: MolClaimArgs) -> Ended {
    let wanted = Claim {
        mol: args.mol,
        step: args.step,
        lease_ms: args.lease.as_deref().map(millis).transpose()?,
        machine: false,
    };
    let format = args.format.format;
    let budget = limit(&args.budget);
    if budget.is_some() && !args.pack {
        let message = "a budget applies to the pack: add `--pack`".to_owned();
        return Err(Failure::Usage(message));
    }
    let view = PackView {
        format: match format {
            OutputFormat::Text => Format::Text {
                width: context.screen.width(),
            },
            OutputFormat::Json | OutputFormat::Tron => Format::Json,
        },
        limit: budget,
        profile: Some(args.profile.unwrap_or_default()),
    };
    context.with_steps("mol claim", |workspace, steps| {
        let step = steps.claim(&wanted, args.pack)?;
        let text = format!(
            "claimed {}\n{}",
            step_text(&step).trim_end(),
            context.next_line(workspace, step_next(&step)).trim_end()
        );
        let name = step.pack.as_ref().and_then(|pack| pack.reference.clone());
        let Some(name) = name.filter(|_| args.pack) else {
            return one(context.screen, format, text, &step);
        };
        let start = here();
        // We have the claim, so report it even if we can't show the pack.
        let shown = workspace.packs().show(&ShowPack { name, start, view });
        let shown = shown.map_err(|error| context.screen.complain(&format!("warning: {error}")));
        let pack = shown.map_or(String::new(), |shown| shown.text);
        let texts = [text, String::new(), pack.trim_end().to_owned()];
        let pack: Option<Value> = serde_json::from_str(&pack).ok();
        let data = Claimed { step, pack };
        list(context.screen, format, texts.into_iter(), &data)
    })
}

#[derive(Serialize)]
struct Claimed {
    #[serde(flatten)]
    step: StepReport,
    #[serde(rename = "context_pack", skip_serializing_if = "Option::is_none")]
    pack: Option<Value>,
}

/// Takes whatever the user left out from the step that the actor has claimed.
fn proof(args: MolProofArgs, molecules: &mut Molecules<'_>) -> Result<StepProof, Error> {
    let (mol, step) = (args.mol.as_deref(), args.step.as_deref());
    molecules.steps().own_claim(mol, step, args.token)
}

pub(super) fn heartbeat(context: &CommandContext<'_>, args: MolHeartbeatArgs) -> Ended {
    let lease_ms = args.lease.as_deref().map(millis).transpose()?;
    context.with_molecules("mol heartbeat", |molecules| {
        let proof = proof(args.proof, molecules)?;
        let step = molecules.steps().prolong(&proof, lease_ms)?;
        let line = step_prolonged(&step);
        one(context.screen, args.format.format, line, &step)
    })
}

/// Parses `given` as JSON. Anything that is not valid JSON is taken as a string, so that users do
/// not have to quote simple texts.
pub(super) fn value_of(given: Option<String>) -> Result<Value, Failure> {
    let Some(given) = given else {
        return Ok(Value::Null);
    };
    let text = text_of(given)?;
    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

pub(super) fn complete(context: &CommandContext<'_>, args: MolCompleteArgs) -> Ended {
    let output = value_of(args.output)?;
    context.with_molecules("mol complete", |molecules| {
        let proof = proof(args.proof, molecules)?;
        // The check of the output may start programs, so the user must be able to interrupt it.
        let done = if molecules.verifier().is_checked(&proof)? {
            interruptible(async |stop| {
                molecules
                    .verifier()
                    .complete(&proof, output, args.claim_next, args.allow_commands, &stop)
                    .await
            })?
        } else {
            molecules
                .steps()
                .complete(&proof, &output, args.claim_next)?
        };
        let text = completion_text(&done);
        let text = text.trim_end().to_owned();
        one(context.screen, args.format.format, text, &done)?;
        Ok(Exit::done_if(done.completed))
    })
}

pub(super) fn fail(context: &CommandContext<'_>, args: MolFailArgs) -> Ended {
    let output = value_of(args.output)?;
    context.with_molecules("mol fail", |molecules| {
        let proof = proof(args.proof, molecules)?;
        let step = molecules
            .steps()
            .fail(&proof, &args.reason, args.for_good, output)?;
        tell_step(context.screen, args.format.format, &step)
    })
}

pub(super) fn handoff(context: &CommandContext<'_>, args: MolHandoffArgs) -> Ended {
    let lease_ms = args.lease.as_deref().map(millis).transpose()?;
    let body = text_of(args.body)?;
    context.with_molecules("mol handoff", |molecules| {
        let proof = proof(args.proof, molecules)?;
        let message = molecules
            .steps()
            .hand_off(&proof, &body, lease_ms, args.replace)?;
        let line = format!("handed off {} by {}", proof.step, message.id);
        one(context.screen, args.format.format, line, &message)
    })
}

pub(super) fn release(context: &CommandContext<'_>, args: MolReleaseArgs) -> Ended {
    let (reason, format) = (args.reason.as_deref(), args.format.format);
    context.with_molecules("mol release", |molecules| {
        if args.all {
            let steps = molecules.steps().release_all(reason)?;
            let lines = steps.iter().map(step_released);
            return list(context.screen, format, lines, &steps);
        }
        let given = (&args.proof.mol, &args.proof.step, &args.proof.token);
        let step = match (given, reason) {
            ((Some(mol), Some(step), None), Some(reason)) => {
                molecules.steps().release_held(mol, step, reason)?
            }
            _ => {
                let proof = proof(args.proof, molecules)?;
                molecules.steps().release(&proof, reason)?
            }
        };
        tell_step(context.screen, format, &step)
    })
}

pub(super) fn approve(context: &CommandContext<'_>, args: MolApproveArgs) -> Ended {
    let mut inputs = BTreeMap::new();
    for pair in args.inputs {
        let (name, value) = crate::commands::pair("input", "NAME=VALUE", &pair)?;
        inputs.insert(name.to_owned(), text_of(value.to_owned())?);
    }
    context.with_molecules("mol approve", |molecules| {
        let answer = GateAnswer::Approve {
            inputs,
            comment: String::new(),
        };
        let step = molecules
            .steps()
            .answer_gate(&args.mol, &args.step, args.gate, &answer)?;
        tell_step(context.screen, args.format.format, &step)
    })
}
