//! The `outline` step lists the definitions in source files.
//!
//! Files are outlined in parallel, but the result only depends on their order. If some file can't
//! be outlined (a syntax error, an unreadable file), the step still succeeds and says so. An empty
//! result is then marked as unproven, since the missing symbol might be in that file.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, LineSpan, RepoPath, counted, in_parallel};
use windlass_engine::{Caveat, ErrorKind, Step, StepError, StepOutput};
use windlass_outline::{Language, Symbol, SymbolKind, Visibility};
use windlass_plan::{InputWords, KindSpec, WrittenInput};
use windlass_repo::{Refusal, Snapshot, SourceFile, Withheld};

use super::built_in::BuiltIn;
use super::file_scope::{Scope, check_scope, scope_in_words, withheld_by_reason, withheld_note};
use super::found_evidence::{Found, seen_now};
use super::kind_spec::{READS_FILES, kind};
use crate::services::Services;
use windlass_evidence::{outline_of, span_of};

/// Lists definitions in source files: functions, types, constants; headings in Markdown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Folders and files to search; empty means the whole repository.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// Globs in the syntax of `rg -g`: `*.rs`, `!target/**`.
    #[serde(default)]
    globs: Vec<String>,
    /// Include hidden files and folders, such as `.github`.
    #[serde(default)]
    hidden: bool,
    /// Symbol kinds; empty means all.
    #[serde(default)]
    kinds: Vec<SymbolKind>,
    /// Regular expression in Rust syntax for the name or the qualified name.
    #[serde(default)]
    names: Option<String>,
    /// Maximum nesting depth: 1 for top-level symbols, 2 for methods as well.
    #[serde(default)]
    #[schemars(range(min = 1))]
    depth: Option<u32>,
    /// Declared visibilities; empty means all. If given, symbols without a declared visibility are excluded.
    #[serde(default)]
    visibility: Vec<Visibility>,
    /// Part of each symbol to use as evidence.
    #[serde(default)]
    show: ShowInput,
    /// Maximum number of symbols returned; all are counted.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: u32,
}

fn default_limit() -> u32 {
    1_000
}

/// Part of a symbol to use as evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ShowInput {
    /// Declaration without the body.
    #[default]
    Signature,
    /// Whole definition, with its comments and attributes.
    Definition,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Symbols, sorted by path and line.
    symbols: Vec<FoundSymbol>,
    /// Files with a symbol, sorted.
    files: Vec<RepoPath>,
    /// Number of symbols without the limit.
    total: u64,
    /// Number of outlined files.
    files_outlined: u32,
    /// True if the limit omitted some.
    truncated: bool,
}

/// Symbol: `label` is its qualified name, `text` the first line of its signature.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundSymbol {
    #[serde(flatten)]
    found: Found,
    /// Further facts for other steps.
    symbol: SymbolFacts,
}

/// Facts about a symbol in addition to its location.
#[derive(Debug, Serialize, JsonSchema)]
struct SymbolFacts {
    /// Unqualified name.
    name: String,
    /// Line of the name.
    name_line: u32,
    /// Lines of the whole definition.
    definition: LineSpan,
    /// Number of enclosing symbols.
    depth: u32,
    /// Visibility, if the language declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
}

pub(crate) const NAME: &str = "outline";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "list the functions, types, constants and headings that files define";
    kind::<Input, Output>(NAME, summary, Some("symbols"), READS_FILES)
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    check_scope(input);
    if let Some(names) = input.parse::<String>("/names")
        && let Err(error) = pattern(&names)
    {
        input.refuse("/names", error);
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let files = scope_in_words(input);
    let kinds = input.phrase(" of the kinds ", "kinds");
    let names = input.phrase(" with names that match ", "names");
    vec![format!(
        "outlines {files}, for what they define{kinds}{names}"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::reading(services, NAME, &SPEC, |services, input, cancel| {
        run(&services.snapshot, input, cancel)
    })
}

struct Wanted {
    kinds: Vec<SymbolKind>,
    names: Option<Regex>,
    depth: Option<u32>,
    visibility: Vec<Visibility>,
    show: ShowInput,
    limit: usize,
}

impl Wanted {
    fn includes(&self, symbol: &Symbol) -> bool {
        let visible = |visibility| self.visibility.contains(&visibility);
        (self.kinds.is_empty() || self.kinds.contains(&symbol.kind))
            && self.depth.is_none_or(|depth| symbol.depth < depth)
            && (self.visibility.is_empty() || symbol.visibility.is_some_and(visible))
            && self
                .names
                .as_ref()
                .is_none_or(|names| names.is_match(&symbol.name) || names.is_match(&symbol.path))
    }
}

/// Maximum size of the compiled `names` pattern, in bytes. A pattern such as `(\w{1000}){1000}`
/// would otherwise take any amount of memory.
const MAX_PATTERN: usize = 256 << 10;

fn pattern(names: &str) -> Result<Regex, String> {
    let pattern = RegexBuilder::new(names).size_limit(MAX_PATTERN).build();
    pattern.map_err(|error| {
        // The last line of the error is enough, because the ones above repeat the pattern.
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        let why = last.strip_prefix("error: ").unwrap_or(last);
        format!("`{names}` is not a regular expression: {why}")
    })
}

fn run(snapshot: &Snapshot, input: Input, cancel: &Cancel) -> Result<StepOutput, StepError> {
    let names = input.names.as_deref().map(pattern).transpose();
    let wanted = Wanted {
        kinds: input.kinds,
        names: names.map_err(|error| StepError::invalid(format!("`names`: {error}")))?,
        depth: input.depth,
        visibility: input.visibility,
        show: input.show,
        limit: input.limit as usize,
    };
    let query = Scope {
        paths: input.paths,
        globs: input.globs,
        hidden: input.hidden,
    }
    .query(None);
    let listing = snapshot
        .list(&query, cancel)
        .map_err(|error| StepError::failed(error.to_string()))?;
    let files: Vec<(&RepoPath, Language)> = listing
        .files
        .iter()
        .filter_map(|file| Some((file, Language::of_path(file.as_str())?)))
        .collect();

    let mut summary = Summary::new(wanted.limit);
    for batch in files.chunks(BATCH) {
        for (file, outlined) in outline_all(snapshot, batch, &wanted, cancel)? {
            summary.add(file, outlined);
        }
    }
    if files.is_empty() && !listing.files.is_empty() {
        summary.notes.push(format!(
            "of {}, none is in a language that can be outlined: {}",
            counted(listing.files.len(), "file"),
            languages()
        ));
    }
    summary.unseen = withheld_by_reason(Withheld {
        unreadable: listing.withheld.unreadable,
        ..Withheld::default()
    });
    summary.notes.extend(withheld_note(listing.withheld));
    summary.output()
}

fn languages() -> String {
    let mut names: Vec<String> = Language::ALL.iter().map(ToString::to_string).collect();
    names.dedup();
    names.join(", ")
}

enum Outlined {
    /// The symbols up to the limit, the number of all symbols that match, and a note if the outline
    /// is incomplete.
    Symbols(Vec<FoundSymbol>, usize, Option<String>),
    /// Reason why the file can't be outlined.
    Not(String),
    /// Like `Not`, but for a secret file. We'd rather not call an empty result unproven just
    /// because the repository has a `.env`.
    Secret(String),
}

/// Number of files to outline before cutting the results to the limit. Each file may contribute up
/// to `limit` symbols, so this is what limits the memory.
const BATCH: usize = 512;

/// Number of files that a thread takes at a time. Files differ a lot in size, so larger pieces
/// would leave threads without work at the end.
const PIECE: usize = 4;

/// Outlines `files` in parallel. The results are in the order of `files`, regardless of the number
/// of threads.
fn outline_all<'a>(
    snapshot: &Snapshot,
    files: &[(&'a RepoPath, Language)],
    wanted: &Wanted,
    cancel: &Cancel,
) -> Result<Vec<(&'a RepoPath, Outlined)>, StepError> {
    let outline = |(file, language): &(&'a RepoPath, Language)| {
        if cancel.is_cancelled() {
            let message = "stopped before all files were outlined";
            return Err(StepError::new(ErrorKind::Cancelled, message));
        }
        Ok((
            *file,
            outline_file(snapshot, file, *language, wanted, cancel),
        ))
    };
    let outlined = in_parallel(files, snapshot.repo().threads(), PIECE, |piece| {
        piece.iter().map(outline).collect::<Vec<_>>()
    });
    outlined.into_iter().flatten().collect()
}

fn outline_file(
    snapshot: &Snapshot,
    file: &RepoPath,
    language: Language,
    wanted: &Wanted,
    cancel: &Cancel,
) -> Outlined {
    let source = match snapshot.read(file) {
        Ok(source) => source,
        Err(refusal @ Refusal::Secret { .. }) => return Outlined::Secret(refusal.to_string()),
        Err(refusal) => return Outlined::Not(refusal.to_string()),
    };
    let outline = match outline_of(&source, language, cancel) {
        Ok(outline) => outline,
        Err(why) => return Outlined::Not(why),
    };
    let included: Vec<&Symbol> = outline
        .symbols
        .iter()
        .filter(|symbol| wanted.includes(symbol))
        .collect();
    // Hashing takes longer than outlining, so only hash the returned symbols.
    let given = included.iter().take(wanted.limit);
    let symbols = given.filter_map(|symbol| found(&source, file, symbol, wanted.show));
    let missing = outline.completeness;
    let missing = match (missing.damaged, missing.omitted) {
        (0, 0) => None,
        (0, omitted) => Some(format!(
            "{} omitted: there are too many",
            counted(omitted, "symbol")
        )),
        (damaged, _) => Some(format!(
            "symbols may be missing: the parser could not read {} in it",
            counted(damaged, "place")
        )),
    };
    Outlined::Symbols(symbols.collect(), included.len(), missing)
}

/// Maximum size of a signature line in the output, in bytes. The evidence has the rest of a longer
/// line.
const MAX_TEXT: usize = 400;

fn found(
    source: &SourceFile,
    file: &RepoPath,
    symbol: &Symbol,
    show: ShowInput,
) -> Option<FoundSymbol> {
    let signature = span_of(symbol.signature_lines)?;
    let definition = span_of(symbol.lines)?;
    let span = match show {
        ShowInput::Signature => signature,
        ShowInput::Definition => definition,
    };
    Some(FoundSymbol {
        found: Found {
            id: None,
            kind: Some(symbol.kind.as_str().to_owned()),
            label: symbol.path.clone(),
            file: file.clone(),
            context: 0,
            evidence: vec![seen_now(source, file, span)],
            text: source
                .shown()
                .line(signature.start())
                .map(|line| line.first_bytes(MAX_TEXT)),
        },
        symbol: SymbolFacts {
            name: symbol.name.clone(),
            name_line: symbol.name_line,
            definition,
            depth: symbol.depth,
            visibility: symbol.visibility,
        },
    })
}

struct Summary {
    limit: usize,
    output: Output,
    notes: Vec<String>,
    not_outlined: Vec<(RepoPath, String)>,
    /// Number of secret files in `not_outlined`.
    secret: usize,
    /// Describes the folders that we couldn't read, if any.
    unseen: Option<String>,
    damaged: Vec<String>,
}

impl Summary {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            output: Output {
                symbols: Vec::new(),
                files: Vec::new(),
                total: 0,
                files_outlined: 0,
                truncated: false,
            },
            notes: Vec::new(),
            not_outlined: Vec::new(),
            secret: 0,
            unseen: None,
            damaged: Vec::new(),
        }
    }

    fn add(&mut self, file: &RepoPath, outlined: Outlined) {
        match outlined {
            Outlined::Not(why) => self.not_outlined.push((file.clone(), why)),
            Outlined::Secret(why) => {
                self.secret += 1;
                self.not_outlined.push((file.clone(), why));
            }
            Outlined::Symbols(symbols, total, missing) => {
                self.output.files_outlined += 1;
                self.output.total += total as u64;
                if total > 0 {
                    self.output.files.push(file.clone());
                }
                let left = self.limit - self.output.symbols.len();
                self.output.symbols.extend(symbols.into_iter().take(left));
                self.damaged
                    .extend(missing.map(|missing| format!("`{file}`: {missing}")));
            }
        }
    }

    fn output(mut self) -> Result<StepOutput, StepError> {
        let total = self.output.total;
        self.output.truncated = (self.output.symbols.len() as u64) < total;
        let mut output = StepOutput::of(&self.output)?;
        output.notes = std::mem::take(&mut self.notes);
        let unseen = self.unseen.is_some() || self.not_outlined.len() > self.secret;
        output.caveat = self.missing().map(|text| Caveat {
            // If the result is empty, one of the skipped files may still define such a symbol.
            unproven: total == 0 && unseen,
            ..text.into()
        });
        let not_outlined = self.not_outlined.iter().map(is_not_outlined);
        output.notes.extend(first_of(not_outlined.collect()));
        output.notes.extend(first_of(self.damaged));
        Ok(output)
    }

    fn missing(&self) -> Option<String> {
        if self.output.truncated {
            let total = self.output.total;
            return Some(format!("only a part of the {total} symbols; raise `limit`"));
        }
        let unseen = self.unseen.as_ref();
        let unseen = unseen.map(|why| format!("not searched: {why}"));
        let files = match (&self.not_outlined[..], self.damaged.len()) {
            ([], 0) => None,
            ([], damaged) => Some(format!(
                "symbols may be missing in {}",
                counted(damaged, "file")
            )),
            ([one], _) => Some(is_not_outlined(one)),
            (not, _) => Some(format!(
                "{} not outlined: {}",
                counted(not.len(), "file"),
                first_names(not)
            )),
        };
        let parts: Vec<String> = unseen.into_iter().chain(files).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn is_not_outlined((file, why): &(RepoPath, String)) -> String {
    format!("`{file}` is not outlined: {why}")
}

fn first_names(files: &[(RepoPath, String)]) -> String {
    const SHOWN: usize = 3;
    let names = files.iter().map(|(file, _)| format!("`{file}`"));
    windlass_base::first_names(names, SHOWN, " and ")
}

fn first_of(mut notes: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 5;
    let more = notes.len().saturating_sub(SHOWN);
    notes.truncate(SHOWN);
    if more > 0 {
        notes.push(format!("and {} like this", counted(more, "more file")));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outline_unseen_files_unproven() {
        let file = |path: &str| RepoPath::parse(path).unwrap();
        let refused = || Outlined::Not("it is not readable".to_owned());
        let secret = || Outlined::Secret("it is kept secret".to_owned());
        let unseen = || Some("1 not readable".to_owned());
        for (outlined, unseen, unproven, said) in [
            (vec![], unseen(), true, "not searched: 1 not readable"),
            (
                vec![refused()],
                None,
                true,
                "`0` is not outlined: it is not readable",
            ),
            (
                vec![refused(), refused()],
                None,
                true,
                "2 files not outlined: `0`, `1`",
            ),
            (
                vec![secret(), refused()],
                None,
                true,
                "2 files not outlined: `0`, `1`",
            ),
            (
                vec![secret()],
                None,
                false,
                "`0` is not outlined: it is kept secret",
            ),
            (
                vec![Outlined::Symbols(Vec::new(), 1, None), refused()],
                unseen(),
                false,
                "not searched: 1 not readable; `1` is not outlined: it is not readable",
            ),
        ] {
            let mut summary = Summary::new(0);
            for (at, outlined) in outlined.into_iter().enumerate() {
                summary.add(&file(&at.to_string()), outlined);
            }
            // Lift the limit, so that no symbol is lost here.
            summary.limit = usize::MAX;
            summary.unseen = unseen;
            let missing = summary.missing();
            assert_eq!(missing.as_deref(), Some(said));
            let caveat = summary.output().unwrap().caveat.unwrap();
            assert_eq!(caveat.unproven, unproven, "{said}");
        }
    }
}
