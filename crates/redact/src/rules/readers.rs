//! Readers find secrets behind the match of a rule, such as the title of a key or the name of a
//! header.
//!
//! The rule's pattern only knows the head, and everything after it is read here. We never read
//! beyond the next head unless it's part of a secret, so a text can't be crafted to make us slow.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use memchr::memmem;

use crate::hidden::visible;
use crate::scanned_text::{Text, is_line_end};
use crate::value::random::looks_random;

/// A reader of the text behind a match. It adds the secrets and returns the position to continue
/// from.
type Read = fn(&Text<'_>, Range<usize>, &mut Vec<Range<usize>>) -> usize;

/// Function that finds the secrets behind a match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader(Read);

impl Reader {
    /// Returns the reader called `name` in the data.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let read: Read = match name {
            "key-block" => key_block,
            "key-tail" => key_tail,
            "putty-lines" => putty_lines,
            "encoded-key" => encoded_key,
            "cookies" => cookies,
            "sql-rows" => super::sql_rows::read,
            _ => return None,
        };
        Some(Self(read))
    }

    pub(crate) fn read(
        self,
        text: &Text<'_>,
        matched: Range<usize>,
        found: &mut Vec<Range<usize>>,
    ) -> usize {
        self.0(text, matched, found)
    }
}

/// Returns the length of the rest of a long token that was cut by the bound of a pattern.
pub(crate) fn rest_of_token(secret: &[u8], after: &[u8]) -> usize {
    const LONG: usize = 200;
    let in_token = |b: &u8| b.is_ascii_alphanumeric() || b"+/=_-.".contains(b);
    if secret.len() < LONG || !secret.last().is_some_and(in_token) {
        return 0;
    }
    after.iter().take_while(|b| in_token(b)).count()
}

/// Maximum length to read before we know that a text is a key, in bytes. Most keys have a few
/// thousand, but a key ring may have more.
pub(crate) const MAX_KEY: usize = 64 << 10;

/// Maximum length of the cookies in a header, in bytes.
const MAX_COOKIES: usize = 4 << 10;

/// Reads the key after `-----BEGIN … PRIVATE KEY-----`, together with its titles. It extends to the
/// end title, or as long as it looks like the body of a key if there's none.
fn key_block(text: &Text<'_>, head: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    let all = &text.bytes[head.end..text.bytes.len().min(head.end + MAX_KEY)];
    let title = memmem::find(all, b"----");
    let window = text.window(head.end, title.map_or(MAX_KEY, |title| title + TITLE));
    let length = title
        .and_then(|title| end_of_title(window, title))
        .unwrap_or_else(|| body(window));
    if holds_key(&window[..length]) {
        let end = head.end + length;
        // Follow a known key to its end. The scan continues after it, so no byte is read twice.
        let whole = length == MAX_KEY && title.is_none();
        found.push(
            head.start..if whole {
                end_of_long_key(text, end)
            } else {
                end
            },
        );
    }
    // It isn't a key, so the next one may begin inside it.
    head.end
}

/// More bytes than the end title of a key has.
const TITLE: usize = 64;

/// Returns the end of the key whose body begins at `at`.
fn end_of_long_key(text: &Text<'_>, at: usize) -> usize {
    let end = text.run(at, usize::MAX, is_of_a_body);
    end_of_title(text.window(end, TITLE), 0).map_or(end, |title| end + title)
}

/// Reads a private key whose titles are encoded in base64, on one line or several of equal length.
/// Certificates are encoded in the same way.
fn encoded_key(text: &Text<'_>, head: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    /// Length of the base64 prefix we decode to recognise a key, in bytes.
    const DECODED: usize = 64;
    /// Maximum length of one of several lines. A longer line is the whole key.
    const LONGEST_LINE: usize = 128;
    let of_base64 = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b);
    let mut end = text.run(head.start, usize::MAX, of_base64);
    let first = end - head.start;
    let decoded = text.slice(head.start..head.start + first.min(DECODED) / 4 * 4);
    let title = STANDARD_NO_PAD.decode(decoded);
    if !title.is_ok_and(|title| memmem::find(&title, b"PRIVATE KEY").is_some()) {
        return end;
    }
    while first <= LONGEST_LINE && end - head.start < MAX_KEY {
        let line = text.run(end, 2, is_line_end);
        let start = text.blanks(line);
        let stop = text.run(start, first + 1, of_base64);
        let is_whole = text
            .get(stop)
            .is_none_or(|b| is_line_end(b) || b"\"'".contains(&b));
        if line == end || stop == start || stop - start > first || !is_whole {
            break;
        }
        end = stop;
        if stop - start < first {
            break;
        }
    }
    found.push(head.start..end);
    end
}

/// Returns the length of the prefix of `window` that looks like the body of a key.
fn body(window: &[u8]) -> usize {
    let headers = headers(window);
    let rest = window[headers..].iter();
    headers + rest.take_while(|b| is_of_a_body(**b)).count()
}

fn is_of_a_body(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b.is_ascii_whitespace() || b"+/=\\\"',:#*>|".contains(&b)
}

/// Maximum number of dashes in a title. The output of `grep` has another one in front.
const MAX_DASHES: usize = 6;

/// Returns the end of the title at `start`, if it ends a key.
fn end_of_title(window: &[u8], start: usize) -> Option<usize> {
    let dashes = |from: usize| {
        window[from..]
            .iter()
            .take(MAX_DASHES)
            .take_while(|b| **b == b'-')
            .count()
    };
    let title = window[start + dashes(start)..].trim_ascii_start();
    let end = memmem::find(title, b"----")?;
    let words = &title[..end];
    (words.starts_with(b"END ") && memmem::find(words, b"PRIVATE KEY").is_some()).then(|| {
        let end = window.len() - title.len() + end;
        end + dashes(end)
    })
}

/// Returns the length of the headers at the start of an encrypted key, such as `DEK-Info: …`.
fn headers(window: &[u8]) -> usize {
    let mut end = 0;
    for line in window.split_inclusive(|b| *b == b'\n').take(8) {
        if !line.trim_ascii().is_empty() && memmem::find(line, b": ").is_none() {
            break;
        }
        end += line.len();
    }
    end
}

/// True if the text is the body of a key rather than code that mentions keys. A key has a run
/// longer than any word.
fn holds_key(body: &[u8]) -> bool {
    let mut run = 0;
    body.iter().any(|b| {
        let inside = b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
        run = if inside { run + 1 } else { 0 };
        run >= 32
    })
}

/// Finds the rest of a key before `-----END … PRIVATE KEY-----`, including that title, if the start
/// of the key isn't in the text. It has lines of base64, or one line with escaped line ends.
fn key_tail(text: &Text<'_>, title: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    let inline = text.run_back(title.start, MAX_KEY, |b| is_of_a_body(b) && !is_line_end(b));
    if holds_key(text.slice(inline..title.start)) {
        found.push(inline..title.end);
        return title.end;
    }
    let own = text.run_back(title.start, MAX_LINE, |b| !is_line_end(b));
    let start = start_of_body(text, own);
    let lines = text.slice(start..own);
    if holds_key(lines) || is_remainder(lines) {
        let blanks = lines.len() - lines.trim_ascii_start().len();
        found.push(start + blanks..title.end);
    }
    title.end
}

/// Returns the start of the lines of base64 that end before the line at `own`. Only the last lines
/// may be short, since one may be a checksum, and so may the first line of the text, which may be
/// cut.
fn start_of_body(text: &Text<'_>, own: usize) -> usize {
    const MAX_SHORT: usize = 2;
    let mut start = own;
    let mut short = 0;
    while let Some(line) = line_before(text, start)
        && own - line.start < MAX_KEY
        && let Some(body) = of_a_key(text.slice(line.clone()))
    {
        let last = short < MAX_SHORT;
        if body.len() >= LINE_OF_A_KEY {
            short = MAX_SHORT;
        } else if last {
            short += 1;
        } else if line.start > 0 {
            break;
        }
        start = line.start;
    }
    start
}

/// Reads the private part of a PuTTY key, behind the line that says how many lines it has.
fn putty_lines(text: &Text<'_>, head: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    const NEXT: &[u8] = b"Private-";
    let all = &text.bytes[head.end..text.bytes.len().min(head.end + MAX_KEY)];
    let next = memmem::find(all, NEXT).unwrap_or(all.len());
    let window = text.window(head.end, next);
    let length = window.iter().take_while(|b| is_of_a_body(**b)).count();
    let body = &window[..length];
    let is_end = |b: &u8| !(b.is_ascii_alphanumeric() || b"+/=".contains(b));
    // In a literal, line ends are escaped.
    let escape = b"\\n";
    let start = body.iter().take_while(|b| is_end(b)).count();
    let start = match body.get(start.saturating_sub(1)..) {
        Some(rest) if rest.starts_with(escape) => start + 1,
        _ => start,
    };
    let ends = body.iter().rev().take_while(|b| is_end(b)).count();
    let body = &body[..length - ends];
    let body = body.strip_suffix(escape).unwrap_or(body);
    if body.get(start..).is_some_and(holds_key) {
        found.push(head.end + start..head.end + body.len());
    }
    head.end + length
}

/// Maximum length of a line in a key, in bytes. Most have 64.
const MAX_LINE: usize = 1 << 10;

/// Minimum length of a line in a key except at its end, in bytes. It's longer than words are.
const LINE_OF_A_KEY: usize = 32;

/// Returns the line before the one that starts at `start`, or `None` if it's too long for a key.
fn line_before(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let end = match text.slice(0..start) {
        [.., b'\r', b'\n'] => start - 2,
        [.., b'\n' | b'\r'] => start - 1,
        _ => return None,
    };
    let line = text.run_back(end, MAX_LINE, |b| !is_line_end(b));
    (end - line < MAX_LINE).then_some(line..end)
}

/// Returns the base64 in a line of a key, without anything that a literal, a comment or a diff puts
/// around it.
fn of_a_key(line: &[u8]) -> Option<&[u8]> {
    let around = |b: &u8| b.is_ascii_whitespace() || b"\"'`,;#*>|-\\".contains(b);
    let start = line.iter().take_while(|b| around(b)).count();
    let line = &line[start..];
    let literal = line
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b));
    let (body, after) = line.split_at(literal.count());
    let of_literal = |b: &u8| around(b) || matches!(b, b'n' | b'r' | b'+' | b'.');
    (!body.is_empty() && after.len() <= 8 && after.iter().all(of_literal)).then_some(body)
}

/// True if short lines are the end of a key rather than words.
fn is_remainder(lines: &[u8]) -> bool {
    visible(lines)
        .split_whitespace()
        .any(|word| word.len() >= 8 && (word.ends_with('=') || looks_random(word)))
}

/// Reads the random values among the cookies in a header. They end with their line or quote.
fn cookies(text: &Text<'_>, head: Range<usize>, found: &mut Vec<Range<usize>>) -> usize {
    let end = text.run(head.end, MAX_COOKIES, |b| {
        !is_line_end(b) && !b"\"'`\\".contains(&b)
    });
    let mut start = head.end;
    for pair in text.slice(head.end..end).split(|b| *b == b';') {
        if let Some(sign) = memchr::memchr(b'=', pair) {
            let value = visible(&pair[sign + 1..]);
            if value.len() >= 16 && is_session(&value) {
                found.push(start + sign + 1..start + pair.len());
            }
        }
        start += pair.len() + 1;
    }
    end
}

/// True if the value of a cookie is generated, even if it's percent-encoded.
fn is_session(value: &str) -> bool {
    let mut parts = value.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push(',');
        plain.push_str(part.get(2..).unwrap_or(part));
    }
    looks_random(&plain)
}
