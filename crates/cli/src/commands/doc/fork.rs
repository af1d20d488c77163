//! `doc fork`.

use windlass::packs::harmless_line;
use windlass::{ForkRequest, Workspace};

use super::Failure;
use crate::args::DocForkArgs;
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

pub(super) fn run(
    workspace: &Workspace,
    actor: Option<&str>,
    args: DocForkArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let request = ForkRequest {
        out: args.out,
        base: args.base,
        reason: args.reason,
        actor: actor.map(str::to_owned),
    };
    let forked = workspace
        .documents()
        .fork_vcontext(&args.file, &here(), &request)?;
    screen.say(&harmless_line(&format!(
        "wrote `{}`, a fork of `{}` at sequence {}",
        request.out, args.file, forked.parent_sequence
    )));
    let base = request.base.as_deref().unwrap_or("BASE");
    screen.say(&harmless_line(&format!(
        "merge it back: `windlass doc merge {base} {} {} --out {}`",
        args.file, request.out, args.file
    )));
    Ok(Exit::Done)
}
