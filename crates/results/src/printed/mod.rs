//! Reads results in printed output. A table describes the lines of each program, and all other
//! lines are skipped.
//!
//! Each program has a reader, which tries the rules of its program. The first program with a rule
//! for a line takes it. For example, `test a::b ... FAILED` matches a rule of cargo, which records
//! the outcome of a test. A rule can also change the state of its program: `running 3 tests` opens
//! a run. If the text ends before `test result:`, we report that cargo test did not end.
//!
//! Anything else is code, in a file per program. There is one for pytest, for example, since it
//! prints the output of a test under a shorter name than its outcome.

mod cargo;
mod counts;
mod findings;
mod go_json;
mod go_test;
mod gtest;
mod hit;
mod java_list;
mod lines;
mod mocha;
mod nextest;
mod node_test;
mod pattern;
mod pytest;
mod reader;
mod table;
mod tap;
#[cfg(test)]
mod tests;

use self::findings::Findings;
use self::lines::Lines;
use self::reader::{Own, Reader};
use self::table::TABLE;
use crate::Results;

/// Returns the code for steps of a program that rules cannot express, if it has any.
fn own(name: &str) -> Option<Box<dyn Own>> {
    Some(match name {
        "cargo" => Box::new(cargo::Cargo::default()),
        "go" => Box::new(go_test::Go::default()),
        "gtest" => Box::new(gtest::Gtest::default()),
        "java" => Box::new(java_list::JavaList),
        "mocha" => Box::new(mocha::Mocha::default()),
        "nextest" => Box::new(nextest::Nextest::default()),
        "node" => Box::new(node_test::Node::default()),
        "pytest" => Box::new(pytest::Pytest::default()),
        "tap" => Box::new(tap::Tap::default()),
        _ => return None,
    })
}

pub(super) fn read(text: &str) -> Results {
    let text = match go_json::is_json(text) {
        true => go_json::text_of_json(text),
        false => text.to_owned(),
    };
    let text: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = text.join("\n");
    let mut lines = Lines::of(&text);
    let mut found = Findings::default();
    let programs = TABLE.programs.iter();
    let mut readers: Vec<Reader> = programs
        .map(|program| Reader::of(program, own(&program.name)))
        .collect();
    while lines.is_more() {
        let before = lines.at();
        let is_known = readers.iter_mut().any(|reader| {
            found.read_by(&reader.program.name);
            reader.take(&mut lines, &mut found)
        });
        // No program knows the line. Skipping it also ensures that a rule which takes no lines
        // can't keep us here forever.
        if !is_known || lines.at() == before {
            lines.return_to(before);
            lines.pass(1);
        }
    }
    for reader in &mut readers {
        found.read_by(&reader.program.name);
        reader.end(&mut lines, &mut found);
    }
    found.settled()
}
