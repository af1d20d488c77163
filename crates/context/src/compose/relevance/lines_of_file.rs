//! Selects the lines of a relevant file that the pack shows.

use std::collections::BTreeSet;

use crate::compose::goal_words::words_of;
use windlass_base::RepoPath;
use windlass_outline::{Language, Limits, Outline, Symbol, SymbolKind, Visibility, outline};
use windlass_repo::SourceFile;

use super::file_cases::Case;
use crate::compose::picked_lines::{Picked, Wish, pick};

/// Maximum number of lines per file.
const MAX_LINES: u32 = 120;
/// If a wanted line is not in a short symbol, we also show this many lines before and after it.
const AROUND: u32 = 5;
/// A symbol with at most this many lines is shown as a whole.
const LONG_SYMBOL: u32 = 45;
/// Maximum number of symbols that are shown because of words in their names.
const MAX_WORDED: usize = 6;
/// Rank of the definition of a name in the goal.
const DEFINED: u32 = 110;
/// Maximum number of exported symbols. We only show their first lines.
const MAX_OFFERED: usize = 12;
/// If there are no wanted lines, we only show something of a file from this rank on. With a lower
/// rank, it is just a neighbor of a relevant file.
const HEAD: u32 = 150;

/// Returns the wanted lines of a file, and what the file is for.
///
/// We want the symbols around relevant lines, and the definitions of names in the goal. Without any
/// of these, we take the symbols that have words of `wanted` in their names. And if there are none,
/// we show the symbols that a high-ranked file exports, or else its first lines.
pub(super) fn lines_of(
    path: &RepoPath,
    file: &SourceFile,
    case: &Case,
    wanted: &BTreeSet<String>,
) -> (Picked, Option<String>) {
    let shown = file.shown().bytes();
    let outlined = Language::of_path(path.as_str())
        .and_then(|language| outline(language, &shown, Limits::default()).ok())
        .unwrap_or_default();
    let mut wishes = case.stretches.clone();
    for (line, rank) in &case.lines {
        wishes.push(around(&outlined, *line, *rank));
    }
    wishes.extend(defining(&outlined, &case.names));
    if wishes.is_empty() {
        wishes = worded(&outlined, wanted);
    }
    if wishes.is_empty() && case.rank >= HEAD {
        wishes = offered(&outlined);
    }
    // A file that just reaches `HEAD` has only changed together with other files, like a file of
    // settings. Its first lines wouldn't help anybody.
    if wishes.is_empty() && case.rank > HEAD && outlined.symbols.is_empty() {
        wishes.push(Wish {
            first: 1,
            last: 20,
            rank: 1,
        });
    }
    (pick(file, &wishes, MAX_LINES), purpose(file, &outlined))
}

/// Widens `line` to the smallest symbol around it. If there is none (or only a long one), we take a
/// few lines before and after.
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

fn defining(outlined: &Outline, names: &BTreeSet<String>) -> Vec<Wish> {
    let defined = outlined
        .symbols
        .iter()
        .filter(|symbol| names.contains(&symbol.name) && symbol.kind != SymbolKind::Module);
    defined
        .map(|symbol| whole_if_short(symbol, DEFINED))
        .collect()
}

/// The whole symbol or, if it is long, only its signature.
fn whole_if_short(symbol: &Symbol, rank: u32) -> Wish {
    let (lines, signature) = (symbol.lines, symbol.signature_lines);
    let is_short = lines.count() <= LONG_SYMBOL;
    Wish {
        first: lines.first(),
        last: if is_short {
            lines.last()
        } else {
            signature.last()
        },
        rank,
    }
}

/// Finds the symbols that have words of the goal in their names. If many symbols of the file have a
/// word, it does not set any of them apart, so we ignore it.
fn worded(outlined: &Outline, wanted: &BTreeSet<String>) -> Vec<Wish> {
    let names = outlined.symbols.iter().map(|symbol| {
        let own = words_of(&symbol.name);
        own.intersection(wanted).cloned().collect::<BTreeSet<_>>()
    });
    let names: Vec<BTreeSet<String>> = names.collect();
    let most = outlined.symbols.len() / 6 + 2;
    let is_telling = |word: &&String| {
        let named = names.iter().filter(|own| own.contains(*word)).count();
        named <= most
    };
    let found = outlined
        .symbols
        .iter()
        .zip(&names)
        .filter_map(|(symbol, own)| {
            let telling = own.iter().filter(is_telling).count();
            let is_taken = telling > 0 && symbol.kind != SymbolKind::Module;
            is_taken.then_some((std::cmp::Reverse(telling), symbol))
        });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(telling, symbol)| (*telling, symbol.lines.first()));
    let wish = |(telling, symbol): (std::cmp::Reverse<usize>, &Symbol)| {
        whole_if_short(symbol, u32::try_from(telling.0).unwrap_or(u32::MAX))
    };
    found.into_iter().take(MAX_WORDED).map(wish).collect()
}

/// Finds the first lines of the symbols that other files can use.
fn offered(outlined: &Outline) -> Vec<Wish> {
    let is_offered =
        |visibility: Option<Visibility>| visibility.is_none_or(|it| it != Visibility::Private);
    let symbols = outlined
        .symbols
        .iter()
        .filter(|symbol| symbol.depth <= 1 && is_offered(symbol.visibility));
    symbols
        .take(MAX_OFFERED)
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

/// Comments that may describe the whole file begin like this.
const SAYS: [&str; 7] = ["//!", "///", "\"\"\"", "# ", "// ", "/**", "* "];
/// A comment with one of these is a license notice.
const NOTICES: [&str; 7] = [
    "copyright",
    "licen",
    "spdx",
    "all rights",
    "permission is",
    "permission to",
    "warranty",
];
/// A line with one of these tells a tool how to read the file.
const SETTINGS: [&str; 4] = ["#!", "eslint", "coding:", "coding="];
/// We only look for a description in this many lines from the start.
const FIRST_LINES: u32 = 40;

/// Returns the description in the first comment that is not a legal notice. If there is code before
/// any such comment, the file has no description.
fn said(file: &SourceFile) -> Option<String> {
    let lines = (1..=file.line_count().min(FIRST_LINES)).filter_map(|at| file.shown().line(at));
    let lines = lines.map(|line| line.as_str().trim().to_owned());
    let is_setting = |line: &String| SETTINGS.iter().any(|word| line.contains(word));
    let lines: Vec<String> = lines.filter(|line| !is_setting(line)).collect();
    let is_comment = |line: &&String| {
        let begins = SAYS.iter().any(|sign| line.starts_with(sign.trim_end()));
        begins || line.starts_with("/*") || line.ends_with("*/")
    };
    let is_notice = |line: &&String| {
        let small = line.to_lowercase();
        NOTICES.iter().any(|word| small.contains(word))
    };
    for block in lines.split(String::is_empty) {
        if block.iter().any(|line| is_notice(&line)) {
            continue;
        }
        let said = block.iter().take_while(is_comment).find_map(|line| {
            let rest = SAYS.iter().find_map(|sign| line.strip_prefix(sign))?.trim();
            let said = rest
                .trim_end_matches("*/")
                .trim_end_matches("\"\"\"")
                .trim();
            (said.len() > 8).then(|| said.chars().take(160).collect::<String>())
        });
        if said.is_some() {
            return said;
        }
        if !block.is_empty() && !block.iter().all(|line| is_comment(&line)) {
            return None;
        }
    }
    None
}

/// Returns what the file is for. Without a description, we list the names that it defines.
fn purpose(file: &SourceFile, outlined: &Outline) -> Option<String> {
    let first = said(file);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_not_what_a_file_is_for() {
        for (text, wanted) in [
            (
                "// Copyright 2014\n// Use is governed by a license\n// that is there.\n\npackage gin\n",
                None,
            ),
            (
                "// Copyright 2014\n\n// Renders what a handler gives.\npackage gin\n",
                Some("Renders what a handler gives."),
            ),
            (
                "//! Trying again what failed.\n",
                Some("Trying again what failed."),
            ),
            (
                "#!/bin/sh\n# Runs all the tests.\n",
                Some("Runs all the tests."),
            ),
            (
                "/*\n * Reads numbers from texts.\n */\n#include <x.h>\n",
                Some("Reads numbers from texts."),
            ),
            ("use a::b;\n\n/// Not of the file.\nfn x() {}\n", None),
            (
                "# -*- coding: utf-8 -*-\n# Decoding of tokens.\n",
                Some("Decoding of tokens."),
            ),
            (
                "//! Permissions of those who read.\n",
                Some("Permissions of those who read."),
            ),
        ] {
            let file = SourceFile::from_bytes(text.as_bytes().to_vec());
            assert_eq!(said(&file).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn symbols_named_in_the_goal_are_taken_whole() {
        let text = "use x::max_count;\n\npub fn other() {}\n\npub struct Limits {\n    max: u32,\n}\n\npub fn count_max(a: u32) -> u32 {\n    a\n}\n";
        let outlined = outline(Language::Rust, text.as_bytes(), Limits::default()).unwrap();
        let wishes = worded(&outlined, &words_of("stop at the max count"));
        let lines: Vec<(u32, u32)> = wishes.iter().map(|wish| (wish.first, wish.last)).collect();
        assert_eq!(lines, [(9, 11)]);
        assert!(worded(&outlined, &words_of("something else")).is_empty());
    }
}
