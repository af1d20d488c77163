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

/// Names what source files define: functions, types, constants; in Markdown headings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Folders and files to stay within; the whole repository if empty.
    #[serde(default)]
    paths: Vec<RepoPath>,
    /// Globs as `rg -g` takes them: `*.rs`, `!target/**`.
    #[serde(default)]
    globs: Vec<String>,
    /// Whether to look at hidden files and folders, such as `.github`.
    #[serde(default)]
    hidden: bool,
    /// Which sorts of symbols; all if empty.
    #[serde(default)]
    kinds: Vec<SymbolKind>,
    /// A regular expression in Rust's syntax that the name or the qualified name has to match.
    #[serde(default)]
    names: Option<String>,
    /// How deep symbols may stand in others: 1 for those that stand in none, 2 for methods as well.
    #[serde(default)]
    #[schemars(range(min = 1))]
    depth: Option<u32>,
    /// Who may use them, as their own definitions say; if given, symbols of which the language does not say
    /// it are left out. All if empty.
    #[serde(default)]
    visibility: Vec<Visibility>,
    /// What of each symbol is its evidence, and shown.
    #[serde(default)]
    show: ShowInput,
    /// How many symbols to give back; all are counted.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: u32,
}

fn default_limit() -> u32 {
    1_000
}

/// What of a symbol is its evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ShowInput {
    /// What stands before its body.
    #[default]
    Signature,
    /// All of it, with the comments and attributes that belong to it.
    Definition,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Sorted by path and line.
    symbols: Vec<FoundSymbol>,
    /// The files that define one of them, sorted.
    files: Vec<RepoPath>,
    /// How many there are without the limit.
    total: u64,
    /// How many files were outlined.
    files_outlined: u32,
    /// Whether the limit left some out.
    truncated: bool,
}

/// A symbol: `label` is its qualified name, `text` the first line of its signature.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundSymbol {
    #[serde(flatten)]
    found: Found,
    /// What else is known of it, for other steps.
    symbol: SymbolFacts,
}

/// What is known of a symbol beside its place.
#[derive(Debug, Serialize, JsonSchema)]
struct SymbolFacts {
    /// Its own name.
    name: String,
    /// The line its name stands on.
    name_line: u32,
    /// All of its definition.
    definition: LineSpan,
    /// How many symbols it stands in.
    depth: u32,
    /// Who may use it, where the language says.
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
}

pub(crate) const NAME: &str = "outline";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "name the functions, types, constants and headings that files define";
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

/// Which symbols are wanted.
struct Wanted {
    kinds: Vec<SymbolKind>,
    names: Option<Regex>,
    depth: Option<u32>,
    visibility: Vec<Visibility>,
    show: ShowInput,
    /// How many, at most.
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

/// How large a compiled pattern may be, in bytes.
const MAX_PATTERN: usize = 256 << 10;

fn pattern(names: &str) -> Result<Regex, String> {
    let pattern = RegexBuilder::new(names).size_limit(MAX_PATTERN).build();
    pattern.map_err(|error| {
        // The lines before the last draw the pattern.
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        let why = last.strip_prefix("error: ").unwrap_or(last);
        format!("`{names}` is no regular expression: {why}")
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

/// What was found in a file.
enum Outlined {
    /// The first symbols, how many there are, and what may be missing beside them.
    Symbols(Vec<FoundSymbol>, usize, Option<String>),
    /// Nothing, and why.
    Not(String),
    /// Nothing, since it is secret: what it has is not to be known of.
    Secret(String),
}

/// Files that are outlined before what was found in them is cut to the limit.
const BATCH: usize = 512;

/// Files that a thread outlines at a time.
const PIECE: usize = 4;

/// Outlines `files` on as many threads as the repository may use; the answer does not depend on how many.
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
    // Hashing takes longer than outlining, so it is done for no more than can be given back.
    let given = included.iter().take(wanted.limit);
    let symbols = given.filter_map(|symbol| found(&source, file, symbol, wanted.show));
    let missing = outline.completeness;
    let missing = match (missing.damaged, missing.omitted) {
        (0, 0) => None,
        (0, omitted) => Some(format!(
            "{} left out: there are too many",
            counted(omitted, "symbol")
        )),
        (damaged, _) => Some(format!(
            "symbols may be missing: the parser could make no sense of {} in it",
            counted(damaged, "place")
        )),
    };
    Outlined::Symbols(symbols.collect(), included.len(), missing)
}

/// Bytes of a signature's first line that are given back; the evidence has the rest.
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

/// What is gathered file by file, in the order of paths.
struct Summary {
    limit: usize,
    output: Output,
    notes: Vec<String>,
    /// Each with why.
    not_outlined: Vec<(RepoPath, String)>,
    /// How many of those that are not outlined are secret.
    secret: usize,
    /// Folders that were not looked into, in words.
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
            // That there is nothing cannot be said.
            unproven: total == 0 && unseen,
            ..text.into()
        });
        let not_outlined = self.not_outlined.iter().map(is_not_outlined);
        output.notes.extend(first_of(not_outlined.collect()));
        output.notes.extend(first_of(self.damaged));
        Ok(output)
    }

    /// What may be missing, in words.
    fn missing(&self) -> Option<String> {
        if self.output.truncated {
            let total = self.output.total;
            return Some(format!("only a part of the {total} symbols; raise `limit`"));
        }
        let unseen = self.unseen.as_ref();
        let unseen = unseen.map(|why| format!("not looked into: {why}"));
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

/// The first files by name, and how many more there are.
fn first_names(files: &[(RepoPath, String)]) -> String {
    const SHOWN: usize = 3;
    let named = files.iter().take(SHOWN);
    let named: Vec<String> = named.map(|(file, _)| format!("`{file}`")).collect();
    match files.len().saturating_sub(SHOWN) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// The first notes, and how many more there are.
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
    fn nothing_is_claimed_where_something_was_not_seen() {
        let file = |path: &str| RepoPath::parse(path).unwrap();
        let refused = || Outlined::Not("it is not readable".to_owned());
        let secret = || Outlined::Secret("it is kept secret".to_owned());
        let unseen = || Some("1 not readable".to_owned());
        for (outlined, unseen, unproven, said) in [
            (vec![], unseen(), true, "not looked into: 1 not readable"),
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
                "not looked into: 1 not readable; `1` is not outlined: it is not readable",
            ),
        ] {
            let mut summary = Summary::new(0);
            for (at, outlined) in outlined.into_iter().enumerate() {
                summary.add(&file(&at.to_string()), outlined);
            }
            // Nothing is left out for the limit here.
            summary.limit = usize::MAX;
            summary.unseen = unseen;
            let missing = summary.missing();
            assert_eq!(missing.as_deref(), Some(said));
            let caveat = summary.output().unwrap().caveat.unwrap();
            assert_eq!(caveat.unproven, unproven, "{said}");
        }
    }
}
