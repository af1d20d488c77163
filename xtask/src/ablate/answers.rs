//! Protocol between `cargo xtask ablate` and its child, a measuring program.
//!
//! The child prints the class of each case in one line, separated by tabs. Then each line of its
//! input is one measurement: it names the heuristics to turn off. The child answers with one
//! character per case: `++?!` says that the third of four cases is only named, and the last is wrong.

use std::io::{BufRead, Write};

/// Answers per case: the claim or result is right; it's missing, but named among the candidates;
/// it's missing; or it's wrong.
pub(crate) const RIGHT: char = '+';
pub(crate) const NAMED: char = '?';
pub(crate) const MISSING: char = '.';
pub(crate) const WRONG: char = '!';

/// Answers the measurements of `requests` on `out`. `turn_off` turns heuristics off, and `measure` returns the results of
/// all cases.
///
/// # Errors
/// Returns an error if the build has no switches, if a measurement fails, or if `out` cannot be written.
pub(crate) fn answer(
    classes: &[String],
    turn_off: impl Fn(&[&str]) -> bool,
    mut measure: impl FnMut() -> Result<String, Box<dyn std::error::Error>>,
    (requests, out): (impl BufRead, &mut impl Write),
) -> Result<(), Box<dyn std::error::Error>> {
    writeln!(out, "{}", classes.join("\t"))?;
    for line in requests.lines() {
        let line = line?;
        let names: Vec<&str> = line.split_whitespace().collect();
        if !turn_off(&names) {
            return Err("the build has no switches: run `cargo xtask ablate AREA`".into());
        }
        writeln!(out, "{}", measure()?)?;
    }
    Ok(())
}
