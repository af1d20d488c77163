//! The heuristics that can be left out, and the lines of code that each takes.

use std::path::Path;

use serde::Deserialize;

use crate::Error;

const SHIPPED: &str = include_str!("heuristics.toml");

/// A heuristic, as `heuristics.toml` has it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Heuristic {
    area: String,
    /// The name of its switch: `area/heuristic`.
    pub(super) name: String,
    /// Its places: a file, or `file#function`.
    code: Vec<String>,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    heuristic: Vec<Heuristic>,
    /// The measuring job of each area.
    job: std::collections::BTreeMap<String, String>,
}

fn listed() -> Result<Listed, Error> {
    Ok(toml::from_str(SHIPPED)?)
}

pub(super) fn of_area(area: &str) -> Result<Vec<Heuristic>, Error> {
    let mut heuristics = listed()?.heuristic;
    heuristics.retain(|heuristic| heuristic.area == area);
    if heuristics.is_empty() {
        return Err(format!(
            "no heuristic of area `{area}` is listed in `xtask/src/ablate/heuristics.toml`"
        )
        .into());
    }
    Ok(heuristics)
}

pub(super) fn job_of(area: &str) -> Result<String, Error> {
    let job = listed()?.job.remove(area);
    job.ok_or_else(|| {
        format!("area `{area}` has no measuring job in `xtask/src/ablate/heuristics.toml`").into()
    })
}

impl Heuristic {
    /// Lines of code, without comments, blank lines and tests.
    pub(super) fn lines(&self) -> Result<usize, Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap_or(Path::new("."));
        let mut lines = 0;
        for place in &self.code {
            let (file, function) = match place.split_once('#') {
                Some((file, function)) => (file, Some(function)),
                None => (place.as_str(), None),
            };
            let text = std::fs::read_to_string(root.join(file))
                .map_err(|error| format!("{}: `{file}`: {error}", self.name))?;
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            lines += match function {
                None => text.lines().filter(|line| is_code(line)).count(),
                Some(function) => function_lines(text, function).ok_or_else(|| {
                    format!("{}: `{file}` has no function `{function}`", self.name)
                })?,
            };
        }
        Ok(lines)
    }
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

/// The lines from the head of a function to the brace that closes it, at the same indentation.
fn function_lines(text: &str, function: &str) -> Option<usize> {
    let head = format!("fn {function}");
    let mut lines = text.lines().skip_while(|line| {
        let at = line.find(&head).map(|at| at + head.len());
        !at.is_some_and(|at| line[at..].starts_with(['(', '<']))
    });
    let first = lines.next()?;
    let indentation = first.len() - first.trim_start().len();
    let end = format!("{}}}", &first[..indentation]);
    let body = lines
        .take_while(|line| *line != end)
        .filter(|line| is_code(line))
        .count();
    Some(body + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_counted_to_their_brace() {
        let text = "fn one_more() {}\n\npub fn one<T>(\n    x: T,\n) {\n    // why\n    two();\n\n    if x {\n    }\n}\nfn two() {\n}\n";
        assert_eq!(function_lines(text, "one"), Some(7));
        assert_eq!(function_lines(text, "two"), Some(2));
        assert_eq!(function_lines(text, "three"), None);
    }

    #[test]
    fn listed_code_exists() {
        for heuristic in listed().unwrap().heuristic {
            assert!(heuristic.lines().unwrap() > 0, "{}", heuristic.name);
        }
    }
}
