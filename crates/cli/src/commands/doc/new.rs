//! Creates documents (`doc new`).

use windlass::packs::harmless_line;
use windlass::vcontext::{Container, Encoding, Version};

use super::convert::print_document;
use super::{DocContext, Ended, Failure};
use crate::args::{DocNewArgs, DocSort};
use crate::exit::Exit;
use crate::outside::here;

pub(super) fn run(at: &DocContext<'_>, args: &DocNewArgs) -> Ended {
    if args.title.trim().is_empty() {
        return Err(Failure::Usage(
            "empty title: give `--title TITLE`".to_owned(),
        ));
    }
    let container = match args.sort {
        DocSort::Todo => Container::TodoList,
        DocSort::Plan => Container::Plan,
        DocSort::Playbook => Container::Playbook,
    };
    let is_tron = args
        .out
        .as_deref()
        .is_some_and(|out| out.ends_with(".tron"));
    let encoding = match is_tron {
        true => Encoding::Tron,
        false => Encoding::Json,
    };
    let version = Version::named(&args.spec).unwrap_or_else(|| Version::first());
    let text = at
        .workspace
        .documents()
        .new_vcontext(version, container, &args.title, encoding)?;
    match &args.out {
        Some(out) => {
            at.workspace
                .documents()
                .begin_document(out, &here(), &text)?;
            at.screen.say(&format!("wrote `{}`", harmless_line(out)));
        }
        None => print_document(at.screen, &text),
    }
    Ok(Exit::Done)
}
