//! Recovers a notebook that is not valid JSON as a whole.
//!
//! Fields and list elements are read one by one. After an unreadable part, we go on where the next
//! element or list seems to start. This is a heuristic, and it misses an element whose first field
//! is not `id`. The notebook itself always writes `id` first, so that can only happen to entries
//! written by hand.
//!
//! The usual reasons for such a file are a mistake in an edit by hand, or a file that was cut off.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::storage::damage::Lost;
use crate::storage::notebook_document::{List, Parsed, Parts};

/// Maximum number of unreadable parts. If there are more, we give up on the rest of the file, since
/// it is most likely something else.
const MAX_LOST: usize = 1000;

/// Recovers the readable parts of `text`. Returns `None` if there is no readable owner, because we
/// could not tell if the notebook belongs to this repository.
pub(crate) fn salvage(text: &[u8]) -> Option<Parsed<'_>> {
    let mut salvage = Salvage {
        text,
        at: 0,
        lists: lists_in(text),
        parts: Parts::new(),
        lost: Vec::new(),
    };
    salvage.fields();
    Some(Parsed {
        document: salvage.parts.finish()?,
        lost: salvage.lost,
    })
}

/// Returns the anchors and the runbooks recovered from `text` as JSON, along with the number of
/// unreadable parts. Returns `None` if there is no readable owner.
#[doc(hidden)]
#[must_use]
pub fn recovered_entries(text: &[u8]) -> Option<(Vec<&str>, usize)> {
    let Parsed { document, lost } = salvage(text)?;
    let entries = document.anchors.into_iter().chain(document.runbooks);
    Some((entries.map(RawValue::get).collect(), lost.len()))
}

struct Salvage<'a> {
    text: &'a [u8],
    at: usize,
    /// Offsets of the keys of the lists, found in advance. After an error, they tell us where to go
    /// on.
    lists: Vec<(usize, List)>,
    parts: Parts<'a, &'a RawValue>,
    lost: Vec<Lost>,
}

impl<'a> Salvage<'a> {
    fn fields(&mut self) {
        if !self.take(b'{') {
            return;
        }
        loop {
            let start = self.skip_blank();
            if self.is_end() || self.peek() == Some(b'}') {
                break;
            }
            if let Err(why) = self.field() {
                self.lost.push(Lost::at(self.text, start, why));
                // We can't tell where a broken field ends, so everything up to the next list is
                // lost.
                match self.next_list(start + 1) {
                    Some(at) => self.at = at,
                    None => return,
                }
                continue;
            }
            self.take(b',');
        }
        if !self.take(b'}') {
            let what = "the end of the file is missing";
            self.lost
                .push(Lost::at(self.text, self.at, what.to_owned()));
        } else if self.skip_blank() < self.text.len() {
            let what = "unexpected text after the document";
            self.lost
                .push(Lost::at(self.text, self.at, what.to_owned()));
        }
    }

    fn field(&mut self) -> Result<(), String> {
        let broken = || "invalid JSON field".to_owned();
        let key: String = self.value().ok_or_else(broken)?;
        if !self.take(b':') {
            return Err(broken());
        }
        self.skip_blank();
        match List::of_key(&key) {
            Some(list) if self.peek() == Some(b'[') && !self.parts.has(list.key()) => {
                self.parts.begin(list)?;
                self.at += 1;
                self.elements(list);
                Ok(())
            }
            Some(list) => {
                self.value::<&RawValue>();
                Err(format!("`{}` is duplicated, or is not a list", list.key()))
            }
            None => {
                let value: &RawValue = self
                    .value()
                    .ok_or_else(|| format!("the value of `{key}` is not JSON"))?;
                self.parts.set(&key, value)
            }
        }
    }

    fn elements(&mut self, list: List) {
        loop {
            let start = self.skip_blank();
            if self.is_end() || self.take(b']') {
                return;
            }
            if self.lost.len() >= MAX_LOST {
                let what = "everything from here on: too many errors".to_owned();
                self.lost.push(Lost::at(self.text, start, what));
                self.at = self.text.len();
                return;
            }
            match self.value::<&RawValue>() {
                Some(element) => match list {
                    List::Anchors => self.parts.anchors.push(element),
                    List::Runbooks => self.parts.runbooks.push(element),
                },
                None => {
                    let what = match list {
                        List::Anchors => "an anchor that is not JSON",
                        List::Runbooks => "a runbook that is not JSON",
                    };
                    let name = name_of(&self.text[start..]);
                    let name = name.map(|name| format!("`{name}`: ")).unwrap_or_default();
                    self.lost
                        .push(Lost::at(self.text, start, format!("{name}{what}")));
                    // Go on with the next element of the same list. If the next list starts before
                    // that, the element belongs to it.
                    let other = self.next_list(start + 1);
                    match (self.next_element(start + 1), other) {
                        (Some(next), Some(other)) if next > other => self.at = other,
                        (Some(next), _) => {
                            self.at = next;
                            continue;
                        }
                        (None, Some(other)) => self.at = other,
                        (None, None) => self.at = self.text.len(),
                    }
                    return;
                }
            }
            let after = self.skip_blank();
            if !self.take(b',') && self.peek() != Some(b']') && !self.is_end() {
                let what = "a comma is missing".to_owned();
                self.lost.push(Lost::at(self.text, after, what));
                match self.next_element(after) {
                    Some(next) => self.at = next,
                    None => return,
                }
            }
        }
    }

    /// Returns the offset of the next object whose first field is `id`, at or after `from`. It may
    /// also be nested in another value, in which case it is read as an entry and probably fails to
    /// parse as one.
    fn next_element(&self, from: usize) -> Option<usize> {
        let mut braces = (from..self.text.len()).filter(|at| self.text[*at] == b'{');
        braces.find(|at| {
            blank_end(self.text, at + 1).is_some_and(|key| self.text[key..].starts_with(b"\"id\""))
        })
    }

    /// Returns the offset of the next key of a list that we have not read yet, at or after `from`.
    fn next_list(&self, from: usize) -> Option<usize> {
        let lists = self.lists.iter();
        let mut unmet = lists.filter(|(_, list)| !self.parts.has(list.key()));
        unmet.find(|(at, _)| *at >= from).map(|(at, _)| *at)
    }

    /// Reads a value. If it is invalid, this does not advance.
    fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<T>();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    fn skip_blank(&mut self) -> usize {
        self.at = blank_end(self.text, self.at).unwrap_or(self.text.len());
        self.at
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_blank();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }
}

/// Finds the keys of the lists, such as `"anchors":`. If a JSON string contains the same
/// characters, it does not match, because quotes are escaped there.
fn lists_in(text: &[u8]) -> Vec<(usize, List)> {
    let quotes = (0..text.len()).filter(|at| text[*at] == b'"');
    let list_at = |at: usize| {
        let list = [List::Anchors, List::Runbooks]
            .into_iter()
            .find(|list| text[at + 1..].starts_with(list.key().as_bytes()))?;
        let quote = at + 1 + list.key().len();
        let colon = blank_end(text, quote + 1)?;
        (text.get(quote) == Some(&b'"') && text[colon] == b':').then_some((at, list))
    };
    quotes.filter_map(list_at).collect()
}

fn blank_end(text: &[u8], from: usize) -> Option<usize> {
    (from..text.len()).find(|at| !matches!(text[*at], b' ' | b'\t' | b'\n' | b'\r'))
}

fn name_of(element: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(element.get(..element.len().min(200))?).into_owned();
    let rest = start.trim_start_matches('{').trim_start();
    let rest = rest
        .strip_prefix("\"id\"")?
        .trim_start()
        .strip_prefix(':')?;
    let (name, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    Some(name.to_owned())
}
