//! Splits a file into passages: one for each definition, and one for the text between two
//! definitions.
//!
//! If a definition has more than 60 lines, we split it further. The best spot for that is a blank
//! line with little indentation after it, which is usually where a step of a long function ends.

use windlass_base::LineSpan;
use windlass_outline::{Language, Limits, Symbol, outline_unless};
use windlass_search::{IndentCuts, indent, without_blanks};

/// Maximum length of a definition that we show as a whole, in lines.
const MAX_LINES: u32 = 60;
/// Lengths of the passages of longer definitions, and of text outside of definitions, in lines.
const CUTS: IndentCuts = IndentCuts {
    shortest: 8,
    longest: 40,
};
/// If a symbol has at most this many lines, it's a single passage together with the symbols nested
/// in it. Small structs and impl blocks are examples.
const WHOLE: u32 = 20;
/// If a file has no symbols and at most this many lines, it's a single passage.
const SMALL: u32 = 30;

/// Consecutive lines of a file that are ranked and shown together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    pub(crate) span: LineSpan,
    /// Path of the symbol that the lines define, or `None` if there's none or several.
    pub(crate) symbol: Option<String>,
}

/// Splits a file into passages, in order. Only blank lines aren't part of any passage. `lines` and
/// `bytes` must be the redacted text of the file.
pub(crate) fn passages(
    path: &str,
    lines: &[&str],
    bytes: &[u8],
    is_stopped: &dyn Fn() -> bool,
) -> Vec<Passage> {
    let symbols = symbols(path, lines, bytes, is_stopped);
    let count = lines.len() as u32;
    let mut passages = Vec::new();
    let mut next = 1;
    if symbols.is_empty() && count <= SMALL {
        passages.extend(
            LineSpan::new(1, count)
                .ok()
                .filter(|_| has_text(lines))
                .map(|span| Passage { span, symbol: None }),
        );
        return passages;
    }
    for symbol in &symbols {
        let (first, last) = (
            symbol.lines.first().max(next),
            symbol.lines.last().min(count),
        );
        if first > last {
            continue;
        }
        between(next, first - 1, lines, &mut passages);
        cut(first, last, lines, Some(&symbol.path), &mut passages);
        next = last + 1;
    }
    between(next, count, lines, &mut passages);
    passages
}

fn has_text(lines: &[&str]) -> bool {
    lines.iter().any(|line| !line.trim().is_empty())
}

/// Selects the symbols that become passages. A short symbol includes everything that's nested in
/// it. In a longer one, we take the innermost symbols instead, and the text around these becomes
/// passages without a symbol.
fn symbols(path: &str, lines: &[&str], bytes: &[u8], is_stopped: &dyn Fn() -> bool) -> Vec<Symbol> {
    let Some(language) = Language::of_path(path) else {
        return Vec::new();
    };
    let Ok(outline) = outline_unless(language, bytes, Limits::default(), is_stopped) else {
        return Vec::new();
    };
    let holds = |at: usize| {
        outline
            .symbols
            .iter()
            .any(|other| other.container == Some(at))
    };
    let is_whole = |symbol: &Symbol| symbol.lines.count() <= WHOLE;
    let in_whole = |symbol: &Symbol| {
        let mut container = symbol.container;
        while let Some(outer) = container.and_then(|at| outline.symbols.get(at)) {
            if is_whole(outer) {
                return true;
            }
            container = outer.container;
        }
        false
    };
    // A constant in the body of a test, or in a `const` group in Go, has no container. Without the
    // lines around it, it doesn't tell the reader much.
    let in_nameless = |symbol: &Symbol| {
        let first = lines.get(symbol.lines.first() as usize - 1);
        symbol.container.is_none() && is_whole(symbol) && first.is_some_and(|line| indent(line) > 0)
    };
    let taken = |(at, symbol): &(usize, &Symbol)| {
        !in_whole(symbol) && !in_nameless(symbol) && (is_whole(symbol) || !holds(*at))
    };
    let symbols = outline.symbols.iter().enumerate().filter(taken);
    symbols.map(|(_, symbol)| symbol.clone()).collect()
}

/// Adds passages for the lines between two symbols, if there are any.
fn between(first: u32, last: u32, lines: &[&str], passages: &mut Vec<Passage>) {
    if first <= last {
        cut(first, last, lines, None, passages);
    }
}

/// Splits the lines from `first` to `last`. A symbol that isn't too long stays in one piece.
fn cut(first: u32, last: u32, lines: &[&str], symbol: Option<&str>, passages: &mut Vec<Passage>) {
    let within = first as usize - 1..last as usize;
    let cuts: Vec<_> = match symbol.is_some() && last - first < MAX_LINES {
        true => without_blanks(lines, within).into_iter().collect(),
        false => CUTS.of(lines, within),
    };
    let spans = cuts.into_iter();
    let spans = spans.filter_map(|cut| LineSpan::new(cut.start as u32 + 1, cut.end as u32).ok());
    passages.extend(spans.map(|span| Passage {
        span,
        symbol: symbol.map(str::to_owned),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_of(path: &str, text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let all = passages(path, &lines, text.as_bytes(), &|| false);
        all.iter()
            .map(|one| format!("{} {}", one.span, one.symbol.as_deref().unwrap_or("-")))
            .collect()
    }

    #[test]
    fn definition_is_its_own_passage() {
        let text = "use a;\n\n/// One.\nfn one() {\n}\n\nfn two() {\n    1;\n}\nconst X: u8 = 1;\n";
        assert_eq!(cut_of("x.rs", text), ["1 -", "3-5 one", "7-9 two", "10 X"]);
    }

    #[test]
    fn long_function_cut_at_low_indent() {
        let step = "    if a {\n        b();\n\n        c();\n\n        d();\n\n        e();\n        f();\n\n        g();\n    }\n\n";
        let long = format!("fn run() {{\n{}}}\n", step.repeat(6));
        assert_eq!(
            cut_of("x.rs", &long),
            ["1-13 run", "15-26 run", "28-39 run", "41-78 run", "80 run"]
        );
        let whole = format!("fn run() {{\n{}}}\n", step.repeat(4));
        assert_eq!(cut_of("x.rs", &whole), ["1-54 run"]);
    }

    #[test]
    fn symbol_in_unnamed_block_is_joined() {
        let test = "test(\"it\", () => {\n  const first = 1;\n  const second = 2;\n\n  check(first + second);\n});\n\n";
        assert_eq!(
            cut_of("it.test.ts", &test.repeat(6)),
            ["1-13 -", "15-27 -", "29-41 -"]
        );
        let group = "package x\n\nconst (\n\tOne = 1\n\tTwo = 2\n)\n\nfunc Run() {\n}\n";
        assert_eq!(cut_of("x.go", group), ["1-6 -", "8-9 Run"]);
    }

    #[test]
    fn call_with_body_stays_whole() {
        let body = "    let a = 1;\n\n    check(a);\n\n    check(a + 1);\n\n".repeat(2);
        let test = format!("test(\"it\", () => {{\n{body}    end();\n}});\n\n");
        assert_eq!(
            cut_of("it.test.ts", &test.repeat(3)),
            ["1-15 -", "17-31 -", "33-47 -"]
        );
    }

    #[test]
    fn prose_is_cut_at_blank_lines() {
        let text: String = (1..=60)
            .map(|n| {
                if n % 10 == 0 {
                    "\n".to_owned()
                } else {
                    format!("line {n}\n")
                }
            })
            .collect();
        let cut = cut_of("x.txt", &text);
        assert_eq!(cut.first().map(String::as_str), Some("1-9 -"));
        assert_eq!(cut.len(), 6);
        let long = "word\n".repeat(100);
        assert_eq!(cut_of("x.csv", &long), ["1-40 -", "41-80 -", "81-100 -"]);
        assert_eq!(cut_of("x.txt", "\n\n"), [""; 0]);
        let small = "one\ntwo\n\n".repeat(10);
        assert_eq!(cut_of("requirements.txt", &small), ["1-30 -"]);
    }
}
