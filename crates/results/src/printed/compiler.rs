//! What compilers print: rustc, C, Go, TypeScript, javac, and `file:line:column: error: …` of any other.

use super::Program;
use super::printed_page::Page;
use crate::in_short::{in_short, told};
use crate::places_in::{of_kotlin, places_in};
use crate::{Failure, FailureKind};

/// Errors of compilers, each with the lines under it that show its place.
pub(super) struct Compiler;

impl Program for Compiler {
    fn take(&mut self, page: &mut Page<'_>) -> bool {
        let Some(message) = compiler_error(page.line()) else {
            return false;
        };
        error_block(message, page);
        true
    }
}

/// What TypeScript writes between the place and the message where people look at it; the line itself is shown below a blank one.
const PRETTY: &str = " - error ";

/// The message of `error[E0308]: mismatched types`, `error: …`, `src/a.c:3:5: error: …`.
fn compiler_error(line: &str) -> Option<&str> {
    let is_ours = |rest: &str| {
        !rest.starts_with("aborting due to")
            && !rest.starts_with("could not compile")
            && !rest.starts_with("test failed")
            && !rest.starts_with("test run failed")
            && !rest.starts_with("doctest failed")
            && !is_count_of_targets(rest)
    };
    if let Some(rest) = line.strip_prefix("error") {
        let message = rest.strip_prefix(": ").or_else(|| {
            rest.starts_with("[E")
                .then(|| rest.split_once("]: "))
                .flatten()
                .map(|(_, message)| message)
        })?;
        return is_ours(message).then_some(message);
    }
    // `src/a.c:3:5: error: …` of C, `src/app.ts(3,5): error TS2322: …` of TypeScript, `src/app.ts:3:5 - error TS2322: …` of it
    // on a terminal.
    let known = [": error: ", ": fatal error: ", ": error ", PRETTY];
    let found = known
        .iter()
        .find_map(|mark| Some((*mark, line.split_once(mark)?)));
    if let Some((mark, (place, message))) = found {
        let is_of_c = mark.ends_with(": ");
        let is_error = is_of_c || message.starts_with("TS");
        return (is_error && is_place(place)).then_some(message);
    }
    // `[ERROR] /src/A.java:[3,5] cannot find symbol` of Maven.
    if let Some((place, rest)) = line
        .strip_prefix("[ERROR] ")
        .and_then(|rest| rest.split_once(":["))
    {
        let (numbers, message) = rest.split_once("] ")?;
        let is_numbers = numbers.bytes().all(|b| b.is_ascii_digit() || b == b',');
        return (is_numbers && place.contains('.') && !place.contains(' ')).then_some(message);
    }
    // `e: file:///src/A.kt:3:5 Unresolved reference` of Kotlin.
    if let Some(rest) = line.strip_prefix("e: ") {
        if let Some((_, message)) = of_kotlin(rest) {
            return Some(message);
        }
        return (!places_in(rest).is_empty())
            .then(|| rest.split_once(' ').map_or(rest, |(_, message)| message));
    }
    // `./b.go:3:5: undefined: x` of Go, `vet: ./b.go:3:5: …` of go vet where it cannot read the code.
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let (file, rest) = line.split_once(".go:")?;
    let (place, message) = rest.split_once(": ")?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (place.split(':').all(is_number) && !file.contains(' ')).then_some(message)
}

/// Whether a text names a place in a file: `src/a.c:3:5`, `src/app.ts(3,5)`.
fn is_place(text: &str) -> bool {
    let in_brackets = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('));
    let is_numbers = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b',');
    in_brackets.is_some_and(|(file, numbers)| file.contains('.') && is_numbers(numbers))
        || !places_in(text).is_empty()
}

/// `3 targets failed:`, which cargo says at last.
fn is_count_of_targets(message: &str) -> bool {
    let rest = message.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < message.len()
        && (rest.starts_with(" targets failed") || rest.starts_with(" target failed"))
}

/// Takes an error with the lines under it that show its place.
fn error_block(message: &str, page: &mut Page<'_>) {
    let line = page.line();
    page.pass();
    let begins_with_number = |line: &str| line.starts_with(|c: char| c.is_ascii_digit());
    if line.contains(PRETTY) && page.line().is_empty() && begins_with_number(page.ahead(1)) {
        page.pass();
    }
    let is_end = |line: &str| {
        let begin = line.trim_start();
        let is_more = !line.is_empty()
            && (line.starts_with(' ')
                || begin.starts_with('|')
                || begin.starts_with(|c: char| c.is_ascii_digit()))
            && compiler_error(line).is_none();
        !is_more
    };
    let below = page.take_until(is_end);
    let text = [&[line], below].concat().join("\n");
    let places = places_in(&text);
    let place = places
        .first()
        .map_or(String::new(), |place| format!("{place}: "));
    let code = line
        .strip_prefix("error[")
        .and_then(|rest| rest.split(']').next());
    let id = format!("{place}{}", code.unwrap_or(message));
    if page.failures_from(0).iter().any(|it| it.id == id) {
        return;
    }
    page.add(Failure {
        id,
        kind: FailureKind::Error,
        summary: in_short(message),
        detail: told(&text).1,
        places,
        ..Failure::default()
    });
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn what_typescript_prints_on_a_terminal() {
        let text = "\u{1b}[96msrc/b.ts\u{1b}[0m:\u{1b}[93m4\u{1b}[0m:\u{1b}[93m1\u{1b}[0m - \u{1b}[91merror\u{1b}[0m\u{1b}[90m TS1005: \u{1b}[0m';' expected.\n\n\u{1b}[7m4\u{1b}[0m foo bar\n\u{1b}[7m \u{1b}[0m \u{1b}[91m    ~~~\u{1b}[0m\n\nsrc/c.ts:12:3 - error TS2322: no\n\n\nFound 2 errors in 2 files.\n\nErrors  Files\n     1  src/b.ts:4\n     1  src/c.ts:12\n";
        let found = crate::read_results(text).unwrap();
        let told = found
            .failures
            .iter()
            .map(|it| (&*it.summary, &*it.places[0]));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("TS1005: ';' expected.", "src/b.ts:4"),
                ("TS2322: no", "src/c.ts:12")
            ]
        );
        let detail = found.failures[0].detail.as_ref().unwrap();
        assert!(detail.contains("4 foo bar"), "{detail}");
        let none = read("a - error in the first part\nx:1:2 - error of mine\n");
        assert!(none.failures.is_empty(), "{none:?}");
    }

    #[test]
    fn what_go_vet_and_kotlin_print() {
        let told = |text: &str| -> Vec<(String, String, String)> {
            let found = read(text);
            let each = found.failures.into_iter();
            each.map(|it| (it.id, it.summary, it.places.join(" ")))
                .collect()
        };
        let one = |id: &str, said: &str, place: &str| {
            vec![(id.to_owned(), said.to_owned(), place.to_owned())]
        };
        for (text, id, said, place) in [
            (
                "# example.org/a\n# [example.org/a]\n./x.go:3:4: fmt.Printf format %d has arg s of wrong type string\n",
                "x.go:3: fmt.Printf format %d has arg s of wrong type string",
                "fmt.Printf format %d has arg s of wrong type string",
                "x.go:3",
            ),
            (
                "# example.org/a\nvet: ./x.go:3:4: undefined: y\n",
                "x.go:3: undefined: y",
                "undefined: y",
                "x.go:3",
            ),
            (
                "> Task :compileKotlin FAILED\ne: file:///home/ann/my%20shop/src/A.kt:3:5 Unresolved reference 'x'.\n\nFAILURE: Build failed with an exception.\n",
                "/home/ann/my shop/src/A.kt:3: Unresolved reference 'x'.",
                "Unresolved reference 'x'.",
                "/home/ann/my shop/src/A.kt:3",
            ),
            (
                "e: file:///C:/shop/src/A.kt:79:33 Unresolved reference: FileUtils\n",
                "C:/shop/src/A.kt:79: Unresolved reference: FileUtils",
                "Unresolved reference: FileUtils",
                "C:/shop/src/A.kt:79",
            ),
            (
                "e: /shop/src/A.kt: (38, 40): Unresolved reference: y\n",
                "/shop/src/A.kt:38: Unresolved reference: y",
                "Unresolved reference: y",
                "/shop/src/A.kt:38",
            ),
            (
                "e: /shop/build.gradle.kts:32:5: Unresolved reference: compile\n",
                "/shop/build.gradle.kts:32: Unresolved reference: compile",
                "Unresolved reference: compile",
                "/shop/build.gradle.kts:32",
            ),
        ] {
            assert_eq!(told(text), one(id, said, place), "{text}");
        }
        for text in [
            "w: file:///shop/src/A.kt:3:5 unused\n",
            "e: mail about A.kt: soon\n",
            "vet: nothing of x.go\n",
        ] {
            assert_eq!(told(text), [], "{text}");
        }
    }

    #[test]
    fn what_compilers_print() {
        let text = "error[E0308]: mismatched types\n --> src/lib.rs:3:5\n  |\n3 |     x\n  |     ^ expected `u8`\n\nerror: aborting due to 1 previous error\nsrc/a.c:12:3: error: expected ';'\n   12 |   x\n";
        let found = read(text);
        let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
        assert_eq!(ids, ["src/lib.rs:3: E0308", "src/a.c:12: expected ';'"]);
        assert_eq!(found.failures[0].summary, "mismatched types");
        assert!(
            found.failures[0]
                .detail
                .as_ref()
                .unwrap()
                .contains("expected `u8`")
        );
    }
}
