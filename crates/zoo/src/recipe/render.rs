//! Formats functions in the language of a file.

use serde::Deserialize;

use super::topic::Written;

/// A language or a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sort {
    Rust,
    Python,
    Typescript,
    Go,
    Java,
    C,
    /// Prose with headings.
    Markdown,
    /// Settings.
    Yaml,
    /// Rows of numbers and words.
    Csv,
    /// Rows of objects.
    Jsonl,
}

/// The parts of a function, independent of the language.
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    pub(super) comment: &'a [String],
    pub(super) args: &'a [String],
    pub(super) body: &'a [String],
}

/// Formats a function or, for prose, a section.
pub(super) fn written(sort: Sort, what: &Written) -> Vec<String> {
    if sort == Sort::Markdown {
        let mut lines = vec![
            format!("## {}", what.doc.first().map_or("", String::as_str)),
            String::new(),
        ];
        for text in what.doc.iter().skip(1) {
            lines.extend(
                text.split_inclusive(". ")
                    .map(|sentence| sentence.trim().to_owned()),
            );
        }
        return lines;
    }
    function(
        sort,
        &Function {
            name: &what.name,
            comment: &what.comment,
            args: &what.args,
            body: &what.body,
        },
    )
}

/// Converts a name to the usual spelling in the language.
pub(super) fn name(sort: Sort, name: &str) -> String {
    match sort {
        Sort::Typescript | Sort::Java => camel(name),
        Sort::Go => {
            let camel = camel(name);
            camel[..1].to_uppercase() + &camel[1..]
        }
        _ => name.to_owned(),
    }
}

/// Returns the path of the tests for `path`. For prose, that is minutes about `topic`.
pub(super) fn beside(sort: Sort, path: &str, topic: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    match sort {
        Sort::Typescript => format!("{folder}/{stem}.test.{ending}"),
        Sort::Go => format!("{folder}/{stem}_test.{ending}"),
        Sort::Java => format!("{}/{stem}Test.{ending}", folder.replace("/src/", "/test/")),
        Sort::Rust => {
            let (package, _) = path.split_once("src/").unwrap_or_default();
            format!("{package}tests/{stem}.{ending}")
        }
        Sort::Markdown => format!("docs/minutes/{topic}.md"),
        _ => format!("tests/{folder}/test_{stem}.{ending}"),
    }
}

pub(super) fn function(sort: Sort, what: &Function<'_>) -> Vec<String> {
    let name = name(sort, what.name);
    let joined = |each: &dyn Fn(&String) -> String| {
        what.args.iter().map(each).collect::<Vec<_>>().join(", ")
    };
    let (mark, head, end) = match sort {
        Sort::Rust => (
            "///",
            format!(
                "pub fn {name}({}) -> Outcome {{",
                joined(&|arg| format!("{arg}: &Input"))
            ),
            "}",
        ),
        Sort::Python => ("#", format!("def {name}({}):", joined(&Clone::clone)), ""),
        Sort::Typescript => (
            "//",
            format!(
                "export function {name}({}): Outcome {{",
                joined(&|arg| format!("{arg}: Input"))
            ),
            "}",
        ),
        Sort::Go => (
            "//",
            format!("func {name}({} Input) Outcome {{", joined(&Clone::clone)),
            "}",
        ),
        Sort::Java => (
            "    //",
            format!(
                "    static Outcome {name}({}) {{",
                joined(&|arg| format!("Input {arg}"))
            ),
            "    }",
        ),
        _ => (
            "//",
            format!("long {name}({})\n{{", joined(&|arg| format!("long {arg}"))),
            "}",
        ),
    };
    let mut lines: Vec<String> = what
        .comment
        .iter()
        .map(|line| format!("{mark} {line}"))
        .collect();
    lines.extend(head.lines().map(str::to_owned));
    let indent = if sort == Sort::Java { 8 } else { 4 };
    let mut open = 0;
    for said in what.body {
        let (text, opens) = statement(sort, said);
        let depth = " ".repeat(indent + 4 * open);
        lines.extend(text.lines().map(|line| format!("{depth}{line}")));
        open += usize::from(opens);
        // A statement that doesn't open a block is the last one in the innermost block. In Python,
        // there's nothing to write at the end of a block.
        if opens && sort == Sort::Python {
            continue;
        }
        if open > 0 && !opens {
            open -= 1;
            if sort != Sort::Python {
                lines.push(format!("{}}}", " ".repeat(indent + 4 * open)));
            }
        }
    }
    for open in (0..open).rev().filter(|_| sort != Sort::Python) {
        lines.push(format!("{}}}", " ".repeat(indent + 4 * open)));
    }
    if !end.is_empty() {
        lines.push(end.to_owned());
    }
    lines
}

/// Formats a statement. The flag is true if the statement opens a block, which the following
/// statements belong to.
fn statement(sort: Sort, said: &str) -> (String, bool) {
    let end = if matches!(sort, Sort::Python | Sort::Go) {
        ""
    } else {
        ";"
    };
    if let Some((condition, value)) = said
        .strip_prefix("if ")
        .and_then(|rest| rest.split_once(" return "))
    {
        let text = match sort {
            Sort::Python => format!("if {condition}:\n    return {value}"),
            Sort::Rust | Sort::Go => format!("if {condition} {{\n    return {value}{end}\n}}"),
            _ => format!("if ({condition}) {{\n    return {value}{end}\n}}"),
        };
        return (text, false);
    }
    if let Some((item, list)) = said
        .strip_prefix("each ")
        .and_then(|rest| rest.split_once(" in "))
    {
        let text = match sort {
            Sort::Python => format!("for {item} in {list}:"),
            Sort::Rust => format!("for {item} in {list} {{"),
            Sort::Go => format!("for _, {item} := range {list} {{"),
            Sort::Typescript => format!("for (const {item} of {list}) {{"),
            Sort::Java => format!("for (var {item} : {list}) {{"),
            _ => format!("for (long {item} = 0; {item} < {list}; {item}++) {{"),
        };
        return (text, true);
    }
    let text = match said.strip_prefix("call ") {
        Some(call) => format!("{call}{end}"),
        None if said.starts_with("return ") => format!("{said}{end}"),
        None => match (said.split_once(" = "), sort) {
            (Some((name, value)), Sort::Rust) => format!("let {name} = {value};"),
            (Some((name, value)), Sort::Typescript) => format!("let {name} = {value};"),
            (Some((name, value)), Sort::Go) => format!("{name} := {value}"),
            (Some((name, value)), Sort::Java) => format!("var {name} = {value};"),
            (Some((name, value)), Sort::C) => format!("long {name} = {value};"),
            _ => format!("{said}{end}"),
        },
    };
    (text, false)
}

pub(super) fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + &part[..1].to_uppercase() + &part[1..]
    })
}
