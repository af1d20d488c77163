//! Parsing with tree-sitter, within bounds.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::walk::{Grammar, Walk};
use crate::{Completeness, Language, Limits, NotOutlined, Outline, rules};

/// How often the parser may report for a file of any size, and for each KiB of it on top. It reports after a
/// hundred operations; once it has seen an error a report counts twice, since they take longer then. Ordinary
/// code takes 5 to 25 reports a KiB, the more the smaller the file is.
const REPORTS: usize = 2_000;
const REPORTS_A_KIB: usize = 32;

pub(crate) fn outline(
    language: Language,
    bytes: &[u8],
    limits: Limits,
) -> Result<Outline, NotOutlined> {
    let Some(grammar) = rules::grammar(language) else {
        return Err(NotOutlined::Grammar { language });
    };
    let tree = parse(language, &grammar, bytes)?;
    let mut outline = Walk::new(language, &grammar, bytes, limits).over(&tree);
    outline.completeness = Completeness {
        damaged: damage(&tree),
        ..outline.completeness
    };
    Ok(outline)
}

fn parse(language: Language, grammar: &Grammar, bytes: &[u8]) -> Result<Tree, NotOutlined> {
    let mut parser = Parser::new();
    if parser.set_language(&(grammar.parser)()).is_err() {
        return Err(NotOutlined::Grammar { language });
    }
    let mut left = REPORTS + REPORTS_A_KIB * (bytes.len() / 1024);
    let mut report = |state: &ParseState| match left.checked_sub(1 + usize::from(state.has_error()))
    {
        Some(fewer) => {
            left = fewer;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    let mut rest = |from: usize, _| bytes.get(from..).unwrap_or(&[]);
    parser
        .parse_with_options(&mut rest, None, Some(options))
        .ok_or(NotOutlined::TooHard { language })
}

/// How many places the parser could make no sense of: pieces it passed over or had to make up, each counted
/// once with all it holds.
fn damage(tree: &Tree) -> u32 {
    let mut damaged = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let here = node.is_error() || node.is_missing();
        damaged += u32::from(here);
        if !here && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return damaged;
            }
        }
    }
}
