use std::path::Path;

use windlass::{Health, doctor};

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
            let mut text = String::new();
            for finding in &findings {
                let health = match finding.health {
                    Health::Good => "good",
                    Health::Fair => "fair",
                    Health::Bad => "bad ",
                };
                text.push_str(&format!("{health}  {}: {}\n", finding.what, finding.found));
                if let Some(help) = &finding.help {
                    text.push_str(&format!("      {}\n", screen.with_root(help)));
                }
            }
            screen.print(&text);
        }
    }
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    Ok(if bad { Exit::Failed } else { Exit::Done })
}
