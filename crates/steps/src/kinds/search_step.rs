//! The `search` step finds lines that match a pattern.
//!
//! A user who finds nothing may conclude that there's nothing. So if we had to skip files that
//! might match (no permission, too large, UTF-16), an empty result is marked as unproven.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Evidence, LineSpan, Redacted, RepoPath, Spot, counted};
use windlass_engine::{Caveat, Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::{
    CaseMode, FileMatches, LineMatch, Refusal, SearchQuery, SearchResult, Snapshot, SourceFile,
    Withheld,
};

use super::built_in::BuiltIn;
use super::file_scope::{Scope, check_scope, scope_in_words, withheld_by_reason, withheld_note};
use super::found_evidence::{Found, seen_now};
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;

/// Searches for lines that match a pattern, like ripgrep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Regular expression in Rust syntax.
    #[schemars(length(min = 1))]
    pattern: String,
    /// Treat `pattern` as literal text.
    #[serde(default)]
    fixed: bool,
    /// Match whole words only.
    #[serde(default)]
    word: bool,
    /// Case sensitivity.
    #[serde(default)]
    case: CaseInput,
    /// Folders and files to search; empty means the whole repository.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// Globs in the syntax of `rg -g`: `*.rs`, `!target/**`.
    #[serde(default)]
    globs: Vec<String>,
    /// Include hidden files and folders, such as `.github`.
    #[serde(default)]
    hidden: bool,
    /// Number of surrounding lines that help to read a match.
    #[serde(default)]
    #[schemars(range(max = 20))]
    context: u32,
    /// Maximum number of matches returned; all are counted.
    #[serde(default = "default_max_matches")]
    #[schemars(range(min = 1, max = MAX_MATCHES))]
    max_matches: u32,
}

/// Case sensitivity.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CaseInput {
    /// Case-sensitive.
    #[default]
    Sensitive,
    /// Case-insensitive.
    Insensitive,
    /// Case-sensitive if the pattern has an upper-case letter.
    Smart,
}

impl CaseInput {
    fn mode(self) -> CaseMode {
        match self {
            Self::Sensitive => CaseMode::Sensitive,
            Self::Insensitive => CaseMode::Insensitive,
            Self::Smart => CaseMode::Smart,
        }
    }
}

fn default_max_matches() -> u32 {
    200
}

/// The largest `max_matches` that a runbook may ask for.
const MAX_MATCHES: u32 = 10_000;

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Matches, sorted by path and line. With `context`, overlapping ones are merged.
    matches: Vec<Found>,
    /// Files with a match, sorted.
    files: Vec<RepoPath>,
    /// Number of matching lines without the limit.
    total: u64,
    /// Number of searched files.
    files_searched: u32,
    /// True if the limit omitted some.
    truncated: bool,
}

pub(crate) const NAME: &str = "search";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "find lines that match a pattern";
    kind::<Input, Output>(NAME, summary, Some("matches"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    check_scope(input);
    let (Some(fixed), Some(word), Some(case)) = (
        input.parse_or_default("/fixed"),
        input.parse_or_default("/word"),
        input.parse_or_default::<CaseInput>("/case"),
    ) else {
        return;
    };
    let Some(pattern) = input.parse("/pattern") else {
        return;
    };
    let query = SearchQuery {
        pattern,
        fixed,
        word,
        case: case.mode(),
        ..SearchQuery::default()
    };
    if input.may_compile()
        && let Err(error) = query.check_pattern()
    {
        input.refuse_with_help(
            "/pattern",
            error.short(),
            "to find the text as it is written, add `fixed: true`",
        );
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let pattern = input.phrase("", "pattern");
    let what = match input.field("fixed") {
        Some(_) => "hold the text",
        None => "match the regular expression",
    };
    let whole = input.field("word").map_or("", |_| " as whole words");
    let files = scope_in_words(input);
    vec![format!(
        "searches {files} for lines that {what} {pattern}{whole}"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, cancel| {
        run(&services.snapshot, input, cancel)
    })
}

fn run(snapshot: &Snapshot, input: Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let (context, max_matches) = (input.context, input.max_matches);
    input
        .paths
        .iter()
        .try_for_each(|path| can_be_searched(snapshot, path))?;
    let names_files = input.globs.iter().any(|glob| names_files(glob));
    let result = snapshot
        .search(&query(input), cancel)
        .map_err(|error| StepError::failed(error.to_string()))?;
    let matches = result.files.iter().flat_map(|file| {
        let spans = joined(&file.lines, context).into_iter();
        spans.filter_map(|span| found(snapshot, file, span, context))
    });
    let output = Output {
        matches: matches.collect(),
        files: result.files.iter().map(|file| file.path.clone()).collect(),
        total: result.total_matches,
        files_searched: result.files_searched,
        truncated: result.truncated,
    };
    let mut output = StepOutput::of(&output)?;
    output.notes.extend(withheld_note(result.withheld));
    output.caveat = missing(&result, max_matches, names_files);
    if result.binary_files > 0 {
        output.notes.push(format!(
            "binary, so not searched: {}",
            counted(result.binary_files, "file")
        ));
    }
    Ok(output)
}

fn missing(result: &SearchResult, max_matches: u32, names_files: bool) -> Option<Caveat> {
    let unsearched = unsearched(result, names_files);
    if !result.truncated {
        return unsearched;
    }
    let more = match max_matches < MAX_MATCHES {
        true => "raise `max_matches`",
        // The limit can't be raised any further, so suggest a narrower query.
        false => "narrow the pattern, `paths` or `globs`",
    };
    let total = result.total_matches;
    let unsearched =
        unsearched.map_or(String::new(), |unsearched| format!("; {}", unsearched.text));
    Some(format!("only a part of the {total} lines that match; {more}{unsearched}").into())
}

/// Warns about files that couldn't be searched.
///
/// Secret files aren't mentioned here; a repository with a `.env` would otherwise get this warning
/// in every search. Binary files only count if a glob names files, as in `*.dat`, because otherwise
/// nobody expects to have them searched.
fn unsearched(result: &SearchResult, names_files: bool) -> Option<Caveat> {
    let binary = if names_files { result.binary_files } else { 0 };
    let withheld = Withheld {
        secret: 0,
        ..result.withheld
    };
    let binary_in_words = (binary > 0).then(|| format!("{binary} binary"));
    let why: Vec<String> = withheld_by_reason(withheld)
        .into_iter()
        .chain(binary_in_words)
        .collect();
    if why.is_empty() {
        return None;
    }
    let files = counted(withheld.total() + binary, "file");
    Some(Caveat {
        // If nothing was found, one of the unsearched files may still match.
        unproven: result.total_matches == 0,
        ..format!("{files} could not be searched: {}", why.join(", ")).into()
    })
}

fn names_files(glob: &str) -> bool {
    // For example, `*.dat` and `data/x` name files, but `data/**` only names their folder.
    let name = glob.rsplit('/').next().unwrap_or(glob);
    !glob.starts_with('!') && name.bytes().any(|b| b != b'*')
}

/// Fails if `path` itself is a file that can't be searched. In a folder, such files are just
/// skipped, but here the user has named it.
fn can_be_searched(snapshot: &Snapshot, path: &RepoPath) -> Result<(), StepError> {
    let why = match snapshot.read(path) {
        Ok(file) => match file.why_no_text() {
            Some(why) => format!("it is {why}"),
            None => return Ok(()),
        },
        Err(Refusal::Directory | Refusal::Missing) => return Ok(()),
        Err(refusal) => refusal.to_string(),
    };
    Err(StepError::failed(format!(
        "`{path}` cannot be searched: {why}"
    )))
}

fn query(input: Input) -> SearchQuery {
    SearchQuery {
        pattern: input.pattern,
        fixed: input.fixed,
        word: input.word,
        case: input.case.mode(),
        scope: Scope {
            paths: input.paths,
            globs: input.globs,
            hidden: input.hidden,
        }
        .query(None),
        max_matches: input.max_matches,
        ..SearchQuery::default()
    }
}

/// Returns the matching lines as spans. If the context of two matches overlaps or touches, they
/// become one span, so that no line appears twice.
fn joined(lines: &[LineMatch], context: u32) -> Vec<LineSpan> {
    let mut spans: Vec<LineSpan> = Vec::new();
    for LineMatch { line, .. } in lines {
        match spans.last_mut() {
            Some(last) if context > 0 && line - last.end() <= 2 * context + 1 => {
                *last = LineSpan::new(last.start(), *line).unwrap_or(*last);
            }
            _ => spans.push(LineSpan::single(*line)),
        }
    }
    spans
}

/// The output always shows a line up to this column, in bytes. A match further right needs a
/// [`Spot`], which tells the output where to look.
const ALWAYS_SHOWN: u32 = 100;
/// Maximum size of a line in the output, in bytes. We cut a longer line around the match; it's
/// usually minified code or data.
const MAX_TEXT: usize = 1_000;

fn found(snapshot: &Snapshot, file: &FileMatches, span: LineSpan, context: u32) -> Option<Found> {
    let source = snapshot.read(&file.path).ok()?;
    let matches = file.lines.iter().filter(|found| span.contains(found.line));
    let spots = matches
        .filter(|found| found.column > ALWAYS_SHOWN)
        .map(|found| Spot {
            line: found.line,
            column: found.column,
        });
    let evidence = Evidence {
        spots: spots.collect(),
        ..seen_now(&source, &file.path, span)
    };
    Some(Found {
        id: None,
        kind: None,
        label: String::new(),
        file: file.path.clone(),
        context,
        text: text(&source, span.start(), &evidence.spots),
        evidence: vec![evidence],
    })
}

fn text(source: &SourceFile, line: u32, spots: &[Spot]) -> Option<Redacted> {
    let text = source.shown().line(line)?;
    if text.as_str().len() <= MAX_TEXT {
        return Some(text);
    }
    let spot = spots.iter().find(|spot| spot.line == line);
    let at = spot.map_or(0, |spot| source.shown().len_before(line, spot.column));
    let start = at.saturating_sub(ALWAYS_SHOWN as usize);
    Some(text.piece(start..start + MAX_TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_missing_reported_with_help() {
        let told = |result: &SearchResult, max_matches| {
            missing(result, max_matches, false).map(|caveat| caveat.text)
        };
        let mut result = SearchResult {
            total_matches: 10_500,
            truncated: true,
            ..SearchResult::default()
        };
        let cut = "only a part of the 10500 lines that match; ";
        let raise = format!("{cut}raise `max_matches`");
        assert_eq!(told(&result, 200), Some(raise.clone()));
        let narrow = format!("{cut}narrow the pattern, `paths` or `globs`");
        assert_eq!(told(&result, MAX_MATCHES), Some(narrow));
        result.withheld.too_large = 1;
        let unsearched = "1 file could not be searched: 1 too large";
        assert_eq!(told(&result, 200), Some(format!("{raise}; {unsearched}")));
        result.truncated = false;
        assert_eq!(told(&result, 200), Some(unsearched.to_owned()));
        assert_eq!(told(&SearchResult::default(), 200), None);
    }

    #[test]
    fn search_overlapping_context_merged() {
        let lines: Vec<LineMatch> = [3, 5, 9, 20]
            .map(|line| LineMatch { line, column: 1 })
            .into();
        let shown = |context| {
            joined(&lines, context)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(shown(0), "3 5 9 20");
        assert_eq!(shown(1), "3-5 9 20");
        assert_eq!(shown(2), "3-9 20");
        assert_eq!(shown(5), "3-20");
    }
}
