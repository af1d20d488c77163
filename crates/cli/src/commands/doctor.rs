use std::path::Path;

use windlass::{Health, doctor};
use windlass_mcp::client_health;
use windlass_render::health_text;

use super::{Ended, print_result};
use crate::args::FormatArgs;
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &FormatArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let program = std::env::current_exe().ok();
    let mut findings = doctor(&workspace, program.as_deref());
    findings.extend(client_health(&workspace));
    let data = serde_json::json!({ "findings": findings });
    print_result(screen, args.format, &data, || {
        health_text(&findings, |help| screen.with_root(help).into_owned())
    })?;
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    Ok(Exit::done_if(!bad))
}
