//! Changes as git shows them: a value may stand on the line behind its name, and each of both lines has a sign in front.
//!
//! Nearly no text is one, which one fast look tells. One that is has also to be looked at with a blank in place of each
//! sign: all lines are as far in to each other then as they are in their file.

use memchr::memmem;

use super::mark::HIDDEN;

/// What the first line of each part of a change begins with.
const HEAD: &[u8] = b"@@ -";

/// Whether a text shows a change.
pub(super) fn stands_in(bytes: &[u8]) -> bool {
    bytes.starts_with(HEAD) || memmem::find(bytes, b"\n@@ -").is_some()
}

/// The text with a blank in place of the sign of each changed line.
pub(super) fn without_signs(bytes: &[u8]) -> Vec<u8> {
    let mut plain = bytes.to_vec();
    let mut is_inside = false;
    let mut start = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        match line.first() {
            Some(b'+' | b'-') if is_inside => plain[start] = b' ',
            Some(b' ' | b'\n' | b'\r' | b'\\' | &HIDDEN) => {}
            _ => is_inside = line.starts_with(HEAD),
        }
        start += line.len();
    }
    plain
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
        assert!(stands_in(diff.as_bytes()) && !stands_in(b"-a\n+b @@ -1\n"));
        assert_eq!(without_signs(diff.as_bytes()), want.as_bytes());
    }
}
