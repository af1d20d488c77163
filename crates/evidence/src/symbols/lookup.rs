//! Lookup of symbols by the name that a user gives.

use windlass_base::{Cancel, LineSpan, RepoPath, did_you_mean, first_names};
use windlass_outline::{Language, Limits, Lines, Outline, Symbol, outline_unless};
use windlass_repo::SourceFile;

/// Reason why a name does not lead to the lines of one symbol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// The file has no outline to search.
    #[error("the symbols of `{file}` are not known: {why}; give lines instead")]
    NotOutlined {
        /// File without an outline.
        file: RepoPath,
        /// Reason why there is no outline.
        why: String,
    },
    /// No symbol in the file has this name.
    #[error("`{file}` defines no `{wanted}`{}{}",
        windlass_base::similar_hint(.similar.as_ref()),
        if *.complete { "" } else { "; the file has errors, so it may be missed" })]
    Unknown {
        /// File that was searched.
        file: RepoPath,
        /// Symbol name that was requested.
        wanted: String,
        /// Most similar name in the file, if there is one.
        similar: Option<String>,
        /// True if all symbols in the file are known.
        complete: bool,
    },
    /// Several symbols have this name.
    #[error("`{file}` defines {} symbols `{wanted}`: {}", .found.len(), listed(.found))]
    Several {
        /// File that was searched.
        file: RepoPath,
        /// Symbol name that was requested.
        wanted: String,
        /// Qualified name and lines of each.
        found: Vec<(String, LineSpan)>,
    },
}

fn listed(found: &[(String, LineSpan)]) -> String {
    const SHOWN: usize = 10;
    let names = found.iter();
    let names = names.map(|(path, span)| format!("`{path}` on lines {span}"));
    first_names(names, SHOWN, " and ")
}

/// A symbol that was found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSymbol {
    /// Name, qualified with those of the enclosing symbols.
    pub path: String,
    /// Name of the kind of symbol.
    pub kind: &'static str,
    /// Lines of the whole definition.
    pub span: LineSpan,
}

/// Returns the outline of `source`, in which secret values are replaced.
///
/// # Errors
/// Returns the reason if the file is not text, if outlining fails, or if it is canceled.
pub fn outline_of(
    source: &SourceFile,
    language: Language,
    cancel: &Cancel,
) -> Result<Outline, String> {
    if let Some(why) = source.why_no_text() {
        return Err(format!("it is {why}"));
    }
    let is_stopped = || cancel.is_cancelled();
    outline_unless(
        language,
        &source.shown().bytes(),
        Limits::default(),
        &is_stopped,
    )
    .map_err(|error| error.to_string())
}

/// Converts the lines of an outline to a span.
#[must_use]
pub fn span_of(lines: Lines) -> Option<LineSpan> {
    LineSpan::new(lines.first(), lines.last()).ok()
}

/// Finds all symbols in `file` that `wanted` may refer to. There is at least one.
///
/// # Errors
/// Returns an error if the file cannot be outlined, if no symbol has the name, or if the search is
/// canceled.
pub fn symbols_named(
    source: &SourceFile,
    file: &RepoPath,
    wanted: &str,
    cancel: &Cancel,
) -> Result<Vec<NamedSymbol>, SymbolError> {
    let not_outlined = |why: String| SymbolError::NotOutlined {
        file: file.clone(),
        why,
    };
    let language = Language::of_path(file.as_str())
        .ok_or_else(|| not_outlined("it is in no language that can be outlined".to_owned()))?;
    let outline = outline_of(source, language, cancel).map_err(not_outlined)?;
    let named = |symbol: &&Symbol| {
        let span = span_of(symbol.lines).filter(|span| span.end() <= source.line_count())?;
        Some(NamedSymbol {
            path: symbol.path.clone(),
            kind: symbol.kind.as_str(),
            span,
        })
    };
    let found: Vec<NamedSymbol> = outline.find(wanted).iter().filter_map(named).collect();
    if found.is_empty() {
        let names = outline.symbols.iter();
        let names = names.flat_map(|symbol| [symbol.name.as_str(), symbol.path.as_str()]);
        return Err(SymbolError::Unknown {
            file: file.clone(),
            wanted: wanted.to_owned(),
            similar: did_you_mean(wanted, names).map(str::to_owned),
            complete: outline.completeness.is_complete(),
        });
    }
    Ok(found)
}

/// Finds the one symbol in `file` that `wanted` refers to. See [`symbols_named`] for names that
/// several symbols may have.
///
/// # Errors
/// Returns the same errors as [`symbols_named`], and an error if the name fits several symbols.
pub fn symbol_named(
    source: &SourceFile,
    file: &RepoPath,
    wanted: &str,
    cancel: &Cancel,
) -> Result<NamedSymbol, SymbolError> {
    let mut found = symbols_named(source, file, wanted, cancel)?;
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            found.extend(last);
            let found = found.into_iter();
            Err(SymbolError::Several {
                file: file.clone(),
                wanted: wanted.to_owned(),
                found: found.map(|symbol| (symbol.path, symbol.span)).collect(),
            })
        }
    }
}
