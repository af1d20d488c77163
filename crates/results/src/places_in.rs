//! Finds file locations mentioned in a text.

use std::collections::BTreeSet;

/// Locations returned for one text, at most.
const MOST: usize = 4;
/// Parts of paths that belong to a tool or a library rather than to the tested project.
const FOREIGN: [&str; 11] = [
    "/site-packages/",
    "/dist-packages/",
    "node_modules/",
    "/lib/python",
    "/Lib/",
    "/rustc/",
    "/.cargo/registry/",
    "/go/src/",
    "/usr/lib/",
    "/usr/include/",
    "/pkg/mod/",
];
/// Prefixes of stack frames that belong to tools and libraries on the Java virtual machine.
const FOREIGN_FRAMES: [&str; 13] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "kotlin.",
    "scala.",
    "groovy.",
    "org.junit.",
    "junit.",
    "org.opentest4j.",
    "org.hamcrest.",
    "org.gradle.",
    "org.apache.maven.",
];

/// Returns the locations in a text: `src/main.rs:12`, `File "a.py", line 3`.
///
/// Of more than four, the first and last are kept. Those in libraries are used only if there are no
/// others.
pub(crate) fn places_in(text: &str) -> Vec<String> {
    let mut all: Vec<(bool, String)> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for line in text.lines() {
        let is_foreign_frame = is_foreign_frame(line);
        for place in of_line(line) {
            if seen.insert(place.clone()) {
                let is_foreign =
                    is_foreign_frame || FOREIGN.iter().any(|part| place.contains(part));
                all.push((is_foreign, place));
            }
        }
    }
    if all.iter().any(|(is_foreign, _)| !is_foreign) {
        all.retain(|(is_foreign, _)| !is_foreign);
    }
    if all.len() > MOST {
        // The innermost frame is at one of the two ends, depending on the language.
        all.drain(MOST / 2..all.len() - MOST / 2);
    }
    all.into_iter().map(|(_, place)| place).collect()
}

fn of_line(line: &str) -> impl Iterator<Item = String> + '_ {
    let python = line.trim().strip_prefix("File \"").and_then(|rest| {
        let (file, rest) = rest.split_once('"')?;
        let number = rest.strip_prefix(", line ")?;
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("{file}:{digits}"))
    });
    // `src/app.ts(3,5): error TS2322: …`
    let typescript = line.split_once("): error ").and_then(|(before, _)| {
        let (file, numbers) = before.rsplit_once('(')?;
        place_of(&format!("{}:{}", file.trim(), numbers.split(',').next()?))
    });
    // `/src/A.java:[3,5] cannot find symbol`
    let maven = line.split_once(":[").and_then(|(before, rest)| {
        let file = before.rsplit(' ').next()?;
        place_of(&format!("{file}:{}", rest.split(',').next()?))
    });
    let kotlin = line.strip_prefix("e: ").and_then(of_kotlin);
    let kotlin = kotlin.map(|(place, _)| place);
    let is_kotlin = kotlin.is_some();
    let is_part = |c: char| c.is_alphanumeric() || "/._-:+@\\".contains(c);
    let words = line.split(move |c: char| !is_part(c)).filter_map(place_of);
    // A URL would look like a file name.
    let words = words.filter(move |_| !is_kotlin);
    python
        .into_iter()
        .chain(typescript)
        .chain(maven)
        .chain(kotlin)
        .chain(words)
}

/// Returns the location and the message after Kotlin's `e: `: `file:///src/A.kt:3:5 …`,
/// `/src/A.kt:3:5: …`, `/src/A.kt: (3, 5): …`.
pub(crate) fn of_kotlin(said: &str) -> Option<(String, &str)> {
    let at = said.find(".kt")?;
    let behind = &said[at + ".kt".len()..];
    let behind = behind.strip_prefix('s').unwrap_or(behind);
    let file = &said[..said.len() - behind.len()];
    let behind = behind.strip_prefix(':')?;
    let (line, message) = match behind.strip_prefix(" (") {
        Some(numbers) => {
            let (numbers, message) = numbers.split_once("): ")?;
            (numbers.split(',').next()?, message)
        }
        None => {
            let (numbers, message) = behind.split_once(' ')?;
            (numbers.split(':').next()?, message)
        }
    };
    let is_number = !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
    let file = match file.strip_prefix("file://") {
        // Windows has `/C:/src/A.kt`.
        Some(path) if path.get(2..3) == Some(":") => path[1..].replace("%20", " "),
        Some(path) => path.replace("%20", " "),
        None => file.to_owned(),
    };
    is_number.then(|| (format!("{file}:{line}"), message.trim()))
}

/// Returns true for a Java stack frame outside the project's code: `at org.junit.Assert.fail(…)`.
fn is_foreign_frame(line: &str) -> bool {
    let Some(frame) = line.trim_start().strip_prefix("at ") else {
        return false;
    };
    // The class may follow a loader and a module: `app//org.junit…`, `java.base/java.lang…`.
    let class = frame.split('(').next().unwrap_or_default();
    let class = class.rsplit('/').next().unwrap_or_default();
    FOREIGN_FRAMES.iter().any(|begin| class.starts_with(begin))
}

/// Returns `src/main.rs:12` for `src/main.rs:12:5`, or `None` without a file and a line.
fn place_of(word: &str) -> Option<String> {
    // Windows has `C:\src\a.py:3`.
    let drive = word.get(..2).filter(|drive| {
        drive.ends_with(':') && drive.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let drive = drive.filter(|_| word[2..].starts_with(['\\', '/']));
    let rest = &word[drive.map_or(0, str::len)..];
    let mut parts = rest.splitn(3, ':');
    let (file, line) = (parts.next()?, parts.next()?);
    let (stem, ending) = file.rsplit_once('.')?;
    let is_ending = (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.chars().any(|c| c.is_ascii_alphabetic());
    let is_line = !line.is_empty() && line.len() < 8 && line.chars().all(|c| c.is_ascii_digit());
    let drive = drive.unwrap_or_default();
    (is_ending && is_line && !stem.is_empty())
        .then(|| format!("{drive}{}:{line}", file.trim_start_matches("./")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_wherever_they_stand() {
        let text = "  --> src/lib.rs:3:5\nat ./a/b.test.ts:10\n  File \"x y.py\", line 7, in f\nhttp://x.org:80/ 12:30:11 v1.2:3";
        assert_eq!(
            places_in(text),
            ["src/lib.rs:3", "a/b.test.ts:10", "x y.py:7"]
        );
        assert_eq!(
            places_in("[ERROR] /src/A.java:[3,5] cannot\nC:\\src\\a.py:9: x"),
            ["/src/A.java:3", "C:\\src\\a.py:9"]
        );
    }

    #[test]
    fn a_long_way_through_libraries_hides_no_place() {
        let mut text = String::from("File \"t/test_a.py\", line 3, in test\n");
        for line in 1..30 {
            text.push_str(&format!(
                "File \"/v/lib/python3.11/site-packages/x.py\", line {line}, in f\n"
            ));
        }
        text.push_str("File \"src/a.py\", line 9, in deep\n");
        assert_eq!(places_in(&text), ["t/test_a.py:3", "src/a.py:9"]);
        let java = "at org.junit.Assert.fail(Assert.java:89)\nat app//org.junit.jupiter.X.y(X.java:1)\nat java.base/java.lang.T.run(T.java:2)\nat a.CalcTest.bad(CalcTest.java:6)";
        assert_eq!(places_in(java), ["CalcTest.java:6"]);
        let only = "at org.junit.Assert.fail(Assert.java:89)";
        assert_eq!(places_in(only), ["Assert.java:89"]);
        let many: String = (1..9).map(|n| format!("a{n}.c:{n}: x\n")).collect();
        assert_eq!(places_in(&many), ["a1.c:1", "a2.c:2", "a7.c:7", "a8.c:8"]);
    }
}
