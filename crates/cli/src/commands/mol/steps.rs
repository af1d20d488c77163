//! What is done with the steps of molecules.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass::engine::StopLevel;
use windlass::plan::Outcome;
use windlass::{ClaimRequest, GateAnswer, LedgerDesk, Proof, millis};

use super::{list, tell_step};
use crate::args::{
    MolApproveArgs, MolClaimArgs, MolCompleteArgs, MolDriveArgs, MolFailArgs, MolHandoffArgs,
    MolHeartbeatArgs, MolProofArgs,
};
use crate::commands::Failure;
use crate::commands::desk::{Desk, interruptible, text_of};
use crate::exit::Exit;
use windlass::{completion_text, drive_text, step_text};

pub(super) fn claim(desk: &Desk<'_>, args: MolClaimArgs) -> Result<Exit, Failure> {
    let request = ClaimRequest {
        mol: args.mol,
        step: args.step,
        lease_ms: args.lease.as_deref().map(millis).transpose()?,
    };
    desk.with("mol claim", |ledger| {
        let step = ledger.claim_step(&request)?;
        let text = format!("claimed {}", step_text(&step).trim_end());
        list(
            desk.screen,
            args.format.format,
            std::iter::once(text),
            &step,
        )
    })
}

pub(super) fn proof(args: MolProofArgs) -> Proof {
    Proof {
        mol: args.mol,
        step: args.step,
        token: args.token,
    }
}

pub(super) fn heartbeat(desk: &Desk<'_>, args: MolHeartbeatArgs) -> Result<Exit, Failure> {
    let lease_ms = args.lease.as_deref().map(millis).transpose()?;
    let proof = proof(args.proof);
    desk.with("mol heartbeat", |ledger| {
        let step = ledger.prolong(&proof, lease_ms)?;
        let until = step.lease_until.map(|until| until.to_string());
        let line = format!(
            "{} is yours until {}",
            step.step_id,
            until.unwrap_or_default()
        );
        list(
            desk.screen,
            args.format.format,
            std::iter::once(line),
            &step,
        )
    })
}

/// JSON, or a text where it is none.
pub(super) fn value_of(given: Option<String>) -> Result<Value, Failure> {
    let Some(given) = given else {
        return Ok(Value::Null);
    };
    let text = text_of(given)?;
    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

pub(super) fn complete(desk: &Desk<'_>, args: MolCompleteArgs) -> Result<Exit, Failure> {
    let (proof, output) = (proof(args.proof), value_of(args.output)?);
    let workspace = desk.workspace()?;
    desk.with("mol complete", |ledger: &mut LedgerDesk| {
        let done = if ledger.is_checked(&proof)? {
            interruptible(async |stop| {
                ledger
                    .complete_checked_step(
                        &workspace,
                        &proof,
                        output,
                        args.claim_next,
                        args.allow_commands,
                        &stop,
                    )
                    .await
            })?
        } else {
            ledger.complete_step(&proof, output, args.claim_next)?
        };
        let text = completion_text(&done);
        let text = std::iter::once(text.trim_end().to_owned());
        list(desk.screen, args.format.format, text, &done)?;
        Ok(if done.completed {
            Exit::Done
        } else {
            Exit::Failed
        })
    })
}

pub(super) fn drive(desk: &Desk<'_>, args: &MolDriveArgs) -> Result<Exit, Failure> {
    let workspace = desk.workspace()?;
    desk.with("mol drive", |ledger: &mut LedgerDesk| {
        let mol = ledger.molecule_id(args.mol.as_deref())?;
        let allow = args.allow_commands;
        let (report, stopped) = interruptible(async |stop| {
            let report = ledger.drive(&workspace, &mol, allow, &stop).await?;
            Ok((report, stop.level() != StopLevel::None))
        })?;
        let text = std::iter::once(drive_text(&report).trim_end().to_owned());
        list(desk.screen, args.format.format, text, &report)?;
        Ok(match report.outcome {
            _ if report.refused => Exit::Refused,
            None if stopped => Exit::Interrupted,
            Some(Outcome::Failed | Outcome::Cancelled) => Exit::Failed,
            _ => Exit::Done,
        })
    })
}

pub(super) fn fail(desk: &Desk<'_>, args: MolFailArgs) -> Result<Exit, Failure> {
    let (proof, output) = (proof(args.proof), value_of(args.output)?);
    desk.with("mol fail", |ledger| {
        let step = ledger.fail_step(&proof, &args.reason, args.for_good, output)?;
        tell_step(desk.screen, args.format.format, &step)
    })
}

pub(super) fn handoff(desk: &Desk<'_>, args: MolHandoffArgs) -> Result<Exit, Failure> {
    let lease_ms = args.lease.as_deref().map(millis).transpose()?;
    let (proof, body) = (proof(args.proof), text_of(args.body)?);
    desk.with("mol handoff", |ledger| {
        let message = ledger.hand_off(&proof, &body, lease_ms, args.replace)?;
        let line = format!("handed off {} by {}", proof.step, message.id);
        list(
            desk.screen,
            args.format.format,
            std::iter::once(line),
            &message,
        )
    })
}

pub(super) fn approve(desk: &Desk<'_>, args: MolApproveArgs) -> Result<Exit, Failure> {
    let mut inputs = BTreeMap::new();
    for pair in args.inputs {
        let Some((name, value)) = pair.split_once('=') else {
            let message = format!("`--input {pair}` has no `=`: write `--input NAME=VALUE`");
            return Err(Failure::Usage(message));
        };
        inputs.insert(name.to_owned(), text_of(value.to_owned())?);
    }
    desk.with("mol approve", |ledger| {
        let answer = GateAnswer::Approve(inputs);
        let step = ledger.answer_gate(&args.mol, &args.step, args.gate, &answer)?;
        tell_step(desk.screen, args.format.format, &step)
    })
}
