//! Patterns of text that must not be shared: personal data, the markup of agents, and the output of
//! programs.

use std::sync::OnceLock;

use regex::{Match, Regex};

use super::{TRANSCRIPT, personal};

pub(crate) const PERSONAL: &str = "personal-data";

/// A pattern of text that must not be shared, and the finding to report.
pub(crate) struct Sort {
    pub(crate) rule: &'static str,
    /// The message of the finding.
    pub(crate) what: &'static str,
    /// The help of the finding.
    pub(crate) help: &'static str,
    /// A cheap test that is true for every text with a match.
    ///
    /// Most other texts fail it. Compiling the regex is slow, and a single query rarely has to wait
    /// for it this way.
    may_stand_in: fn(&str) -> bool,
    /// Matches candidates, which `is_meant` has to confirm.
    pattern: &'static str,
    is_meant: fn(&str) -> bool,
    regex: OnceLock<Option<Regex>>,
}

impl Sort {
    const fn new(
        (rule, what, help): (&'static str, &'static str, &'static str),
        may_stand_in: fn(&str) -> bool,
        pattern: &'static str,
        is_meant: fn(&str) -> bool,
    ) -> Self {
        Self {
            rule,
            what,
            help,
            may_stand_in,
            pattern,
            is_meant,
            regex: OnceLock::new(),
        }
    }

    fn regex_for(&self, text: &str) -> Option<&Regex> {
        let compile = || Regex::new(self.pattern).ok();
        let regex = (self.may_stand_in)(text).then(|| self.regex.get_or_init(compile));
        regex.and_then(Option::as_ref)
    }

    pub(crate) fn hits<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        let hits = self.regex_for(text).map(|regex| regex.find_iter(text));
        let is_meant = self.is_meant;
        hits.into_iter()
            .flatten()
            .filter(move |hit| is_meant(hit.as_str()))
    }

    /// Replaces all matches with spaces, even those that `is_meant` rejects.
    pub(crate) fn blanked(&self, text: String) -> String {
        match self.regex_for(&text) {
            Some(regex) => regex.replace_all(&text, " ").into_owned(),
            None => text,
        }
    }
}

const ADDRESS: (&str, &str, &str) = (
    PERSONAL,
    "this looks like the e-mail address of a person",
    "name the role or the team; addresses at example.com are accepted",
);
const TELEPHONE: (&str, &str, &str) = (PERSONAL, "this looks like a telephone number", "remove it");
const ACCOUNT: (&str, &str, &str) = (
    PERSONAL,
    "this looks like the number of an account or of a payment card",
    "remove it",
);
const OF_A_STATE: (&str, &str, &str) = (
    PERSONAL,
    "this looks like a national identification number",
    "remove it",
);
const HOME: (&str, &str, &str) = (
    PERSONAL,
    "this looks like the home folder of a person",
    "write the path from `~`, or from the root of the repository",
);
const PASSED_ON: (&str, &str, &str) = (
    TRANSCRIPT,
    "this looks like the markup of an agent or a program",
    "keep the outcome",
);
const MESSAGE: (&str, &str, &str) = (
    TRANSCRIPT,
    "this looks like the message of an agent",
    "keep the outcome in your own words; put transcripts into `memory/transcripts/`, which is not shared",
);
const PRINTED: (&str, &str, &str) = (
    "raw-output",
    "this looks like the output of a program",
    "record its meaning; put the output into `memory/raw/`, which is not shared",
);

// Note that we write digits as `[0-9]`. `\d` would match any Unicode digit, but our predicates
// count bytes.
pub(crate) static SORTS: [Sort; 10] = [
    Sort::new(
        ADDRESS,
        |text| text.contains('@'),
        r"(?i)\b[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,24}\b",
        personal::is_address_of_somebody,
    ),
    Sort::new(
        TELEPHONE,
        |text| text.contains('+') && has_digits(text, 7),
        r"(?:^|[\s(])\+[0-9]{1,3}[ ./-]?\(?[0-9]{2,4}\)?(?:[ ./-]?[0-9]{2,4}){2,4}\b",
        |_| true,
    ),
    Sort::new(
        TELEPHONE,
        |text| has_digits(text, 7),
        r"(?i)(?:\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}\b|\b[0-9]{3}[.-][0-9]{3}[.-][0-9]{4}\b|\b(?:phone|tel|telephone|mobile|cell|fax)\b[.:]? *\(?0?[0-9](?:[ ()./-]{0,2}[0-9]){6,13}\b)",
        |_| true,
    ),
    Sort::new(
        ACCOUNT,
        // Both formats consist of at least 13 capitals and digits.
        |text| has_at_least(text, 13, |b| b.is_ascii_uppercase() || b.is_ascii_digit()),
        r"\b(?:[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?|[0-9](?:[ -]?[0-9]){12,18})\b",
        personal::is_account,
    ),
    Sort::new(
        OF_A_STATE,
        |text| has_digits(text, 9),
        r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b",
        personal::is_social_security,
    ),
    Sort::new(
        HOME,
        |text| text.contains("/home/") || text.contains("/Users/") || text.contains("\\Users"),
        r#"(?m)(?:^|[\s"'`(=:,<\[])(?:file://)?(?:/home/|/Users/|[A-Za-z]:(?:/|\\{1,2})Users(?:/|\\{1,2}))[A-Za-z0-9_][A-Za-z0-9_.-]*[/\\]"#,
        personal::is_home_of_somebody,
    ),
    Sort::new(
        PASSED_ON,
        |text| text.contains('<'),
        r"(?i)(?:</?(?:function_calls?|tool_use|tool_result|subagent\w*|antml:\w+)\b|<\|im_start\|>)",
        |_| true,
    ),
    Sort::new(
        MESSAGE,
        |text| text.contains("\"assistant\"") && text.contains("\"content\""),
        r#"(?s)"role"\s*:\s*"assistant".{0,200}?"content"\s*:"#,
        |_| true,
    ),
    Sort::new(
        PRINTED,
        |text| {
            let marks = [
                "Traceback (",
                "thread '",
                "npm ERR!",
                "npm error ",
                "error[E",
                "goroutine ",
            ];
            is_called_at(text) || marks.iter().any(|mark| text.contains(mark))
        },
        r"(?m)^(?:Traceback \(most recent call last\)|\s+at [\w.$<>/@-]+\((?:[\w./$-]+:[0-9]+|[\w./$-]+\.(?:java|kt|scala|groovy|clj)|Native Method|Unknown Source)\)[^\S\n]*(?:~?\[.*\])?\r?$|\s+at [\w.$<>`]+\([^)\n]*\) in \S.*:line [0-9]+\r?$|thread '[^']*'(?: \([0-9]+\))? panicked at|goroutine [0-9]+ \[[^\]\n]+\]:|npm ERR!|npm error code|error\[E[0-9]{4}\])",
        |_| true,
    ),
    // One location may be part of a sentence, but three such lines in a row are a stack trace.
    Sort::new(
        PRINTED,
        is_called_at,
        r"(?m)(?:^[ \t]+at \S.*:[0-9]+:[0-9]+\)?[ \t]*\r?(?:\n|\z)){3}",
        |_| true,
    ),
];

/// True if a line begins with `at`, like a frame of a stack trace in many languages.
fn is_called_at(text: &str) -> bool {
    let mut lines = text.lines();
    lines.any(|line| line.trim_start().starts_with("at "))
}

fn has_digits(text: &str, least: usize) -> bool {
    has_at_least(text, least, |b| b.is_ascii_digit())
}

fn has_at_least(text: &str, least: usize, is_such: impl Fn(u8) -> bool) -> bool {
    text.bytes().filter(|b| is_such(*b)).take(least).count() == least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_test_covers_regex() {
        let texts = [
            "a@b.de",
            " +1 234 567 89",
            "(+49 30 1234 5678)",
            "+123456",
            "+1234567",
            "(555) 123-4567",
            "555.123.4567",
            "tel: 0301234",
            "FAX 1234567",
            "DE02 1203 0000 0000 2020 51",
            "AB12CDEFGHIJKLMN",
            "4111 1111 1111 1111",
            "1234567890123",
            "123-45-6789",
            "/home/bob/x",
            r"C:\Users\bob\x",
            "D:/Users/bob/x",
            "<tool_use>",
            "</subagent_note x",
            "<|im_start|>user",
            "{\"role\": \"assistant\",\n \"content\": \"Done.\"}",
            "Traceback (most recent call last)",
            "  at a.b(c:1)",
            "   at A.B(String s) in /src/A.cs:line 12",
            "\n\u{2003}at main.rs(a/b)",
            "\u{a0}at x(y)",
            "\u{b}at x(y)",
            "thread 'main' panicked at",
            "npm ERR!",
            "npm error code ERESOLVE",
            "error[E0382]",
            "goroutine 7 [chan receive, 2 minutes]:",
            "thread 'main' (41) panicked at",
            " at f (a.js:1:2)\n at async g (file:///b.mjs:3:4)\r\n\tat /c.js:5:6",
        ];
        for text in texts {
            for sort in &SORTS {
                let regex = Regex::new(sort.pattern).unwrap();
                let looks_so = regex.is_match(text);
                assert!(
                    !looks_so || (sort.may_stand_in)(text),
                    "{text}: {}",
                    sort.what
                );
            }
        }
        for sort in &SORTS {
            let regex = Regex::new(sort.pattern).unwrap();
            assert!(
                texts.iter().any(|text| regex.is_match(text)),
                "{}",
                sort.pattern
            );
        }
    }
}
