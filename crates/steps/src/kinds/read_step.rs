//! The `read` step reads a part of a file: lines, a section, the definition of a symbol, or all of
//! it.

mod markdown_section;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, LineSpan, RepoPath, counted};
use windlass_engine::{Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::{Snapshot, SourceFile};

use self::markdown_section::section_of;
use super::built_in::BuiltIn;
use super::found_evidence::{Found, seen_now};
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;
use windlass_evidence::{NamedSymbol, span_of, symbol_named, symbols_named};
use windlass_outline::introduction;

/// Reads a part of a file: lines, a section, the definition of a symbol, or the whole file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The file.
    file: RepoPath,
    /// Lines: `7` or `7-12`. Lines beyond the end of the file are omitted, with a warning.
    #[serde(default)]
    lines: Option<String>,
    /// Markdown heading of the section, without the `#`.
    #[serde(default)]
    heading: Option<String>,
    /// Symbol whose definition is read, such as a function, type, constant or heading: `name`, or qualified as
    /// `Type::method`, `Class.method`, `Heading > Heading`.
    #[serde(default)]
    symbol: Option<String>,
    /// Read the first prose of a Markdown document: paragraphs and lists up to the next heading, at most 12 lines, without
    /// badges, pictures, link bars and code.
    #[serde(default)]
    introduction: bool,
    /// Read all symbols of an ambiguous name.
    #[serde(default)]
    all: bool,
    /// Title.
    #[serde(default)]
    label: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Parts read: one, or one for each symbol or block of the introduction.
    items: Vec<Found>,
    /// The file.
    file: RepoPath,
    /// Number of lines in the file.
    line_count: u32,
}

pub(crate) const NAME: &str = "read";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary =
        "read lines of a file, the definition of a symbol, or the section under a Markdown heading";
    kind::<Input, Output>(NAME, summary, Some("items"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

const ONE_OF: &str = "give one of `lines`, `heading`, `symbol` and `introduction`";
const ALL_OF_WHAT: &str = "`all` requires `symbol`";

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<RepoPath>("/file");
    if let Some(lines) = input.parse::<String>("/lines")
        && let Err(error) = lines.parse::<LineSpan>()
    {
        input.refuse("/lines", error);
    }
    let given = |at: &&str| {
        // `introduction: false` is the same as leaving it out.
        let value = input.literal(at);
        value.is_some_and(|value| !value.is_null() && value.as_bool() != Some(false))
    };
    let parts: Vec<&str> = ["/lines", "/heading", "/symbol", "/introduction"]
        .into_iter()
        .filter(given)
        .collect();
    if let [_, second, ..] = parts[..] {
        input.refuse(second, ONE_OF);
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let file = input.phrase("", "file");
    let part = if let Some(lines) = input.field("lines") {
        format!("lines {lines} of ")
    } else if let Some(heading) = input.field("heading") {
        format!("the section under the heading {heading} of ")
    } else if let Some(symbol) = input.field("symbol") {
        format!("what defines {symbol} in ")
    } else if input.field("introduction").is_some() {
        "the introduction of ".to_owned()
    } else {
        String::new()
    };
    vec![format!("reads {part}{file}")]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, cancel| {
        read(&services.snapshot, &input, cancel)
    })
}

fn read(snapshot: &Snapshot, input: &Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let file = &input.file;
    let source = snapshot
        .read(file)
        .map_err(|refusal| StepError::failed(format!("`{file}` cannot be read: {refusal}")))?;
    if let Some(why) = source.why_no_text() {
        return Err(StepError::failed(format!(
            "`{file}` cannot be read: it is {why}"
        )));
    }
    let places = places(&source, file, input, cancel)?;
    let asked = input.lines.as_ref().and_then(|lines| lines.parse().ok());
    let caveat = asked.and_then(|asked: LineSpan| beyond_the_end(&source, file, asked));
    let items = places.into_iter().map(|place| Found {
        id: None,
        kind: place.kind.map(str::to_owned),
        label: input.label.clone().unwrap_or(place.label),
        file: file.clone(),
        context: 0,
        evidence: vec![seen_now(&source, file, place.span)],
        text: None,
    });
    let items = items.collect();
    let mut output = StepOutput::of(&Output {
        items,
        line_count: source.line_count(),
        file: file.clone(),
    })?;
    output.caveat = caveat.map(Into::into);
    Ok(output)
}

/// The part of a file selected by a `read` step.
#[derive(Debug)]
pub struct FilePart(Input);

impl FilePart {
    pub(crate) fn of(with: &Value) -> Option<Self> {
        Input::deserialize(with).ok().map(Self)
    }

    /// Returns the path of the file, relative to the root of the repository.
    #[must_use]
    pub fn file(&self) -> &RepoPath {
        &self.0.file
    }

    /// Returns true if the step selects the part by line numbers. If the file changes, the same
    /// numbers may then stand for other text, unlike a heading or a symbol.
    #[must_use]
    pub fn names_lines(&self) -> bool {
        self.0.lines.is_some()
    }

    /// Finds the part in `source`, which may be any state of the file. With `all` or
    /// `introduction`, there may be several ranges.
    ///
    /// # Errors
    /// Returns a message if `source` doesn't have this part.
    pub fn lines_in(&self, source: &SourceFile) -> Result<Vec<LineSpan>, String> {
        if let Some(why) = source.why_no_text() {
            return Err(format!("`{}` is {why}", self.file()));
        }
        let parts = places(source, &self.0.file, &self.0, &Cancel::default());
        let parts = parts.map_err(|error| error.message)?;
        Ok(parts.into_iter().map(|part| part.span).collect())
    }
}

struct Part {
    span: LineSpan,
    label: String,
    kind: Option<&'static str>,
}

impl From<NamedSymbol> for Part {
    fn from(symbol: NamedSymbol) -> Self {
        Self {
            span: symbol.span,
            label: symbol.path,
            kind: Some(symbol.kind),
        }
    }
}

fn places(
    source: &SourceFile,
    file: &RepoPath,
    input: &Input,
    cancel: &Cancel,
) -> Result<Vec<Part>, StepError> {
    let part = |span, label: &str| Part {
        span,
        label: label.to_owned(),
        kind: None,
    };
    if input.all && input.symbol.is_none() {
        return Err(StepError::invalid(ALL_OF_WHAT));
    }
    match (&input.lines, &input.heading, &input.symbol) {
        (None, None, None) if input.introduction => {
            let text = source.shown().bytes();
            let blocks = introduction(&String::from_utf8_lossy(&text));
            let spans = blocks.into_iter().filter_map(span_of);
            Ok(spans.map(|span| part(span, "")).collect())
        }
        // The check before the run can't see which fields references will fill, so more than one
        // may be set after all.
        _ if input.introduction => Err(StepError::invalid(ONE_OF)),
        (Some(lines), None, None) => {
            let span = lines.parse().map_err(StepError::invalid)?;
            Ok(vec![part(within(source, file, span)?, "")])
        }
        (None, Some(heading), None) => {
            Ok(vec![part(under_heading(source, file, heading)?, heading)])
        }
        (None, None, Some(symbol)) => of_symbol(source, file, (symbol, input.all), cancel),
        (None, None, None) => {
            let span = LineSpan::new(1, source.line_count())
                .map_err(|_| StepError::failed(format!("`{file}` is empty")))?;
            Ok(vec![part(span, "")])
        }
        _ => Err(StepError::invalid(ONE_OF)),
    }
}

fn of_symbol(
    source: &SourceFile,
    file: &RepoPath,
    (symbol, all): (&str, bool),
    cancel: &Cancel,
) -> Result<Vec<Part>, StepError> {
    if all {
        let found = symbols_named(source, file, symbol, cancel)
            .map_err(|error| StepError::failed(error.to_string()))?;
        return Ok(found.into_iter().map(Part::from).collect());
    }
    match symbol_named(source, file, symbol, cancel) {
        Ok(found) => Ok(vec![found.into()]),
        Err(error) => {
            let several = matches!(error, windlass_evidence::SymbolError::Several { .. });
            let failed = StepError::failed(error.to_string());
            Err(if several {
                failed.help("qualify the name, as `Type::method`, or say `all: true`")
            } else {
                failed
            })
        }
    }
}

fn beyond_the_end(source: &SourceFile, file: &RepoPath, asked: LineSpan) -> Option<String> {
    let lines = source.line_count();
    (asked.end() > lines).then(|| {
        let count = counted(lines, "line");
        format!("`{file}` has {count}, so lines {asked} end there")
    })
}

/// Cuts `span` off at the end of the file. This fails if all of it is beyond the end.
fn within(source: &SourceFile, file: &RepoPath, span: LineSpan) -> Result<LineSpan, StepError> {
    if let Ok(within) = LineSpan::new(span.start(), span.end().min(source.line_count())) {
        return Ok(within);
    }
    Err(StepError::failed(format!(
        "`{file}` has {}, so lines {span} are not in it",
        counted(source.line_count(), "line")
    )))
}

fn under_heading(
    source: &SourceFile,
    file: &RepoPath,
    wanted: &str,
) -> Result<LineSpan, StepError> {
    section_of(source, wanted).map_err(|problem| {
        StepError::failed(format!("`{file}`: {problem}"))
            .help("`heading` is the text of a Markdown heading without the `#`; give `lines` for other files")
    })
}
