//! Captures the first and the last lines of a stream in a buffer of fixed size.
//!
//! A program may print gigabytes, but we don't need more than what fits a pack. The difficulty is
//! that we also have to redact secrets, and a secret may begin before the retained part or end
//! after it. A private key, for example, spans many lines, and its header may be just outside. So
//! the buffer is larger than the result by `SECRET_REACH` at each end.

use std::collections::VecDeque;

use windlass_base::{Redacted, counted};
use windlass_redact::{SECRET_REACH, redact_text};

#[derive(Debug)]
pub(crate) struct Capture {
    room: Room,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    line_ends: u64,
    ends_in_a_line: bool,
}

/// Number of bytes to retain, in total and at each end.
#[derive(Debug, Clone, Copy)]
struct Room {
    max: usize,
    head: usize,
    tail: usize,
}

#[derive(Debug)]
pub(crate) enum Kept {
    /// The whole stream.
    Whole(Redacted),
    /// The first and the last lines.
    Cut(Cut),
}

#[derive(Debug)]
pub(crate) struct Cut {
    head: Vec<Redacted>,
    tail: Vec<Redacted>,
    /// False if the program ended in the middle of a line.
    ended: bool,
    bytes_left_out: u64,
    lines_left_out: u64,
}

impl Capture {
    /// Creates a capture of about `max` bytes: a quarter from the beginning, and the rest from the
    /// end, because that's where programs report errors.
    pub(crate) fn new(max: usize) -> Self {
        let head = max / 4;
        let room = Room {
            max,
            head,
            tail: max - head,
        };
        Self {
            room,
            head: Vec::new(),
            tail: VecDeque::new(),
            bytes: 0,
            line_ends: 0,
            ends_in_a_line: false,
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let Some(last) = chunk.last() else { return };
        self.bytes += chunk.len() as u64;
        self.line_ends += memchr::memchr_iter(b'\n', chunk).count() as u64;
        self.ends_in_a_line = *last != b'\n';
        let room = (self.room.head + SECRET_REACH).saturating_sub(self.head.len());
        let (first, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self
            .tail
            .len()
            .saturating_sub(self.room.tail + SECRET_REACH);
        self.tail.drain(..over);
    }

    pub(crate) fn finish(mut self) -> Kept {
        let held = (self.head.len() + self.tail.len()) as u64;
        let whole = held == self.bytes;
        let tail: Vec<u8> = std::mem::take(&mut self.tail).into();
        if whole {
            self.head.extend_from_slice(&tail);
            // Redaction can make a text longer, so check the size before and after it.
            let text = redacted(&self.head);
            if text.as_str().len() <= self.room.max && self.head.len() <= self.room.max {
                return Kept::Whole(text);
            }
            let lines = Lines::of(&self.head);
            let count = lines.kept.len();
            let head = lines.first(self.room.head, count);
            let tail = lines.last(self.room.tail, count - head);
            return self.cut(&lines, head, &lines, tail);
        }
        let (head_lines, tail_lines) = (Lines::of(&self.head), Lines::of(&tail));
        // The buffers may have cut the last line of the head and the first line of the tail, so
        // drop both. Half a secret might not look like one.
        let head = head_lines.first(self.room.head, head_lines.kept.len().saturating_sub(1));
        let known = if head_lines.end_in_a_secret() {
            // If the head ends within a secret of several lines, the secret may go on anywhere into
            // the tail. None of those lines is safe to keep.
            0
        } else {
            tail_lines.kept.len().saturating_sub(1)
        };
        let tail = tail_lines.last(self.room.tail, known);
        self.cut(&head_lines, head, &tail_lines, tail)
    }

    fn cut(&self, in_head: &Lines, head: usize, in_tail: &Lines, tail: usize) -> Kept {
        let tail_from = in_tail.kept.len() - tail;
        let kept = |lines: &[usize]| lines.iter().map(|bytes| *bytes as u64).sum::<u64>();
        let bytes = kept(&in_head.bytes[..head]) + kept(&in_tail.bytes[tail_from..]);
        let lines = self.line_ends + u64::from(self.ends_in_a_line);
        Kept::Cut(Cut {
            head: in_head.kept[..head].to_vec(),
            tail: in_tail.kept[tail_from..].to_vec(),
            ended: !self.ends_in_a_line,
            bytes_left_out: self.bytes - bytes,
            lines_left_out: lines - (head + tail) as u64,
        })
    }
}

struct Lines {
    kept: Vec<Redacted>,
    /// Size of each line before redaction, including its newline.
    bytes: Vec<usize>,
}

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let printed: Vec<usize> = bytes
            .split_inclusive(|b| *b == b'\n')
            .map(<[u8]>::len)
            .collect();
        let text = redacted(bytes);
        // Redaction preserves newlines, so both lists are equally long.
        let kept = text.lines().take(printed.len()).collect();
        Self {
            kept,
            bytes: printed,
        }
    }

    /// True if the buffer ends within a secret of several lines. We can't know for sure; two
    /// redacted lines in a row at the end are a good sign.
    fn end_in_a_secret(&self) -> bool {
        let is_secret = |line: &Redacted| {
            let text = line.as_str().trim_end();
            text.ends_with(']') && text.contains("[redacted:")
        };
        let last: Vec<&Redacted> = self.kept.iter().rev().take(2).collect();
        last.len() == 2 && last.into_iter().all(is_secret)
    }

    /// Counts the lines from the start that fit into `room`, both before and after redaction, among
    /// the first `among` lines.
    fn first(&self, room: usize, among: usize) -> usize {
        self.fitting(room, 0..among)
    }

    /// Like [`first`](Self::first), but counts backwards from the end, among the last `among`
    /// lines.
    fn last(&self, room: usize, among: usize) -> usize {
        let count = self.kept.len();
        self.fitting(room, (count - among..count).rev())
    }

    fn fitting(&self, room: usize, order: impl Iterator<Item = usize>) -> usize {
        let (mut printed, mut kept) = (0, 0);
        order
            .take_while(|at| {
                printed += self.bytes[*at];
                kept += self.kept[*at].as_str().len() + 1;
                printed <= room && kept <= room
            })
            .count()
    }
}

fn redacted(bytes: &[u8]) -> Redacted {
    redact_text(&String::from_utf8_lossy(bytes)).0
}

impl Kept {
    /// Returns the text. If there's a gap, a line says how much is missing.
    pub(crate) fn text(&self) -> Redacted {
        let cut = match self {
            Self::Whole(text) => return text.clone(),
            Self::Cut(cut) => cut,
        };
        let (marker, _) = redact_text(&format!("[{}]", cut.left_out()));
        let (end, _) = redact_text("");
        let end = (cut.ended && !cut.tail.is_empty()).then_some(&end);
        let lines = cut.head.iter().chain([&marker]).chain(&cut.tail);
        Redacted::join(lines.chain(end)).unwrap_or(marker.clone())
    }

    /// Returns the lines as data, without a marker for the gap.
    pub(crate) fn lines(&self) -> Vec<Redacted> {
        match self {
            Self::Whole(text) => text.lines().take(text.as_str().lines().count()).collect(),
            Self::Cut(cut) => cut.head.iter().chain(&cut.tail).cloned().collect(),
        }
    }

    pub(crate) fn left_out(&self) -> Option<String> {
        match self {
            Self::Whole(_) => None,
            Self::Cut(cut) => Some(cut.left_out()),
        }
    }
}

impl Cut {
    fn left_out(&self) -> String {
        let (bytes, lines) = (self.bytes_left_out, self.lines_left_out);
        let (bytes, lines) = (counted(bytes, "byte"), counted(lines, "line"));
        format!("{bytes} in {lines} left out")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn capture(text: &[u8], max: usize, chunk: usize) -> Kept {
        let mut capture = Capture::new(max);
        text.chunks(chunk).for_each(|chunk| capture.push(chunk));
        capture.finish()
    }

    fn numbered(count: usize) -> String {
        (0..count).map(|at| format!("line {at:05}\n")).collect()
    }

    #[test]
    fn capture_keeps_head_and_tail() {
        // With 11 bytes per line, 400 bytes hold 9 lines from the start and 27 from the end.
        let text = numbered(100);
        let kept = capture(text.as_bytes(), 400, 7).text();
        let lines: Vec<&str> = kept.as_str().lines().collect();
        assert_eq!(lines.len(), 9 + 1 + 27);
        assert_eq!(lines[8], "line 00008");
        assert_eq!(lines[9], "[704 bytes in 64 lines left out]");
        assert_eq!(lines[10], "line 00073");
        assert!(kept.as_str().ends_with("line 00099\n"));
        assert!(
            matches!(capture(text.as_bytes(), 1100, 7), Kept::Whole(all) if all.as_str() == text)
        );
    }

    #[test]
    fn capture_long_line_omitted() {
        for size in [1000, 1_000_000] {
            let kept = capture("é".repeat(size).as_bytes(), 401, 3).text();
            let said = format!("[{} bytes in 1 line left out]", size * 2);
            assert_eq!(kept.as_str(), said);
        }
    }

    #[test]
    fn capture_buffer_bounded() {
        let mut capture = Capture::new(1000);
        for _ in 0..2000 {
            capture.push(&[b'x'; 8192]);
        }
        assert!(capture.head.len() + capture.tail.len() <= 1000 + 2 * SECRET_REACH);
        assert_eq!(capture.bytes(), 2000 * 8192);
    }

    /// Generates secrets of one line or several.
    fn secret() -> impl Strategy<Value = (String, Vec<String>)> {
        let token = "[A-Za-z0-9]{36}".prop_map(|tail| {
            let token = format!("ghp_{tail}");
            (format!("use {token} now\n"), vec![token])
        });
        let assigned = "[a-zA-Z0-9]{24}".prop_map(|value| {
            let value = format!("q7Z{value}9x");
            (format!("password = \"{value}\"\n"), vec![value])
        });
        let key = prop::collection::vec("[A-Za-z0-9+/]{64}", 2..40).prop_map(|body| {
            let text = format!(
                "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
                body.join("\n")
            );
            (text, body)
        });
        prop_oneof![token, assigned, key]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn capture_any_cut_hides_secrets(
            secrets in prop::collection::vec((secret(), 0_usize..60), 1..8),
            gap in prop_oneof![Just(0_usize), Just(20_000)],
            max in 1_usize..6000,
            chunk in 1_usize..5000,
        ) {
            let half = secrets.len() / 2;
            let mut text = String::new();
            for (at, ((secret, _), filler)) in secrets.iter().enumerate() {
                if at == half {
                    // Exceed the size of the buffer.
                    text.push_str(&numbered(gap));
                }
                text.push_str(&numbered(*filler));
                text.push_str(secret);
            }
            let kept = capture(text.as_bytes(), max, chunk);
            let shown = kept.text();
            for ((_, parts), _) in &secrets {
                for part in parts {
                    prop_assert!(!shown.as_str().contains(&part[8..24]), "{part} in {shown}");
                }
            }
            // The retained lines must be at the start or the end of the redacted whole.
            let (whole, _) = redact_text(&text);
            let all: Vec<&str> = whole.as_str().lines().collect();
            match &kept {
                Kept::Whole(kept) => prop_assert_eq!(kept, &whole),
                Kept::Cut(cut) => {
                    let strings = |lines: &[Redacted]| -> Vec<String> {
                        lines.iter().map(|line| line.as_str().to_owned()).collect()
                    };
                    prop_assert_eq!(strings(&cut.head), &all[..cut.head.len()]);
                    prop_assert_eq!(strings(&cut.tail), &all[all.len() - cut.tail.len()..]);
                    let lines = cut.head.len() + cut.tail.len();
                    prop_assert_eq!(cut.lines_left_out as usize, all.len() - lines);
                    prop_assert!(cut.lines_left_out > 0 && cut.bytes_left_out > 0);
                    let size: usize = cut.head.iter().chain(&cut.tail).map(|l| l.as_str().len() + 1).sum();
                    prop_assert!(size <= max, "{size} of {max}");
                }
            }
        }

        #[test]
        fn capture_any_bytes_counted(
            bytes in prop::collection::vec(any::<u8>(), 0..3000),
            max in 1_usize..2000,
            chunk in 1_usize..700,
        ) {
            match capture(&bytes, max, chunk) {
                Kept::Whole(_) => prop_assert!(bytes.len() <= max),
                kept @ Kept::Cut(_) => prop_assert!(kept.text().as_str().contains(" left out]")),
            }
        }
    }

    #[test]
    fn capture_open_secret_omitted() {
        let mut capture = Capture::new(2_000);
        let lines: String = (0..3_000)
            .map(|n| format!("  c2VjcmV0IGxpbmUg{n:06}\n"))
            .collect();
        capture.push(format!("fine\npassword: |\n{lines}").as_bytes());
        let text = capture.finish().text();
        assert!(!text.as_str().contains("c2Vjcm"), "{text:?}");
        assert!(text.as_str().starts_with("fine\n"), "{text:?}");
    }
}
