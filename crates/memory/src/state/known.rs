//! Cached facts about files that haven't changed since they were last read.
//!
//! With them, we can search a large memory or write to it without reading all of it. Whatever the
//! cache doesn't provide is read from the files.

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{RepoPath, Source, put_leb128};
use windlass_repo::Snapshot;
use windlass_store::{FileMark, FileState};

use crate::records::head::{FIELDS, Head, MARK};
use crate::state::memory::Memory;
use crate::state::memory_files::{Contents, Files};
use crate::texts::codec::{Reader, put_text};
use crate::texts::read_text::{ReadText, Text};

/// Version of the encoding. We discard data with any other version, since it can be read again from
/// the files.
const VERSION: u32 = 4;

/// States of files by path. Files that changed within the last moments are left out, because they
/// may change again without a visible difference.
pub type Marks = BTreeMap<RepoPath, FileState>;

/// Cached facts about a memory's files, each valid for one state of its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFiles {
    files: BTreeMap<RepoPath, (FileState, Known)>,
}

/// Cached facts about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    /// The file is a record with this head, which holds the parts that every operation needs.
    Record(Arc<Head>),
    /// The file is a text without a head.
    Text,
    /// The file has no text, for this reason.
    NoText(String),
}

impl KnownFiles {
    /// Adds those of `paths` that haven't changed to `files`, from the cache. Returns the paths
    /// that must be read.
    pub(crate) fn apply(
        &self,
        snapshot: &Snapshot,
        paths: Vec<RepoPath>,
        marks: &Marks,
        files: &mut Files,
    ) -> Vec<RepoPath> {
        let snapshot = snapshot.clone();
        let read: Arc<ReadText> = Arc::new(move |path| match Contents::of(&snapshot, path) {
            Contents::Text(text) => Arc::clone(text.source()),
            // The file has changed after we determined its state. A writer compares the contents
            // again before it replaces a file.
            Contents::NoText(_) => Source::new(path.as_str(), ""),
        });
        let mut changed = Vec::new();
        for path in paths {
            let known = self.files.get(&path);
            let known = known.filter(|(mark, _)| marks.get(&path) == Some(mark));
            let contents = match known {
                None => {
                    changed.push(path);
                    continue;
                }
                Some((_, Known::NoText(why))) => Contents::NoText(why.clone()),
                Some((_, known)) => {
                    if let Known::Record(head) = known {
                        files.heads.insert(path.clone(), Arc::clone(head));
                    }
                    Contents::Text(Text::later(path.clone(), Arc::clone(&read)))
                }
            };
            files.files.insert(path, contents);
        }
        changed
    }

    /// Returns the cache for `memory`, or `None` if it would equal this one. `is_same` is true if
    /// no file had to be read.
    pub(crate) fn renewed(&self, memory: &Memory, marks: &Marks, is_same: bool) -> Option<Self> {
        if is_same && self.files.len() == memory.files.files.len() {
            return None;
        }
        let files = memory.files.files.iter().filter_map(|(path, contents)| {
            let mark = *marks.get(path)?;
            let known = match (contents, memory.records.get(path)) {
                (Contents::NoText(why), _) => Known::NoText(why.clone()),
                (_, Some(record)) => Known::Record(Arc::clone(record.head())),
                (_, None) => Known::Text,
            };
            Some((path.clone(), (mark, known)))
        });
        let now = Self {
            files: files.collect(),
        };
        (now != *self).then_some(now)
    }

    /// Encodes the cache.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        for (path, (seen, known)) in &self.files {
            let mark = &seen.mark;
            put_text(&mut bytes, path.as_str());
            for number in [mark.device, mark.inode, mark.bytes] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            for number in [mark.created, mark.modified, seen.changed] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            match known {
                Known::Text => bytes.push(0),
                Known::NoText(why) => {
                    bytes.push(1);
                    put_text(&mut bytes, why);
                }
                Known::Record(head) => {
                    bytes.push(2);
                    put_head(&mut bytes, head);
                }
            }
        }
        bytes
    }

    /// Decodes a cache. Damaged bytes or another version give an empty one.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        Self::read(bytes).unwrap_or_default()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first_chunk()?;
        if u32::from_le_bytes(*version) != VERSION {
            return None;
        }
        let mut reader = Reader(rest);
        let mut files = Vec::new();
        while !reader.0.is_empty() {
            let path = RepoPath::parse(reader.text()?).ok()?;
            let mut number = || Some(u64::from_le_bytes(reader.chunk()?));
            let (device, inode, bytes) = (number()?, number()?, number()?);
            let mut number = || Some(i64::from_le_bytes(reader.chunk()?));
            let (created, modified, changed) = (number()?, number()?, number()?);
            let mark = FileMark {
                device,
                inode,
                created,
                bytes,
                modified,
            };
            let seen = FileState { mark, changed };
            let known = match reader.byte()? {
                0 => Known::Text,
                1 => Known::NoText(reader.text()?.to_owned()),
                2 => Known::Record(Arc::new(head(&mut reader)?)),
                _ => return None,
            };
            files.push((path, (seen, known)));
        }
        Some(Self {
            files: files.into_iter().collect(),
        })
    }
}

fn put_head(bytes: &mut Vec<u8>, head: &Head) {
    put_text(bytes, &head.title);
    let there = (0u32..).zip(&head.fields);
    let there = there.fold(0, |there, (at, field)| {
        there | u32::from(field.is_some()) << at
    });
    put_leb128(bytes, there);
    for field in head.fields.iter().flatten() {
        put_text(bytes, field);
    }
    put_leb128(
        bytes,
        u32::try_from(head.supersedes.len()).unwrap_or(u32::MAX),
    );
    for name in &head.supersedes {
        put_text(bytes, name);
    }
    bytes.extend_from_slice(&head.mark);
}

fn head(reader: &mut Reader<'_>) -> Option<Head> {
    let title = reader.text()?.to_owned();
    let there = reader.number()?;
    let mut fields: [Option<String>; FIELDS.len()] = Default::default();
    for (at, field) in fields.iter_mut().enumerate() {
        if there & 1 << at != 0 {
            *field = Some(reader.text()?.to_owned());
        }
    }
    let supersedes = (0..reader.number()?).map(|_| Some(reader.text()?.to_owned()));
    let supersedes = supersedes.collect::<Option<_>>()?;
    let mark = reader.chunk::<MARK>()?;
    Some(Head {
        title,
        fields,
        supersedes,
        mark,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(path: &str, known: Known) -> (RepoPath, (FileState, Known)) {
        let mark = FileMark {
            device: 1,
            inode: u64::MAX,
            created: -1,
            bytes: 12,
            modified: i64::MAX,
        };
        let seen = FileState { mark, changed: -3 };
        (RepoPath::parse(path).unwrap(), (seen, known))
    }

    #[test]
    fn cache_round_trip_or_empty() {
        let head = Head {
            title: "Ä title".to_owned(),
            fields: [Some("a"), None, Some(""), None, Some("b")]
                .map(|text| text.map(str::to_owned)),
            supersedes: vec!["c".to_owned(), String::new()],
            mark: [7; MARK],
        };
        let files = KnownFiles {
            files: [
                known("memory/a.md", Known::Record(Arc::new(head))),
                known("memory/b.txt", Known::Text),
                known("memory/c.md", Known::NoText("it is binary".to_owned())),
            ]
            .into(),
        };
        let bytes = files.encode();
        assert_eq!(KnownFiles::decode(&bytes), files);
        for end in 0..bytes.len() {
            // Data cut off between two files still yields the files before the cut.
            let part = KnownFiles::decode(&bytes[..end]);
            assert!(part.files.len() < 3, "{end}");
            assert!(
                part.files
                    .iter()
                    .all(|(path, known)| files.files.get(path) == Some(known))
            );
        }
        let newer = [&(VERSION + 1).to_le_bytes(), &bytes[4..]].concat();
        assert_eq!(KnownFiles::decode(&newer), KnownFiles::default());
    }
}
