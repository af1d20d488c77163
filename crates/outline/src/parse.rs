//! Parses files with tree-sitter. The number of operations is limited rather than the time, so that
//! the result is the same on every machine.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::walk::{Grammar, Walk};
use crate::{Completeness, Language, Limits, NotOutlined, Outline, rules};

/// Maximum number of progress reports, after which we give up with [`NotOutlined::TooCostly`].
///
/// The parser sends one report per hundred operations. Ordinary code needs 5 to 25 reports per KiB,
/// and small files need more.
const REPORTS: Allowance = Allowance {
    any: 2_000,
    a_kib: 32,
};

/// Maximum number of reports during error recovery, when each operation takes about five times as
/// long. Each error in a file with few errors needs about fifty reports.
const REPORTS_OF_ERRORS: Allowance = Allowance {
    any: 1_500,
    a_kib: 2,
};

/// A limit that grows with the file: `any` reports for every file, and `a_kib` more per KiB.
struct Allowance {
    any: usize,
    a_kib: usize,
}

impl Allowance {
    fn of(&self, bytes: &[u8]) -> usize {
        self.any + self.a_kib * (bytes.len() / 1024)
    }
}

pub(crate) fn outline(
    language: Language,
    bytes: &[u8],
    limits: Limits,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Outline, NotOutlined> {
    let Some(grammar) = rules::grammar(language) else {
        return Err(NotOutlined::Grammar { language });
    };
    let tree = parse(language, &grammar, bytes, is_stopped)?;
    let mut outline = Walk::new(language, &grammar, bytes, limits).over(&tree);
    outline.completeness = Completeness {
        damaged: damage(&tree),
        ..outline.completeness
    };
    Ok(outline)
}

pub(crate) fn tree(
    language: Language,
    bytes: &[u8],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Tree, NotOutlined> {
    let Some(grammar) = rules::grammar(language) else {
        return Err(NotOutlined::Grammar { language });
    };
    parse(language, &grammar, bytes, is_stopped)
}

fn parse(
    language: Language,
    grammar: &Grammar,
    bytes: &[u8],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Tree, NotOutlined> {
    let mut parser = Parser::new();
    if parser.set_language(&(grammar.parser)()).is_err() {
        return Err(NotOutlined::Grammar { language });
    }
    let (mut left, mut of_errors) = (REPORTS.of(bytes), REPORTS_OF_ERRORS.of(bytes));
    let mut why = NotOutlined::TooCostly { language };
    let mut report = |state: &ParseState| {
        let fewer = left.checked_sub(1);
        let fewer_errors = of_errors.checked_sub(usize::from(state.has_error()));
        let (Some(fewer), Some(fewer_errors)) = (fewer, fewer_errors) else {
            return ControlFlow::Break(());
        };
        if is_stopped() {
            why = NotOutlined::Stopped;
            return ControlFlow::Break(());
        }
        (left, of_errors) = (fewer, fewer_errors);
        ControlFlow::Continue(())
    };
    let options = ParseOptions::new().progress_callback(&mut report);
    let mut rest = |from: usize, _| bytes.get(from..).unwrap_or(&[]);
    parser
        .parse_with_options(&mut rest, None, Some(options))
        .ok_or(why)
}

/// Counts the places where the parser had to skip or insert something. Nested ones don't count
/// again.
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
