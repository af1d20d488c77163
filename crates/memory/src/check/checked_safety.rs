//! Finds text that should not be in a shared repository. A finding tells the location and the rule,
//! but never repeats a secret.

use std::sync::Arc;

use windlass_base::{Diagnostic, Place, Source};
use windlass_redact::redact_text;

use crate::state::memory::Memory;
use crate::state::memory_files::Contents;
use crate::unshared::TRANSCRIPT;
use crate::unshared::conversation::conversation;
use crate::unshared::sorts::SORTS;

/// Maximum number of findings per rule and file, since a pasted log could break a rule on every
/// line.
const MAX_PER_RULE: usize = 20;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for contents in memory.files.files.values() {
        if let Contents::Text(source) = contents {
            secrets(source, found);
            sorts(source, found);
            said(source, found);
        }
    }
}

fn secrets(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    let (_, secrets) = redact_text(source.text());
    for secret in secrets.iter().take(MAX_PER_RULE) {
        let range = source.line_range(secret.line as usize);
        let message = format!("a secret value (`{}`) begins on this line", secret.rule);
        found.push(Diagnostic::error("secret", message).at(Place::new(source, range.start..range.start)).help(
            "remove it, and revoke the secret: once committed, it stays in the history of the repository",
        ));
    }
}

fn sorts(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    for sort in &SORTS {
        for hit in sort.hits(source.text()).take(MAX_PER_RULE) {
            let lead = hit.as_str().len() - hit.as_str().trim_start().len();
            let start = hit.start() + lead;
            // A finding quotes the text at its location, for which a single line is enough.
            let line = hit.as_str()[lead..].lines().next().unwrap_or_default();
            let end = start + line.trim_end().len();
            found.push(
                Diagnostic::warning(sort.rule, sort.what)
                    .at(Place::new(source, start..end))
                    .help(sort.help),
            );
        }
    }
}

/// Reports a conversation where the first speaker begins.
fn said(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    let start = conversation(source.text()).map(|start| {
        Diagnostic::warning(TRANSCRIPT, "this looks like the beginning of a conversation")
            .at(Place::new(source, start))
            .help("keep the outcome in your own words; put transcripts into `memory/transcripts/`, which is not shared")
    });
    found.extend(start);
}
