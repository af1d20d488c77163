//! JUnit XML with arbitrary texts: the numbers of failed and passed tests are those we've written.

use std::fmt::Write as _;

use windlass_results::read_results;

/// Takes one test per part between `0x01` bytes. A part of odd length is a failed test with that
/// text.
pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let is_xml = |c: &char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let parts = text.split('\u{1}').take(50);
    let parts: Vec<String> = parts
        .map(|part| part.chars().filter(is_xml).collect())
        .collect();
    let mut xml = String::from("<testsuite name=\"s\">\n");
    let mut failed = 0;
    for (at, part) in parts.iter().enumerate() {
        let body = escaped(part);
        let _ = match part.len() % 2 {
            0 => writeln!(
                xml,
                "<testcase name=\"t{at}\"><system-out>{body}</system-out></testcase>"
            ),
            _ => {
                failed += 1;
                writeln!(
                    xml,
                    "<testcase name=\"t{at}\"><failure message=\"{body}\">{body}</failure></testcase>"
                )
            }
        };
    }
    xml.push_str("</testsuite>\n");
    let found = read_results(&xml).expect("valid JUnit XML");
    let tests = found.tests.expect("counted tests");
    assert_eq!(tests.failed as usize, failed, "{xml}");
    assert_eq!(tests.passed as usize, parts.len() - failed, "{xml}");
    assert_eq!(found.failures.len(), failed, "{xml}");
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}
