//! Which lines of a file that matters are carried along.

use windlass_base::RepoPath;
use windlass_outline::{Language, Limits, Outline, SymbolKind, Visibility, outline};
use windlass_repo::SourceFile;

use super::pick::{Picked, Wish, pick};
use super::relevance::Case;

/// The most lines of one file.
const MAX_LINES: u32 = 120;
/// Lines around one that is wanted.
const AROUND: u32 = 5;
/// A symbol with more lines is not taken as a whole.
const LONG_SYMBOL: u32 = 45;
/// A file without symbols has to matter more for its first lines to be taken, where none of its lines is wanted.
const HEAD: u32 = 150;

/// The lines of a file that are wanted, and what it is for: the symbols around lines that matter; what it offers, where no line
/// does.
pub(super) fn lines_of(
    path: &RepoPath,
    file: &SourceFile,
    case: &Case,
) -> (Picked, Option<String>) {
    let shown = file.shown_bytes();
    let outlined = Language::of_path(path.as_str())
        .and_then(|language| outline(language, &shown, Limits::default()).ok())
        .unwrap_or_default();
    let mut wishes = case.stretches.clone();
    for (line, rank) in &case.lines {
        wishes.push(around(&outlined, *line, *rank));
    }
    if wishes.is_empty() {
        wishes = offered(&outlined);
    }
    // The first lines of what nobody speaks of, such as settings that changed together with code, tell nothing.
    if wishes.is_empty() && case.rank > HEAD {
        wishes.push(Wish {
            first: 1,
            last: 20,
            rank: 1,
        });
    }
    (pick(file, &wishes, MAX_LINES), purpose(file, &outlined))
}

/// The smallest symbol around a line, where that is short; else the lines next to it.
fn around(outlined: &Outline, line: u32, rank: u32) -> Wish {
    let holding = outlined.symbols.iter().filter(|symbol| {
        let lines = symbol.lines;
        lines.first() <= line
            && line <= lines.last()
            && lines.count() <= LONG_SYMBOL
            && symbol.kind != SymbolKind::Module
    });
    match holding.min_by_key(|symbol| symbol.lines.count()) {
        Some(symbol) => Wish {
            first: symbol.lines.first(),
            last: symbol.lines.last(),
            rank,
        },
        None => Wish {
            first: line.saturating_sub(AROUND).max(1),
            last: line.saturating_add(AROUND),
            rank,
        },
    }
}

/// The first lines of what others may use.
fn offered(outlined: &Outline) -> Vec<Wish> {
    let is_offered =
        |visibility: Option<Visibility>| visibility.is_none_or(|it| it != Visibility::Private);
    let symbols = outlined
        .symbols
        .iter()
        .filter(|symbol| symbol.depth <= 1 && is_offered(symbol.visibility));
    symbols
        .take(40)
        .map(|symbol| {
            let lines = symbol.signature_lines;
            Wish {
                first: lines.first(),
                last: lines.last().min(lines.first() + 3),
                rank: 2 - symbol.depth.min(1),
            }
        })
        .collect()
}

/// What a file says of itself in its first lines, or what it defines.
fn purpose(file: &SourceFile, outlined: &Outline) -> Option<String> {
    let first = (1..=file.line_count().min(6)).find_map(|number| {
        let line = file.redacted_line(number)?;
        let text = line.as_str().trim();
        let said = ["//!", "///", "\"\"\"", "# ", "// ", "/**", "* "]
            .iter()
            .find_map(|sign| text.strip_prefix(sign))?
            .trim()
            .trim_end_matches("*/")
            .trim_end_matches("\"\"\"")
            .trim();
        let is_notice = ["copyright", "license", "spdx", "!/", "eslint", "coding"]
            .iter()
            .any(|word| said.to_lowercase().contains(word));
        (said.len() > 8 && !is_notice).then(|| said.chars().take(160).collect::<String>())
    });
    first.or_else(|| {
        let names: Vec<&str> = outlined
            .symbols
            .iter()
            .filter(|symbol| symbol.depth == 0 && symbol.kind != SymbolKind::Heading)
            .map(|symbol| symbol.name.as_str())
            .take(6)
            .collect();
        (!names.is_empty()).then(|| format!("defines {}", names.join(", ")))
    })
}
