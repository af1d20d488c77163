use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{LineSpan, RepoPath};
use windlass_engine::{Call, Step, StepError, StepFuture, StepOutput};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::{Encoding, Snapshot, SourceFile};

use crate::Services;
use crate::found::{Found, seen_now};
use crate::heading::{headings, section_of};
use crate::spec::{READS_FILES, kind};

/// Reads a part of a file: lines, the section under a heading, or all of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The file.
    file: RepoPath,
    /// Lines: `7` or `7-12`.
    #[serde(default)]
    lines: Option<String>,
    /// The Markdown heading whose section is meant, without the `#`.
    #[serde(default)]
    heading: Option<String>,
    /// What to call it.
    #[serde(default)]
    label: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// What was read: one place.
    items: Vec<Found>,
    /// The file.
    file: RepoPath,
    /// How many lines the file has.
    line_count: u32,
}

pub(crate) const NAME: &str = "read";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "read lines of a file, or the section under a Markdown heading";
    kind::<Input, Output>(NAME, summary, Some("items"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

const BOTH: &str = "give `lines` or `heading`, not both";

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<RepoPath>("/file");
    if let Some(lines) = input.parse::<String>("/lines")
        && let Err(error) = lines.parse::<LineSpan>()
    {
        input.refuse("/lines", error);
    }
    let given = |at| input.literal(at).is_some_and(|value| !value.is_null());
    if given("/lines") && given("/heading") {
        input.refuse("/heading", BOTH);
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let file = input.phrase("", "file");
    let part = match (input.field("lines"), input.field("heading")) {
        (Some(lines), _) => format!("lines {lines} of "),
        (None, Some(heading)) => format!("the section under the heading {heading} of "),
        (None, None) => String::new(),
    };
    vec![format!("reads {part}{file}")]
}

pub(crate) struct Read {
    snapshot: Snapshot,
}

impl Read {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            snapshot: services.snapshot.clone(),
        }
    }
}

impl Step for Read {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> &KindSpec {
        &SPEC
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            let snapshot = self.snapshot.clone();
            call.blocking(move || read(&snapshot, input)).await
        })
    }
}

fn read(snapshot: &Snapshot, input: Input) -> Result<StepOutput, StepError> {
    let file = input.file;
    let source = snapshot
        .read(&file)
        .map_err(|refusal| StepError::failed(format!("`{file}` cannot be read: {refusal}")))?;
    if source.is_binary() {
        return Err(StepError::failed(format!(
            "`{file}` cannot be read: it is binary"
        )));
    }
    let span = match (&input.lines, &input.heading) {
        (Some(_), Some(_)) => {
            return Err(StepError::invalid(BOTH));
        }
        (Some(lines), None) => within(&source, &file, lines.parse().map_err(StepError::invalid)?)?,
        (None, Some(heading)) => under_heading(&source, &file, heading)?,
        (None, None) => LineSpan::new(1, source.line_count())
            .map_err(|_| StepError::failed(format!("`{file}` is empty")))?,
    };
    let label = input.label.or(input.heading).unwrap_or_default();
    let found = Found {
        id: None,
        kind: None,
        label,
        file: file.clone(),
        context: 0,
        evidence: vec![seen_now(&source, &file, span)],
        text: None,
    };
    let mut output = StepOutput::of(&Output {
        items: vec![found],
        line_count: source.line_count(),
        file: file.clone(),
    })?;
    if source.encoding() == Encoding::Other {
        output.notes.push(format!(
            "`{file}` is not UTF-8; what is not is shown as U+FFFD"
        ));
    }
    Ok(output)
}

fn within(source: &SourceFile, file: &RepoPath, span: LineSpan) -> Result<LineSpan, StepError> {
    if span.end() <= source.line_count() {
        return Ok(span);
    }
    Err(StepError::failed(format!(
        "`{file}` has {} lines, so lines {span} are not in it",
        source.line_count()
    )))
}

fn under_heading(
    source: &SourceFile,
    file: &RepoPath,
    wanted: &str,
) -> Result<LineSpan, StepError> {
    let headings = headings(source);
    section_of(&headings, source.line_count(), wanted).map_err(|problem| {
        StepError::failed(format!("`{file}`: {problem}"))
            .help("`heading` is the text of a Markdown heading without the `#`; give `lines` for other files")
    })
}
