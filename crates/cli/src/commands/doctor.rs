use std::path::Path;

use windlass::{Health, doctor};
use windlass_render::health_text;

use super::{Failure, print_data};
use crate::args::{FormatArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    args: &FormatArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let findings = doctor(&workspace(root)?);
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => print_data(
            screen,
            args.format,
            &serde_json::json!({ "findings": findings }),
        )?,
        OutputFormat::Text => {
            let named = |help: &str| screen.with_root(help).into_owned();
            screen.print(&health_text(&findings, named));
        }
    }
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    Ok(if bad { Exit::Failed } else { Exit::Done })
}
