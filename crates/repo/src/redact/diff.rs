//! Changes as git shows them: a value may stand on the line behind its name, and each of both lines has a sign in front.
//!
//! Nearly no text is one, which one fast look tells. What is one has also to be looked at with a blank in place of each
//! sign: all lines are as far in to each other then as they are in their file.

use memchr::memmem;

use super::mark::HIDDEN;

/// What the first line of each part of a change begins with.
const HEAD: &[u8] = b"@@ -";

/// How far from each other changes stand that are looked at as one, in bytes: the heads of files stand between most.
const NEAR: usize = 1 << 10;

/// Whether a text shows a change.
pub(super) fn stands_in(bytes: &[u8]) -> bool {
    bytes.starts_with(HEAD) || memmem::find(bytes, b"\n@@ -").is_some()
}

/// The parts of a text that show a change, each with where it begins and a blank in place of the sign of each changed line. What stands
/// near each other is one part.
pub(super) fn parts_without_signs(bytes: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut parts: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut is_inside = false;
    let mut start = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let is_changed = is_inside && matches!(line.first(), Some(b'+' | b'-'));
        let goes_on = matches!(line.first(), Some(b' ' | b'\n' | b'\r' | b'\\' | &HIDDEN));
        is_inside = is_changed || (is_inside && goes_on) || line.starts_with(HEAD);
        if is_inside {
            let is_near = |(at, part): &(usize, Vec<u8>)| start - (at + part.len()) <= NEAR;
            if !parts.last().is_some_and(is_near) {
                parts.push((start, Vec::new()));
            }
            if let Some((at, part)) = parts.last_mut() {
                part.extend(&bytes[*at + part.len()..start]);
                let sign = part.len();
                part.extend(line);
                if is_changed {
                    part[sign] = b' ';
                }
            }
        }
        start += line.len();
    }
    parts
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
        let head = diff.find('@').unwrap();
        let end = diff.find("diff").unwrap();
        let far = " \n".repeat(NEAR);
        let text = format!("{diff}{far}x\n{far}@@ -1 +1 @@\n-y\n");
        let want = [
            (head, want.as_bytes()[head..end].to_vec()),
            (text.rfind('@').unwrap() - 10, b"@@ -1 +1 @@\n y\n".to_vec()),
        ];
        assert_eq!(parts_without_signs(text.as_bytes()), want);
        let twice = diff.repeat(2);
        let parts = parts_without_signs(twice.as_bytes());
        assert_eq!((parts.len(), parts[0].0), (1, head));
        assert_eq!(head + parts[0].1.len(), diff.len() + end);
    }
}
