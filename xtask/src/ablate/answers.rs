//! The protocol between `cargo xtask ablate` and its child, a measuring program.
//!
//! The child first prints the class of each case in one line, separated by tabs. After that, each
//! line of its input requests one measurement, and names the heuristics to turn off. The child
//! answers with one character per case. For example, `++?!` means that two cases are right, the
//! third is only named, and the fourth is wrong.
//!
//! Measuring programs include this file, so that both sides always agree.

use std::io::{BufRead, Write};

/// Result of a case: the claim is right; it's missing, but named among the candidates; it's
/// missing; or it's wrong.
pub(crate) const RIGHT: char = '+';
pub(crate) const NAMED: char = '?';
pub(crate) const MISSING: char = '.';
pub(crate) const WRONG: char = '!';

/// Answers the measurements that `requests` asks for on `out`. `turn_off` turns heuristics off, and
/// `measure` returns the results of all cases.
///
/// # Errors
/// Returns an error if the build has no switches, if a measurement fails, or if `out` cannot be
/// written.
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
