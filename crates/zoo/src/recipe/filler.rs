//! Generates filler, which has words of the questions but never answers one.

use std::sync::LazyLock;

use crate::edits::Draw;

use super::render::{Function, Sort, camel, function};

/// The word lists of `filler.txt`, one per line. Some of the nouns also occur in questions, because
/// a single word in common should not be enough to find an answer.
static WORDS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("../../../../eval-zoo/filler.txt").lines();
    lines.map(|line| line.split(' ').collect()).collect()
});
/// The lines of each list.
const AREAS: usize = 0;
const VERBS: usize = 1;
const NOUNS: usize = 2;
const QUALITIES: usize = 3;

fn pick(list: usize, draw: &mut Draw) -> &'static str {
    let words = WORDS.get(list).map_or(&[][..], Vec::as_slice);
    draw.of(words).copied().unwrap_or_default()
}

pub(super) fn path(pattern: &str, number: usize, draw: &mut Draw) -> String {
    let name = format!("{}_{}", pick(VERBS, draw), pick(NOUNS, draw));
    let big = camel(&name);
    pattern
        .replace("{area}", pick(AREAS, draw))
        .replace("{word}", pick(NOUNS, draw))
        .replace("{name}", &name)
        .replace("{Name}", &(big[..1].to_uppercase() + &big[1..]))
        .replace("{n}", &number.to_string())
}

pub(super) fn file(sort: Sort, number: usize, draw: &mut Draw) -> Vec<String> {
    let mut lines = match sort {
        Sort::Rust => vec![
            format!("//! {}.", sentence(draw)),
            String::new(),
            "use crate::model::{Input, Outcome};".to_owned(),
        ],
        Sort::Python => vec![
            format!("\"\"\"{}.\"\"\"", sentence(draw)),
            String::new(),
            "import math".to_owned(),
        ],
        Sort::Typescript => vec!["import { Input, Outcome } from \"../model\";".to_owned()],
        Sort::Go => vec![
            format!("// Package part{number}: {}.", sentence(draw)),
            format!("package part{number}"),
        ],
        Sort::Java => vec![
            format!("// {}.", sentence(draw)),
            format!("class Part{number} {{"),
        ],
        Sort::C => vec![
            format!("/* {}. */", sentence(draw)),
            "#include \"model.h\"".to_owned(),
        ],
        Sort::Markdown => vec![
            format!("# {}", sentence(draw)),
            String::new(),
            format!("{}.", sentence(draw)),
        ],
        Sort::Yaml => vec![format!("# {}", sentence(draw))],
        Sort::Csv => vec!["id,name,quality,amount".to_owned()],
        Sort::Jsonl => Vec::new(),
    };
    let parts = match sort {
        Sort::Csv | Sort::Jsonl => 1,
        _ => 3 + draw.below(5),
    };
    for _ in 0..parts {
        if !matches!(sort, Sort::Csv | Sort::Jsonl | Sort::Yaml) {
            lines.push(String::new());
        }
        lines.extend(part(sort, draw));
    }
    if sort == Sort::Java {
        lines.push("}".to_owned());
    }
    lines
}

/// Generates a part of a file: a function, a section, a block of settings, or rows.
pub(super) fn part(sort: Sort, draw: &mut Draw) -> Vec<String> {
    match sort {
        Sort::Markdown => {
            let mut lines = vec![format!("## {}", sentence(draw)), String::new()];
            lines.extend((0..2 + draw.below(5)).map(|_| {
                format!(
                    "{}, and then {}.",
                    sentence(draw),
                    sentence(draw).to_lowercase()
                )
            }));
            lines
        }
        Sort::Yaml => (0..4 + draw.below(6))
            .map(|at| {
                format!(
                    "{}_{}_{at}: {}",
                    pick(QUALITIES, draw),
                    pick(NOUNS, draw),
                    draw.below(9_000)
                )
            })
            .collect(),
        Sort::Csv => (0..40 + draw.below(120))
            .map(|at| {
                format!(
                    "{at},{} {},{},{}",
                    pick(NOUNS, draw),
                    draw.below(99),
                    pick(QUALITIES, draw),
                    draw.below(99_999)
                )
            })
            .collect(),
        Sort::Jsonl => (0..20 + draw.below(60))
            .map(|at| {
                format!(
                    "{{\"id\": {at}, \"text\": \"{} {}\", \"label\": \"{}\"}}",
                    pick(QUALITIES, draw),
                    pick(NOUNS, draw),
                    pick(NOUNS, draw)
                )
            })
            .collect(),
        code => written(code, draw),
    }
}

fn written(sort: Sort, draw: &mut Draw) -> Vec<String> {
    let (verb, quality, noun, other) = (
        pick(VERBS, draw),
        pick(QUALITIES, draw),
        pick(NOUNS, draw),
        pick(NOUNS, draw),
    );
    let name = format!("{verb}_{quality}_{noun}_{}", draw.below(1_000));
    let args = [noun.to_owned(), format!("{other}_limit")];
    let mut body = Vec::new();
    for at in 0..2 + draw.below(6) {
        let (verb, noun) = (pick(VERBS, draw), pick(NOUNS, draw));
        let number = draw.below(5_000);
        body.push(match draw.below(4) {
            0 => format!("if {noun}_{at} > {number} return {noun}_{at}"),
            1 => format!("call {verb}_{noun}({noun}_{at}, {number})"),
            _ => format!("{noun}_{at} = {verb}_{noun}({}, {number})", args[0]),
        });
    }
    body.push(format!("return {}", args[0]));
    let comment: Vec<String> = (0..1 + draw.below(2))
        .map(|_| format!("{}.", sentence(draw)))
        .collect();
    function(
        sort,
        &Function {
            name: &name,
            comment: &comment,
            args: &args,
            body: &body,
        },
    )
}

pub(super) fn sentence(draw: &mut Draw) -> String {
    let verb = pick(VERBS, draw);
    let verb = verb[..1].to_uppercase() + &verb[1..];
    let (first, second) = (pick(NOUNS, draw), pick(NOUNS, draw));
    match draw.below(4) {
        0 => format!(
            "{verb} the {} {first} before the {second} is {}",
            pick(QUALITIES, draw),
            pick(QUALITIES, draw)
        ),
        1 => format!(
            "{verb} every {first} of a {} {second}",
            pick(QUALITIES, draw)
        ),
        2 => format!(
            "{verb} what is left of the {first} when a {second} was {}",
            pick(QUALITIES, draw)
        ),
        _ => format!(
            "{verb} {first} and {second}, the {} one first",
            pick(QUALITIES, draw)
        ),
    }
}
