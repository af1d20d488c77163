//! Forks documents (`doc fork`).

use windlass::ForkRequest;
use windlass::packs::harmless_line;

use super::{DocContext, Ended};
use crate::args::DocForkArgs;
use crate::exit::Exit;
use crate::outside::here;

pub(super) fn run(at: &DocContext<'_>, args: DocForkArgs) -> Ended {
    let request = ForkRequest {
        out: args.out,
        base: args.write_base,
        reason: args.reason,
        actor: at.actor.map(str::to_owned),
    };
    let forked = at
        .workspace
        .documents()
        .fork_vcontext(&args.file, &here(), &request)?;
    at.screen.say(&harmless_line(&format!(
        "wrote `{}`, a fork of `{}` at sequence {}",
        request.out, args.file, forked.parent_sequence
    )));
    let base = request.base.as_deref().unwrap_or("BASE");
    at.screen.say(&harmless_line(&format!(
        "merge it back: `windlass doc merge {base} {} {} --out {}`",
        args.file, request.out, args.file
    )));
    Ok(Exit::Done)
}
