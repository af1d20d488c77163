//! Replaces secret values in standard input (`windlass redact`).

use std::io::Read as _;
use std::path::Path;

use serde_json::json;
use windlass::redact::Finding;
use windlass::repo::SourceFile;

use super::{Ended, Failure};
use crate::args::{OutputFormat, RedactArgs};
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

/// Maximum number of bytes to read. A secret may span any distance, so we have to scan the text as
/// a whole.
const MAX_BYTES: u64 = 256 << 20;

pub(crate) fn run(root: Option<&Path>, args: &RedactArgs, screen: &Screen) -> Ended {
    // Opening the workspace loads the redaction rules of the current repository.
    workspace(root)?;
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes);
    read.map_err(|error| Failure::Usage(format!("cannot read standard input: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(Failure::Usage(format!(
            "standard input has more than {most} MiB, so nothing was printed: split it"
        )));
    }
    let text = SourceFile::from_bytes(bytes);
    // Don't pass on anything that the rules can't scan.
    if let Some(why) = text.why_no_text() {
        return Err(Failure::Usage(format!(
            "standard input is {why}, so nothing was printed"
        )));
    }
    let found = text.shown().findings();
    if !args.check {
        screen.print_bytes(&text.shown().bytes());
    }
    tell(&found, args.format, screen);
    let is_bad = args.check && !found.is_empty();
    Ok(Exit::done_if(!is_bad))
}

/// Prints the findings to standard error, so that they do not end up in the text.
fn tell(found: &[Finding], format: OutputFormat, screen: &Screen) {
    if format != OutputFormat::Text {
        screen.complain(&json!({ "findings": found }).to_string());
        return;
    }
    let line = |one: &Finding| format!("line {}: {}", one.line, one.rule);
    screen.say_lines(&found.iter().map(line).collect::<Vec<_>>());
}
