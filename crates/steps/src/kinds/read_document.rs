//! Reads vContext documents for the `doc` and `playbook` steps, and turns their items into
//! evidence.

use std::collections::BTreeSet;

use windlass_base::{
    Diagnostic, Diagnostics, Evidence, LineSpan, NextAction, RepoPath, Severity, Spot,
    did_you_mean, similar_hint,
};
use windlass_engine::{Caveat, StepError};
use windlass_repo::{Snapshot, SourceFile};
use windlass_vcontext::{CheckOptions, Document, Node, check};

use super::found_evidence::seen_now;

pub(crate) struct DocumentFile<'a> {
    pub(crate) document: Document,
    pub(crate) source: std::sync::Arc<SourceFile>,
    pub(crate) file: &'a RepoPath,
}

impl<'a> DocumentFile<'a> {
    /// Reads and parses the document in `file`, which is JSON or TRON. We redact secrets line by
    /// line before parsing, so that lines in the document are still the lines of the file.
    pub(crate) fn read(snapshot: &Snapshot, file: &'a RepoPath) -> Result<Self, StepError> {
        let cannot = |why: String| StepError::failed(format!("`{file}` cannot be read: {why}"));
        let source = snapshot
            .read(file)
            .map_err(|refusal| cannot(refusal.to_string()))?;
        if let Some(why) = source.why_no_text() {
            return Err(cannot(format!("it is {why}")));
        }
        let document = Document::parse(file.as_str(), &source.shown().bytes())
            .map_err(|found| unreadable(&found, &source))?;
        Ok(Self {
            document,
            source,
            file,
        })
    }

    /// Warns if the document is invalid, since we may have misread its items.
    pub(crate) fn invalid(&self) -> Option<Caveat> {
        let found = check(&self.document, &CheckOptions::default());
        let first = errors(&found).next()?;
        let more = match errors(&found).count() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let place = first.place.as_ref().map(ToString::to_string);
        let at = place.unwrap_or_else(|| self.file.to_string());
        let text = format!("invalid document: {at}: {}{more}", first.message);
        let help = format!("`windlass check {}` shows all errors", self.file);
        let call = NextAction::new("check", "see all errors of the document");
        Some(Caveat {
            help: Some(help),
            next_action: Some(call.positional(self.file.as_str())),
            ..Caveat::unproven(text)
        })
    }

    /// Captures the lines in `span`. If `node` is far to the right in a long line, the output needs
    /// to know where to look.
    pub(crate) fn evidence(&self, node: &Node<'_>, span: LineSpan) -> Evidence {
        let column = node.column();
        let is_far = column > ALWAYS_SHOWN && span.start() == node.lines().start();
        let spot = is_far.then(|| Spot {
            line: span.start(),
            column,
        });
        Evidence {
            spots: spot.into_iter().collect(),
            ..seen_now(&self.source, self.file, span)
        }
    }
}

/// The output always shows a line up to this column, in bytes. Anything further right needs a
/// [`Spot`].
const ALWAYS_SHOWN: u32 = 100;

fn errors(found: &Diagnostics) -> impl Iterator<Item = &Diagnostic> {
    found
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
}

fn unreadable(found: &Diagnostics, source: &SourceFile) -> StepError {
    let failed = |message: String| StepError::failed(message);
    let Some(first) = errors(found).next() else {
        return failed("the document cannot be read".to_owned());
    };
    let place = first.place.as_ref().map(ToString::to_string);
    let error = failed(format!("{}: {}", place.unwrap_or_default(), first.message));
    match (&first.help, source.shown().has_secrets()) {
        (_, true) => error.help("secret values in it were replaced; keep them out of the document"),
        (Some(help), false) => error.help(help.clone()),
        (None, false) => error,
    }
}

/// Warns about names in `wanted` that are not in `taken`. If a name is not in `all` either, it is
/// unknown, and we suggest a similar one.
pub(crate) fn missing<'a>(
    what: &str,
    wanted: &[String],
    taken: &BTreeSet<&str>,
    all: impl Iterator<Item = &'a str>,
) -> Option<Caveat> {
    let is_missing = |name: &&String| !taken.contains(name.as_str());
    let mut names = wanted.iter().filter(is_missing);
    let first = names.next()?;
    let all: BTreeSet<&str> = all.collect();
    let why = match all.contains(first.as_str()) {
        true => format!("the {what} `{first}` is excluded by the other filters"),
        false => {
            let near = similar_hint(did_you_mean(first, all.iter().copied()));
            format!("unknown {what} `{first}`{near}")
        }
    };
    let more = match names.count() {
        0 => String::new(),
        more => format!(", and {more} more are missing"),
    };
    Some(Caveat::unproven(format!("{why}{more}")))
}
