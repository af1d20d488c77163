//! ESLint, as it prints by itself ("stylish"): the file, and below it a line for each thing that it found.

use super::Program;
use super::printed_page::Page;
use crate::in_short::in_short;
use crate::{Failure, FailureKind};

#[derive(Default)]
pub(super) struct Eslint {
    /// The file that was found to have something.
    file: Option<String>,
    /// Whether it was not yet said how much was found.
    is_open: bool,
}

impl Program for Eslint {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let line = page.line();
        if is_file(line) && finding(page.ahead(1)).is_some() {
            self.file = Some(line.to_owned());
            self.is_open = true;
            page.recognise();
        } else if let Some(file) = &self.file
            && let Some(found) = finding(line)
        {
            if found.is_error {
                page.add(found.of(file));
            }
        } else if let Some(errors) = summed_up(line) {
            self.file = None;
            self.is_open = false;
            page.recognise();
            if errors > 0 && page.is_all_well() {
                page.tell(line, line, FailureKind::Error);
            }
        } else if line.starts_with("ESLint found too many warnings") {
            page.tell(line, line, FailureKind::Error);
        } else {
            return false;
        }
        page.pass();
        true
    }

    fn end(&mut self, page: &mut Page<'_>) {
        if self.is_open {
            page.is_cut();
        }
    }
}

/// What stands on one line of a file.
struct Finding<'l> {
    line: &'l str,
    is_error: bool,
    message: &'l str,
    /// Where it is no mistake of the syntax.
    rule: Option<&'l str>,
}

impl Finding<'_> {
    fn of(&self, file: &str) -> Failure {
        let place = format!("{file}:{}", self.line);
        Failure {
            id: format!("{place}: {}", self.rule.unwrap_or(self.message)),
            kind: FailureKind::Error,
            summary: in_short(self.message),
            places: vec![place],
            ..Failure::default()
        }
    }
}

/// Whether a line may be the name of a file.
fn is_file(line: &str) -> bool {
    !line.starts_with([' ', '\t']) && line.contains(['.', '/', '\\'])
}

/// `  3:10  error  'x' is not defined  no-undef`
fn finding(line: &str) -> Option<Finding<'_>> {
    let (place, rest) = line.strip_prefix("  ")?.trim_start().split_once("  ")?;
    let (line, column) = place.split_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (word, rest) = rest.trim_start().split_once("  ")?;
    let is_error = word == "error";
    if !is_number(line) || !is_number(column) || !is_error && word != "warning" {
        return None;
    }
    let rest = rest.trim();
    let parts = rest.rsplit_once("  ");
    let parts = parts.filter(|(_, rule)| !rule.contains(' '));
    let (message, rule) = match parts {
        Some((message, rule)) => (message.trim_end(), Some(rule)),
        None => (rest, None),
    };
    Some(Finding {
        line,
        is_error,
        message,
        rule,
    })
}

/// How many errors `✖ 4 problems (3 errors, 1 warning)` tells of.
fn summed_up(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("✖ ")?;
    let (problems, rest) = rest.split_once(" (")?;
    let (number, word) = problems.split_once(' ')?;
    let (errors, _) = rest.split_once(" error")?;
    let is_it = number.parse::<u32>().is_ok() && matches!(word, "problem" | "problems");
    errors.parse().ok().filter(|_| is_it)
}

#[cfg(test)]
mod tests {
    use super::super::read;

    const TEXT: &str = "\n/home/ann/shop/src/bad.js\n  3:1  error  Parsing error: Unexpected token\n\n/home/ann/shop/src/two.js\n  2:1   error    'undefinedFn' is not defined         no-undef\n  4:7   warning  Expected '===' and instead saw '=='  eqeqeq\n  4:13  error    Empty block statement                no-empty\n\n✖ 4 problems (3 errors, 1 warning)\n\n";

    #[test]
    fn errors_are_told_with_their_places() {
        let found = read(TEXT);
        let told = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary, &*it.places[0]));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                (
                    "/home/ann/shop/src/bad.js:3: Parsing error: Unexpected token",
                    "Parsing error: Unexpected token",
                    "/home/ann/shop/src/bad.js:3"
                ),
                (
                    "/home/ann/shop/src/two.js:2: no-undef",
                    "'undefinedFn' is not defined",
                    "/home/ann/shop/src/two.js:2"
                ),
                (
                    "/home/ann/shop/src/two.js:4: no-empty",
                    "Empty block statement",
                    "/home/ann/shop/src/two.js:4"
                ),
            ]
        );
        assert!(!found.is_broken_off);
        // What ends before it says how much it found is cut.
        let cut = read(&TEXT[..TEXT.find('✖').unwrap()]);
        assert!(cut.is_broken_off && cut.failures.len() == 3);
    }

    #[test]
    fn warnings_alone_are_no_failure_unless_they_are_too_many() {
        let warned = "\n/a/two.js\n  4:7  warning  Expected '==='  eqeqeq\n\n✖ 1 problem (0 errors, 1 warning)\n\n";
        let found = read(warned);
        assert!(
            found.is_recognised && found.failures.is_empty(),
            "{found:?}"
        );
        let many = format!("{warned}ESLint found too many warnings (maximum: 0).\n");
        assert_eq!(read(&many).failures.len(), 1);
        for other in [
            "a table:\n  3:1  error  of mine\n",
            "  3:1  error  of nobody  rule\n",
        ] {
            assert!(read(other).failures.is_empty(), "{other}");
        }
    }
}
