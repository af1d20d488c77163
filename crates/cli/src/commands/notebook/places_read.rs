//! Suggests places that a session has read, so that the user can save them before they are
//! forgotten (`notebook suggest --read`).

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass::Workspace;
use windlass::packs::{Measure, harmless_line};
use windlass::repo::read_foreign;

use super::{Ended, Failure, limit};
use crate::args::ListPageArgs;
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

/// Maximum size of a transcript, in bytes. A larger one is an error.
const MAX_TRANSCRIPT: u64 = 128 << 20;
/// Maximum size of the message that a client sends to its hook, in bytes.
const MAX_MESSAGE: u64 = 1 << 20;

const MAX_PLACES: usize = 12;

pub(super) fn run(
    workspace: &Workspace,
    given: &Path,
    page: &ListPageArgs,
    screen: &Screen,
) -> Ended {
    let file = match given.as_os_str() == "-" {
        true => transcript_from_hook()?,
        false => here().join(given),
    };
    let unread = |why: &dyn std::fmt::Display| {
        Failure::Usage(format!(
            "cannot read the transcript `{}`: {why}",
            file.display()
        ))
    };
    let bytes = read_foreign(&file, MAX_TRANSCRIPT).map_err(|refusal| unread(&refusal))?;
    let places = workspace
        .notebook()
        .suggestions()
        .places_read(&String::from_utf8_lossy(&bytes), MAX_PLACES)?;
    if places.is_empty() {
        return Ok(Exit::Done);
    }
    let mut text = String::from(
        "Places that this session read and no anchor covers. Save those that were hard to find, with a label for what each proves:\n",
    );
    let limit = limit(&page.budget);
    for place in places {
        let save = place.save();
        let line = format!("  {}  # {}\n", save.written_out(), save.reason);
        let fits = limit
            .is_none_or(|limit| Measure::of(limit).weigh(&format!("{text}{line}")) <= limit.max());
        // Stop here instead of cutting a command in the middle.
        if !fits {
            break;
        }
        text.push_str(&harmless_line(line.trim_end()));
        text.push('\n');
    }
    screen.print(&text);
    Ok(Exit::Done)
}

/// The transcript that a client names in the message to its hook, on standard input.
fn transcript_from_hook() -> Result<PathBuf, Failure> {
    let mut message = Vec::new();
    let read = std::io::stdin().take(MAX_MESSAGE).read_to_end(&mut message);
    read.map_err(|error| Failure::Usage(format!("cannot read standard input: {error}")))?;
    let message: Option<Value> = serde_json::from_slice(&message).ok();
    let file = message
        .as_ref()
        .and_then(|message| message["transcript_path"].as_str());
    let wrong = || {
        Failure::Usage(
            "no `transcript_path` in standard input: expected the JSON that a client sends to its hooks"
                .to_owned(),
        )
    };
    file.map(PathBuf::from).ok_or_else(wrong)
}
