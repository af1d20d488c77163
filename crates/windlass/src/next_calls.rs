use windlass_base::NextAction;
use windlass_pack::{Pack, next_actions};
use windlass_repo::Snapshot;
use windlass_steps::{SharedNotebook, first_anchors};

/// What to do next after a run of which `pack` is: what its state calls for, and at last, where no anchor is saved at
/// all, the call that saves the first. `call` is what the runbook can be run by, and its inputs, as `NAME=VALUE`.
pub(crate) fn next_calls(
    pack: &Pack,
    call: Option<(&str, &[String])>,
    notebook: &SharedNotebook,
    snapshot: &Snapshot,
) -> Vec<NextAction> {
    let mut calls = next_actions(pack, call);
    // A step that looked for anchors has said so already.
    let first = first_anchors(notebook, snapshot).filter(|first| !calls.contains(first));
    calls.extend(first);
    calls
}
