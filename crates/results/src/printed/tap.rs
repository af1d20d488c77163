//! The Test Anything Protocol, as printed by node:test, mocha, tape, and many Perl programs.

use super::findings::Findings;
use super::hit::Hit;
use super::lines::indent;
use super::reader::{Own, Sheet};
use super::table::Verb;
use crate::in_short::with_what_follows;
use crate::{TestCount, TestOutcome};

#[derive(Default)]
pub(super) struct Tap {
    is_open: bool,
    /// Number of top-level tests, as planned and as reported (`told`).
    planned: Option<u32>,
    told: u32,
    /// The tests that enclose the current one, outermost first.
    names: Vec<String>,
    /// Depths of failures that no enclosing test has reported yet.
    failed: Vec<usize>,
    /// Counts of top-level tests without subtests.
    counted: TestCount,
    /// Counts of the closing summary.
    said: Option<TestCount>,
}

/// `not ok 2 - name # TODO why`
struct Point<'a> {
    is_ok: bool,
    name: &'a str,
    /// The line's directive: `SKIP` or `TODO`.
    directive: Option<String>,
    /// True if its subtests follow, up to a line with `}`.
    is_block: bool,
}

impl Own for Tap {
    fn act(&mut self, _: Verb, _: &Hit<'_>, _: &mut Sheet<'_, '_>) -> bool {
        false
    }

    fn other(&mut self, sheet: &mut Sheet<'_, '_>) -> bool {
        let line = sheet.lines.line();
        let begin = line.trim_start();
        let depth = indent(line);
        if line.starts_with("TAP version ") {
            self.end_stream(sheet.found);
            self.is_open = true;
            sheet.found.recognise();
        } else if let Some(point) = point(begin) {
            self.is_open = true;
            sheet.found.recognise();
            sheet.lines.pass(1);
            if point.is_block {
                self.begin_block(&point, depth);
                return true;
            }
            let said = sheet
                .lines
                .take_until(|line| !line.is_empty() && (indent(line) <= depth || point_of(line)));
            self.take_point(&point, depth, said, sheet.found);
            return true;
        } else if let Some(count) = plan(begin)
            && (self.is_open || point(sheet.lines.ahead(1)).is_some())
        {
            if depth == 0 {
                self.is_open = true;
                self.planned = Some(count);
            }
        } else if !self.is_open {
            return false;
        } else if let Some(name) = begin.strip_prefix("# Subtest: ") {
            // Each level is indented by four blanks.
            self.names.truncate(depth / 4);
            self.names.push(name.to_owned());
        } else if begin == "}" {
            // Failures inside of this block can't belong to a later test.
            self.failed.retain(|it| *it <= depth);
            self.names.truncate(depth / 4);
        } else if let Some((word, number)) = comment(line) {
            self.take_comment(word, number);
        } else if let Some(why) = begin.strip_prefix("Bail out!") {
            let said = format!("it bailed out: {}", why.trim());
            sheet.found.break_off("the TAP stream", &said);
            // Don't report the remaining tests of the plan as well.
            self.planned = Some(self.told);
        } else {
            return false;
        }
        sheet.lines.pass(1);
        true
    }

    fn end(&mut self, sheet: &mut Sheet<'_, '_>) {
        self.end_stream(sheet.found);
    }
}

impl Tap {
    fn begin_block(&mut self, point: &Point<'_>, depth: usize) {
        if depth == 0 {
            self.told = self.told.saturating_add(1);
        }
        self.names.truncate(depth / 4);
        self.names.push(point.name.to_owned());
    }

    fn take_point(&mut self, point: &Point<'_>, depth: usize, said: &str, found: &mut Findings) {
        if depth == 0 {
            self.told = self.told.saturating_add(1);
        }
        self.names.truncate(depth / 4);
        let has_failed_inside = self.failed.iter().any(|it| *it > depth);
        self.failed.retain(|it| *it <= depth);
        let is_suite = said.lines().any(|line| line.trim() == "type: 'suite'");
        let skips = point.directive.is_some();
        if !point.is_ok && !skips {
            self.failed.push(depth);
        }
        if !is_suite && !has_failed_inside {
            let one = |is: bool| u32::from(is);
            let into = &mut self.counted;
            into.passed += one(point.is_ok && !skips);
            into.failed += one(!point.is_ok && !skips);
            into.skipped += one(skips);
        }
        found.of_place(location(said));
        let mut names = self.names.clone();
        names.push(point.name.to_owned());
        let name = names.join(" › ");
        if skips && !is_suite {
            found.went(&name, TestOutcome::Skipped);
        } else if point.is_ok && !skips && !is_suite && !has_failed_inside {
            found.went(&name, TestOutcome::Passed);
        }
        // If a subtest failed, the test fails for that reason and adds nothing.
        if point.is_ok || skips || has_failed_inside {
            return;
        }
        found.fail(&name, &message(said), said);
    }

    fn take_comment(&mut self, word: &str, number: u32) {
        let said = self.said.get_or_insert_default();
        match word {
            "pass" => said.passed = number,
            "fail" => said.failed = said.failed.saturating_add(number),
            "cancelled" => said.failed = said.failed.saturating_add(number),
            "skipped" | "todo" => said.skipped = said.skipped.saturating_add(number),
            _ => {}
        }
    }

    fn end_stream(&mut self, found: &mut Findings) {
        let done = std::mem::take(self);
        if !done.is_open {
            return;
        }
        // The stream is cut if it has no plan, or fewer tests than planned.
        if done.planned.is_none_or(|planned| planned > done.told) {
            found.break_off("the TAP stream", "");
        }
        found.of_place(None);
        found.count(done.said.unwrap_or(done.counted));
    }
}

/// Returns the file in `location: '/r/a.test.js:3:1'`, node's form of a test's location.
fn location(said: &str) -> Option<&str> {
    let mut places = said.lines().filter_map(|line| {
        let place = line.trim().strip_prefix("location: ")?;
        Some(place.trim_matches(['\'', '"']))
    });
    let file = places
        .next()?
        .trim_end_matches(|c: char| c == ':' || c.is_ascii_digit());
    Some(file).filter(|file| !file.is_empty())
}

fn point_of(line: &str) -> bool {
    point(line.trim_start()).is_some() || line.trim_start().starts_with("# Subtest: ")
}

fn point(line: &str) -> Option<Point<'_>> {
    let (is_ok, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    let rest = rest.strip_prefix(' ')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let named = rest[digits..].trim_start();
    let is_numbered = digits > 0 && (rest.len() == digits || rest[digits..].starts_with(' '));
    if !is_numbered && !rest.starts_with("- ") {
        return None;
    }
    let named = named.strip_prefix("- ").unwrap_or(named);
    let (named, is_block) = match named.strip_suffix('{').map(untimed) {
        // Without a time, the brace may be part of the name.
        Some((name, is_timed)) if is_timed => (name, true),
        _ => (untimed(named).0, false),
    };
    let (name, directive) = match named.rsplit_once('#') {
        Some((name, word)) if name.is_empty() || name.ends_with(' ') => {
            let word = word
                .trim()
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_uppercase();
            (name.trim(), Some(word))
        }
        _ => (named.trim(), None),
    };
    let is_known = directive
        .as_deref()
        .is_some_and(|word| word.starts_with("SKIP") || word == "TODO");
    Some(Point {
        is_ok,
        name: if is_known { name } else { named.trim() },
        directive: directive.filter(|_| is_known),
        is_block,
    })
}

/// Splits a name and the time after it: `adds # time=12.91ms`. True means there was a time.
fn untimed(named: &str) -> (&str, bool) {
    let timed = named.trim_end().rsplit_once("# time=");
    let timed = timed.and_then(|(name, time)| Some((name, time.strip_suffix("ms")?)));
    match timed {
        Some((name, time)) if time.parse::<f64>().is_ok() => (name.trim_end(), true),
        _ => (named, false),
    }
}

/// Returns the number of tests of a plan line, such as 4 for `1..4`.
fn plan(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("1..")?;
    rest.split(' ').next()?.parse().ok()
}

/// `# pass 3`
fn comment(line: &str) -> Option<(&str, u32)> {
    let (word, number) = line.strip_prefix("# ")?.split_once(' ')?;
    let number = number.trim().parse().ok()?;
    matches!(
        word,
        "tests" | "pass" | "fail" | "cancelled" | "skipped" | "todo"
    )
    .then_some((word, number))
}

/// Returns the message after `error:` or `message:`, or the first line.
fn message(said: &str) -> String {
    let mut lines = said.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some(text) = line
            .strip_prefix("error:")
            .or_else(|| line.strip_prefix("message:"))
        else {
            continue;
        };
        let text = text.trim();
        if text.is_empty() {
            // The error is a block. Its message is under one of the keys that follow.
            continue;
        }
        if matches!(text, "|-" | "|" | ">-" | ">") {
            let mut told = lines.filter(|line| !line.is_empty());
            let first = told.next().unwrap_or_default();
            return with_what_follows(first, told);
        }
        return text.trim_matches(['\'', '"']).to_owned();
    }
    let first = said.lines().map(str::trim);
    let mut first = first.filter(|line| !line.is_empty() && *line != "---" && *line != "...");
    first.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn what_of_the_protocol_fails() {
        let text = "TAP version 13\n# Subtest: suite\n    # Subtest: works\n    ok 1 - works\n      ---\n      duration_ms: 0.1\n      ...\n    # Subtest: fails inside\n    not ok 2 - fails inside\n      ---\n      location: '/p/a.test.js:7:3'\n      error: 'boom'\n      ...\n    ok 3 - later # SKIP\n    1..3\nnot ok 1 - suite\n  ---\n  type: 'suite'\n  error: '1 subtest failed'\n  ...\nnot ok 2 - wrong # TODO some day\n1..2\n";
        let found = read(text);
        assert_eq!(found.failures.len(), 1, "{found:?}");
        let failure = &found.failures[0];
        assert_eq!(
            (&*failure.id, &*failure.summary),
            ("suite › fails inside", "boom")
        );
        assert_eq!(failure.places, ["/p/a.test.js:7"]);
        let tests = found.tests.unwrap();
        assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 1, 2));
    }

    #[test]
    fn timed_and_nested_tests_have_their_names() {
        let said = |indent: &str| {
            format!(
                "{indent}---\n{indent}error:\n{indent}    name: \"AssertionError\"\n{indent}    message: \"expected -1 to be 3\"\n{indent}at: \"a.spec.mjs:3:37\"\n{indent}...\n"
            )
        };
        let blocks = format!(
            "TAP version 13\n1..2\nnot ok 1 - a.spec.mjs # time=44.95ms {{\n    1..3\n    not ok 1 - adds # time=12.91ms\n{}    not ok 2 - inner # time=3ms {{\n        1..2\n        not ok 1 - deep # time=1ms\n{}        ok 2 - well # time=1ms\n    }}\n    ok 3 - fine # time=0.1ms\n}}\nok 2 - b.spec.mjs # time=1.5ms {{\n    1..1\n    ok 1 - later # SKIP\n}}\n",
            said("        "),
            said("            ")
        );
        let found = read(&blocks);
        let told = found.failures.iter().map(|it| (&*it.id, &*it.summary));
        let told: Vec<(&str, &str)> = told.collect();
        let wrong = "expected -1 to be 3";
        assert_eq!(
            told,
            [
                ("a.spec.mjs › adds", wrong),
                ("a.spec.mjs › inner › deep", wrong)
            ]
        );
        assert_eq!(found.failures[0].places, ["a.spec.mjs:3"]);
        let tests = found.tests.map(|it| (it.passed, it.failed, it.skipped));
        assert_eq!((tests, found.is_broken_off), (Some((2, 2, 1)), false));
        let names = found.names.iter().map(|it| &*it.name);
        let names: Vec<&str> = names.collect();
        assert_eq!(
            names,
            [
                "a.spec.mjs › inner › well",
                "a.spec.mjs › fine",
                "b.spec.mjs › later"
            ]
        );
        let flat = format!(
            "TAP version 13\n1..2\nnot ok 1 - a.spec.mjs > adds # time=12.91ms\n{}ok 2 - a.spec.mjs > fine {{\n",
            said("    ")
        );
        let found = read(&flat);
        assert_eq!(found.failures[0].id, "a.spec.mjs > adds");
        assert_eq!(found.names[0].name, "a.spec.mjs > fine {");
    }

    #[test]
    fn a_plan_that_is_not_kept_is_no_pass() {
        for text in [
            "1..3\nok 1 - a\nok 2 - b\n",
            "TAP version 14\nok 1 - a\n",
            "TAP version 14\n",
            "1..2\nok 1 - a\nBail out! no database\n",
        ] {
            let found = read(text);
            assert!(
                found.is_broken_off && found.failures.len() == 1,
                "{text}: {found:?}"
            );
        }
        let whole = read("1..2\nok 1 - a\nok 2 - b\n");
        assert!(whole.failures.is_empty() && !whole.is_broken_off);
        let mocha = read(
            "not ok 1 math adds\n  2 !== 1\n  AssertionError\n      at x (test/m.js:2:79)\n# tests 1\n# pass 0\n# fail 1\n1..1\n",
        );
        assert_eq!(mocha.failures[0].summary, "2 !== 1");
        assert_eq!(mocha.failures[0].places, ["test/m.js:2"]);
    }
}
