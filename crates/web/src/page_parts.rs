//! Parts of a page. A client with an earlier version only gets the parts that have changed since
//! (delta encoding, RFC 3229).
//!
//! A template puts a part between `<part ID>` and `</part>`, where `ID` is the ID of the element
//! inside. Values are escaped, so they cannot contain these tags. We remove the tags before sending
//! a page.
//!
//! Parts nest: a table is a part, and so is each of its rows. If one step of a run ends, only its
//! row has changed and is sent. But if a step is added, the table contains other IDs than before,
//! and we send the whole table.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Number of page versions that a server remembers, for all clients together. A client with an
/// older version gets the whole page.
const VERSIONS: usize = 64;

/// Placeholder in a template for the page's version, which we only know once we have digested the
/// page.
const VERSION: &str = "<version/>";

const DIGITS: usize = 16;

/// Digest of each part, by the digest of its ID. The text outside of parts is under 0.
type Digests = BTreeMap<u64, u64>;

#[derive(Debug, Default)]
pub(crate) struct PageParts {
    /// The page to send, i.e. without part tags.
    pub(crate) text: String,
    parts: Vec<Part>,
    digests: Digests,
    version: u64,
}

#[derive(Debug, Default)]
struct Part {
    id: u64,
    range: Range<usize>,
}

impl PageParts {
    /// Splits a rendered page into its parts. A part's digest covers the IDs of the parts inside,
    /// but not their contents.
    pub(crate) fn of(marked: &str) -> Self {
        let mut page = Self::default();
        let mut open = vec![(usize::MAX, DefaultHasher::new())];
        let (mut done, mut version_at) = (0, None);
        for (at, _) in marked.match_indices('<') {
            let tag = &marked[at..];
            let opened = tag
                .strip_prefix("<part ")
                .and_then(|tag| tag.split('>').next());
            let length = match opened {
                Some(id) => "<part >".len() + id.len(),
                None if tag.starts_with("</part>") => "</part>".len(),
                None if tag.starts_with(VERSION) => VERSION.len(),
                None => continue,
            };
            page.push(&marked[done..at], &mut open);
            done = at + length;
            if let Some(id) = opened {
                page.open(id, &mut open);
            } else if tag.starts_with(VERSION) {
                version_at = Some(page.text.len());
                page.text.push_str(&"0".repeat(DIGITS));
            } else {
                page.close(&mut open);
            }
        }
        page.push(&marked[done..], &mut open);
        while !open.is_empty() {
            page.close(&mut open);
        }
        let mut whole = DefaultHasher::new();
        for (id, digest) in &page.digests {
            whole.write_u64(*id);
            whole.write_u64(*digest);
        }
        page.version = whole.finish();
        if let Some(at) = version_at {
            let version = page.version();
            page.text.replace_range(at..at + DIGITS, &version);
        }
        page
    }

    /// Makes a page without parts, such as JSON data. It is always sent whole.
    pub(crate) fn whole(text: String) -> Self {
        let mut digest = DefaultHasher::new();
        digest.write(text.as_bytes());
        Self {
            text,
            version: digest.finish(),
            ..Self::default()
        }
    }

    fn push(&mut self, text: &str, open: &mut [(usize, DefaultHasher)]) {
        self.text.push_str(text);
        if let Some((_, hasher)) = open.last_mut() {
            hasher.write(text.as_bytes());
        }
    }

    fn open(&mut self, id: &str, open: &mut Vec<(usize, DefaultHasher)>) {
        let mut digest = DefaultHasher::new();
        digest.write(id.as_bytes());
        let id = digest.finish();
        if let Some((_, hasher)) = open.last_mut() {
            hasher.write_u64(id);
        }
        open.push((self.parts.len(), DefaultHasher::new()));
        let start = self.text.len();
        self.parts.push(Part {
            id,
            range: start..start,
        });
    }

    fn close(&mut self, open: &mut Vec<(usize, DefaultHasher)>) {
        let Some((at, hasher)) = open.pop() else {
            return;
        };
        let part = self.parts.get_mut(at);
        let id = part.map_or(0, |part| {
            part.range.end = self.text.len();
            part.id
        });
        self.digests.insert(id, hasher.finish());
    }

    /// A hexadecimal number that changes with the page's contents.
    pub(crate) fn version(&self) -> String {
        format!("{:0DIGITS$x}", self.version)
    }

    /// Lists the parts changed since the version with the digests `earlier`, except for those
    /// inside another changed part. Returns `None` for a change outside of all parts.
    fn since(&self, earlier: &Digests) -> Option<Vec<String>> {
        let is_same = |id: u64| earlier.get(&id) == self.digests.get(&id);
        let (mut changes, mut end) = (Vec::new(), 0);
        for Part { id, range } in &self.parts {
            // Parts are in the order of the page. One that starts before `end` is inside of the
            // last change.
            if range.start >= end && !is_same(*id) {
                changes.push(self.text[range.clone()].to_owned());
                end = range.end;
            }
        }
        is_same(0).then_some(changes)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Versions(Mutex<VecDeque<(u64, Digests)>>);

impl Versions {
    /// Remembers the version of `page`. Returns the changes since the version `held` by the client,
    /// if it is still known.
    pub(crate) fn changes(&self, page: &PageParts, held: Option<&str>) -> Option<Vec<String>> {
        let held = held.and_then(|held| u64::from_str_radix(held, 16).ok());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = known.iter().find(|(version, _)| Some(*version) == held);
        let changes = earlier.and_then(|(_, digests)| page.since(digests));
        known.retain(|(version, _)| *version != page.version);
        if known.len() == VERSIONS {
            known.pop_front();
        }
        known.push_back((page.version, page.digests.clone()));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str, rows: &[&str]) -> PageParts {
        let rows = rows.iter().enumerate();
        let rows: String = rows
            .map(|(at, row)| format!("<part r{at}><i id=r{at}>{row}</i></part>"))
            .collect();
        PageParts::of(&format!(
            "<html>{title}<part list><ul>{rows}</ul></part><version/></html>"
        ))
    }

    fn changes(before: &PageParts, after: &PageParts) -> Option<Vec<String>> {
        let versions = Versions::default();
        assert_eq!(versions.changes(before, None), None);
        versions.changes(after, Some(&before.version()))
    }

    #[test]
    fn tags_of_parts_are_not_sent() {
        let page = page("x", &["a"]);
        let version = page.version();
        let want = format!("<html>x<ul><i id=r0>a</i></ul>{version}</html>");
        assert_eq!(page.text, want);
    }

    #[test]
    fn changed_row_is_sent_alone() {
        let (before, after) = (page("x", &["a", "b"]), page("x", &["a", "c"]));
        assert_ne!(before.version(), after.version());
        let sent = changes(&before, &after);
        assert_eq!(sent.unwrap(), ["<i id=r1>c</i>"]);
        assert_eq!(changes(&before, &before), Some(Vec::new()));
    }

    #[test]
    fn new_row_is_sent_with_its_list() {
        let sent = changes(&page("x", &["a"]), &page("x", &["a", "b"]));
        assert_eq!(sent.unwrap(), ["<ul><i id=r0>a</i><i id=r1>b</i></ul>"]);
    }

    #[test]
    fn change_outside_of_parts_needs_the_page() {
        assert_eq!(changes(&page("x", &["a"]), &page("y", &["a"])), None);
    }

    #[test]
    fn forgotten_version_needs_the_page() {
        let versions = Versions::default();
        let (first, last) = (page("0", &[]), page("x", &[]));
        versions.changes(&first, None);
        for n in 1..=VERSIONS {
            versions.changes(&page(&n.to_string(), &[]), None);
        }
        assert_eq!(versions.changes(&last, Some(&first.version())), None);
    }
}
