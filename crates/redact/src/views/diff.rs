//! Diffs in git's format. A value may be on the line behind its name, where both lines begin with a
//! sign.
//!
//! A single search for the head of a hunk finds the few texts that are diffs. We scan those with a
//! blank in place of each sign, which keeps the indentation of the lines relative to each other.

use memchr::memmem;
use windlass_base::is_on;

use crate::hidden::HIDDEN;

/// The prefix of a hunk's first line.
const HEAD: &[u8] = b"@@ -";

/// The same prefix, behind the end of a line.
const NEXT_HEAD: &[u8] = b"\n@@ -";

/// True if a text contains a diff.
pub(crate) fn is_diff(bytes: &[u8]) -> bool {
    if !is_on("redact.diff") {
        return false;
    }
    bytes.starts_with(HEAD) || memmem::find(bytes, NEXT_HEAD).is_some()
}

/// Puts a blank in place of the sign of each changed line.
pub(crate) fn blank_signs(bytes: &mut [u8]) {
    let mut at = 0;
    let mut is_inside = bytes.starts_with(HEAD);
    while at < bytes.len() {
        if !is_inside {
            // Most of a text may be outside of any change.
            let Some(head) = memmem::find(&bytes[at..], NEXT_HEAD) else {
                return;
            };
            at += head + 1;
            is_inside = true;
        }
        let line = &bytes[at..];
        match line[0] {
            b'+' | b'-' => bytes[at] = b' ',
            b' ' | b'\n' | b'\r' | b'\\' | HIDDEN => {}
            _ => is_inside = line.starts_with(HEAD),
        }
        if is_inside {
            let end = memchr::memchr(b'\n', &bytes[at..]);
            at = end.map_or(bytes.len(), |end| at + end + 1);
        } else {
            // The line end before the next part may also be the one before this line.
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signs_of_changed_lines_are_left_out() {
        let diff =
            "-x\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n-b\n+- c\n\\ No end\ndiff\n--- a/g\n+x\n";
        let want =
            "-x\n--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n b\n - c\n\\ No end\ndiff\n--- a/g\n+x\n";
        assert!(is_diff(diff.as_bytes()) && !is_diff(b"-a\n+b @@ -1\n"));
        let mut blanked = format!("-a\n{diff}{diff}x\n@@ -1\n-y").into_bytes();
        blank_signs(&mut blanked);
        let blanked = String::from_utf8(blanked).unwrap();
        assert_eq!(blanked, format!("-a\n{want}{want}x\n@@ -1\n y"));
    }
}
