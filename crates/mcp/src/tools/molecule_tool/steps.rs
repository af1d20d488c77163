//! The actions on a step of a molecule.

use windlass::base::{Limit, NextAction};
use windlass::ledger::event::VerifyOutcome;
use windlass::packs::Format;
use windlass::{Claim, Completion, GateAnswer, Molecules, PackView, ShowPack, StepReport};
use windlass_render::{completion_text, step_done, step_text, verification_text};

use super::super::ledger_call::action;
use super::{Arguments, typed};
use crate::answer::{Answer, Answered, USUAL};
use crate::tool_call::Call;

/// Runs the action `name` on a step.
///
/// # Errors
/// Returns an error if the claim has expired, or the step is in another state.
pub(super) fn done(
    call: &Call<'_>,
    molecules: &mut Molecules<'_>,
    name: &str,
    asked: Arguments,
) -> Answered {
    let proof = asked.proof();
    let lease = asked.lease_ms()?;
    let reason = asked.reason.clone().unwrap_or_default();
    match name {
        "heartbeat" => step_answer(call, &molecules.steps().prolong(&proof, lease)?),
        "complete" => complete(call, molecules, asked),
        "fail" => {
            let mut steps = molecules.steps();
            step_answer(
                call,
                &steps.fail(&proof, &reason, asked.for_good, asked.output)?,
            )
        }
        "release" => {
            let reason = asked.reason.as_deref();
            step_answer(call, &molecules.steps().release(&proof, reason)?)
        }
        "hand_over" => {
            let body = asked.body.unwrap_or_default();
            let message = molecules.steps().hand_off(&proof, &body, lease, false)?;
            let text = format!(
                "handed {} over to your next session by {}",
                proof.step, message.id
            );
            Answer::shortened(&text, &message, &[], call.limit)
        }
        "approve" | "reject" => {
            let answer = match name {
                "approve" => GateAnswer::Approve {
                    inputs: typed(&asked.inputs).collect(),
                    comment: String::new(),
                },
                _ => GateAnswer::Reject(reason),
            };
            let mut steps = molecules.steps();
            step_answer(
                call,
                &steps.answer_gate(&proof.mol, &proof.step, None, &answer)?,
            )
        }
        _ => verify(call, molecules, &asked),
    }
}

/// Claims a step.
///
/// # Errors
/// Returns an error if no step is available.
pub(super) fn claim(call: &Call<'_>, molecules: &mut Molecules<'_>, asked: Arguments) -> Answered {
    let wanted = Claim {
        lease_ms: asked.lease_ms()?,
        mol: asked.mol,
        step: asked.step,
        machine: false,
    };
    let step = molecules.steps().claim(&wanted, false)?;
    let next = with_claim(call, &step);
    let text = format!("claimed {}", step_text(&step));
    let answer = Answer::shortened(&text, &step, &next, call.limit)?;
    Ok(with_pack(call, answer, &step))
}

fn with_claim(call: &Call<'_>, step: &StepReport) -> Vec<NextAction> {
    let Some(token) = &step.token else {
        return Vec::new();
    };
    let claim = [
        ("mol", step.mol_id.as_str()),
        ("step", step.step_id.as_str()),
        ("token", token.as_str()),
    ];
    vec![
        action(
            call,
            "molecule",
            "complete",
            &claim,
            "when it is done; give its result as `output`",
        ),
        action(
            call,
            "molecule",
            "heartbeat",
            &claim,
            "before the lease expires, if you still work on it",
        ),
    ]
}

/// Adds as much of the step's context pack as there's room for. A caller that has only tools
/// couldn't read it otherwise.
fn with_pack(call: &Call<'_>, mut answer: Answer, step: &StepReport) -> Answer {
    let name = step.pack.as_ref().and_then(|pack| pack.reference.clone());
    let Some(name) = name else {
        return answer;
    };
    // The rest of the limit is for the step itself.
    let half = match call.limit.unwrap_or(USUAL) {
        Limit::Chars(max) => Limit::Chars(max / 2),
        Limit::Tokens(max) => Limit::Tokens(max / 2),
    };
    let request = ShowPack {
        name,
        start: call.workspace.site().repo().root().to_owned(),
        view: PackView {
            format: Format::Markdown,
            limit: Some(half),
            profile: None,
        },
    };
    // The step is claimed, so it would be wrong to fail just because the pack can't be shown.
    if let Ok(shown) = call.workspace.packs().show(&request) {
        answer.note([shown.text], call.limit);
    }
    answer
}

fn step_answer(call: &Call<'_>, step: &StepReport) -> Answered {
    Answer::shortened(&step_done(step), step, &[], call.limit)
}

fn complete(call: &Call<'_>, molecules: &mut Molecules<'_>, asked: Arguments) -> Answered {
    let proof = asked.proof();
    let completion: Completion = if molecules.verifier().is_checked(&proof)? {
        let mut verifier = molecules.verifier();
        let work = verifier.complete(&proof, asked.output, asked.claim_next, false, &call.stop);
        call.wait(work)?
    } else {
        molecules
            .steps()
            .complete(&proof, &asked.output, asked.claim_next)?
    };
    let next = match (&completion.next, completion.ready.first()) {
        (Some(step), _) => with_claim(call, step),
        (None, Some(step)) => {
            let place = [
                ("mol", step.mol_id.as_str()),
                ("step", step.step_id.as_str()),
            ];
            vec![action(
                call,
                "molecule",
                "claim",
                &place,
                "claim the next step",
            )]
        }
        (None, None) => Vec::new(),
    };
    let mut answer = Answer::shortened(
        &completion_text(&completion),
        &completion,
        &next,
        call.limit,
    )?;
    answer.failed = !completion.completed;
    Ok(match &completion.next {
        Some(step) => with_pack(call, answer, step),
        None => answer,
    })
}

fn verify(call: &Call<'_>, molecules: &mut Molecules<'_>, asked: &Arguments) -> Answered {
    molecules.session().actor()?;
    let proof = asked.proof();
    let mut verifier = molecules.verifier();
    let work = verifier.step(&proof.mol, &proof.step, false, &call.stop);
    let found = call.wait(work)?;
    let mut answer = Answer::shortened(&verification_text(&found), &found, &[], call.limit)?;
    answer.failed = matches!(found.verdict, VerifyOutcome::Fail);
    Ok(answer)
}
