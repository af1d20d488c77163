//! Unified diffs. Applied to the old text, a diff gives the new one, and its counts are those of
//! its lines. A secret is found even behind the signs at the start of lines.

use windlass_context::difference;
use windlass_redact::redact_for_cache;

/// Separator between the old and the new text.
const BETWEEN: char = '\u{1}';

/// A secret value whose form every rule set recognizes.
const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

pub(crate) fn check(bytes: &[u8]) {
    // Give the last line an end, because the diff here has no way to mark a missing one.
    let text = String::from_utf8_lossy(bytes).replace('\r', "");
    let (old, new) = text.split_once(BETWEEN).unwrap_or((&text, ""));
    let (old, new) = (format!("{old}\n"), format!("{new}\n"));
    let Some(found) = difference(&old, &new, usize::MAX) else {
        return;
    };
    assert_eq!(found.left_out, 0);
    let signed = |sign: char| {
        found
            .text
            .lines()
            .filter(|line| line.starts_with(sign))
            .count()
    };
    assert_eq!(signed('+'), found.added as usize, "{}", found.text);
    assert_eq!(signed('-'), found.removed as usize, "{}", found.text);
    assert_eq!(applied(&found.text, &old), new, "{}", found.text);
    let (shown, _) = redact_for_cache(&format!("{}\n@@ -1 +1 @@\n+key = {SECRET}\n", found.text));
    assert!(!shown.as_str().contains(SECRET), "{}", found.text);
}

/// Applies a diff that has no file header.
fn applied(diff: &str, old: &str) -> String {
    let mut rest = old.split_inclusive('\n');
    let mut new = String::new();
    let mut at = 1;
    for line in diff.split('\n').filter(|line| !line.is_empty()) {
        if let Some(head) = line.strip_prefix("@@ -") {
            let (start, count) = range(head);
            // A hunk without old lines starts after the line it names.
            let first = start + usize::from(count == 0);
            new.extend(rest.by_ref().take(first - at));
            at = first;
        } else {
            let (sign, text) = line.split_at(1);
            if sign != "+" {
                assert_eq!(rest.next(), Some(format!("{text}\n").as_str()), "{diff}");
                at += 1;
            }
            if sign != "-" {
                new += text;
                new.push('\n');
            }
        }
    }
    new.extend(rest);
    new
}

fn range(head: &str) -> (usize, usize) {
    let numbers = head.split(' ').next().unwrap_or_default();
    let (start, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
    let number = |text: &str| text.parse().expect("a number in the head of a hunk");
    (number(start), number(count))
}
