//! JSON documents with a version.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::Deserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use crate::beneath::{self, Access};
use crate::{RootedPath, StoreError};

/// Reads the JSON document at `place`, or returns `None` if there is none.
///
/// The document must have a `schema_version` of at least 1. `supported` is the newest version known
/// to the caller. We refuse a newer document before we parse its contents, so that it is never
/// downgraded.
///
/// To rewrite documents, use `#[serde(flatten)]` and preserve unknown fields.
///
/// # Errors
/// Returns an error if the file is unreadable, larger than `max_bytes`, does not match `T`, or has
/// a newer version. The file never changes.
pub fn read_document<T: DeserializeOwned>(
    place: &RootedPath,
    supported: u32,
    max_bytes: u64,
) -> Result<Option<T>, StoreError> {
    let Some(text) = read_versioned(place, supported, max_bytes)? else {
        return Ok(None);
    };
    // Parsing is faster if we know that the text is valid UTF-8.
    let read = match std::str::from_utf8(&text) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(&text),
    };
    read.map(Some)
        .map_err(|e| StoreError::malformed(place.path(), &e))
}

/// Reads a document like [`read_document`], but only checks the version, without parsing the rest.
/// Returns the text without a byte order mark.
///
/// # Errors
/// Returns an error if the file is unreadable, larger than `max_bytes`, or has an unreadable or
/// newer version.
pub fn read_versioned(
    place: &RootedPath,
    supported: u32,
    max_bytes: u64,
) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(mut text) = read_file(place, max_bytes)? else {
        return Ok(None);
    };
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    check_version(&text, place.path(), supported)?;
    Ok(Some(text))
}

/// Reads a document like [`read_versioned`], but only the first `wanted` bytes of it. The second
/// value is true if the document ends there.
///
/// # Errors
/// Returns an error in the cases of [`read_versioned`], and if the version is not among the first
/// `wanted` bytes.
pub fn read_start(
    place: &RootedPath,
    supported: u32,
    wanted: u64,
) -> Result<Option<(Vec<u8>, bool)>, StoreError> {
    let Some(file) = open(place)? else {
        return Ok(None);
    };
    let failed = |e| StoreError::io("read", place.path(), e);
    let mut text = Vec::new();
    file.take(wanted.saturating_add(1))
        .read_to_end(&mut text)
        .map_err(failed)?;
    let is_whole = text.len() as u64 <= wanted;
    text.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
    if text.starts_with(MARK) {
        text.drain(..MARK.len());
    }
    check_version(&text, place.path(), supported)?;
    Ok(Some((text, is_whole)))
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

fn check_version(text: &[u8], path: &Path, supported: u32) -> Result<(), StoreError> {
    let found = version(text, path)?;
    if found > u64::from(supported) {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            supported,
        });
    }
    Ok(())
}

/// Reads the file at `place`, or returns `None` if there is none. This does not look for a version.
///
/// # Errors
/// Returns an error if the file is unreadable or larger than `max_bytes`.
pub fn read_file(place: &RootedPath, max_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let path = place.path();
    let failed = |e| StoreError::io("read", path, e);
    let Some(file) = open(place)? else {
        return Ok(None);
    };
    let bytes = file.metadata().map_err(failed)?.len();
    if bytes > max_bytes {
        return Err(StoreError::too_large(path, bytes, max_bytes));
    }
    // Ask for one more byte than we expect, to find the end without growing the buffer. The
    // reported size may be much larger than the contents, so limit the size to start with.
    let room = usize::try_from(bytes.min(MAX_ROOM)).unwrap_or(0);
    let mut text = Vec::with_capacity(room.saturating_add(1));
    // The file may be growing, so read one byte more than allowed to see if it exceeds the limit.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut text)
        .map_err(failed)?;
    match text.len() as u64 > max_bytes {
        true => Err(StoreError::too_large(path, text.len() as u64, max_bytes)),
        false => Ok(Some(text)),
    }
}

/// Maximum size of a buffer to start with, in bytes. A file may report the wrong size.
const MAX_ROOM: u64 = 64 << 20;

pub(crate) fn open(place: &RootedPath) -> Result<Option<File>, StoreError> {
    match beneath::open(place, Access::Read) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::io("read", place.path(), e)),
    }
}

/// Reads the version of a document, and stops there. We may not be able to parse the rest of a
/// newer document.
fn version(text: &[u8], path: &Path) -> Result<u64, StoreError> {
    let mut found = None;
    let mut parser = serde_json::Deserializer::from_slice(text);
    let end = Version(&mut found).deserialize(&mut parser);
    // If we've found the version, `end` is the error that comes from stopping early.
    if found.is_none() {
        end.and_then(|()| parser.end())
            .map_err(|e| StoreError::malformed(path, &e))?;
    }
    match found {
        Some(version) if version > 0 => Ok(version),
        found => Err(StoreError::Malformed {
            path: path.to_owned(),
            line: 1,
            column: 1,
            message: match found {
                None => "the field `schema_version` is missing".to_owned(),
                Some(_) => "`schema_version` has to be at least 1".to_owned(),
            },
        }),
    }
}

/// Finds the version in an object and stores it. Since we stop early, the parser reports an error,
/// which callers have to ignore.
struct Version<'a>(&'a mut Option<u64>);

impl<'de> DeserializeSeed<'de> for Version<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Version<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document with a `schema_version`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key == "schema_version" {
                *self.0 = map.next_value()?;
                if self.0.is_some() {
                    return Ok(());
                }
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};
    use serde_json::Value;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Document {
        schema_version: u32,
        name: String,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    fn read(text: &str) -> Result<Option<Document>, StoreError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("doc.json");
        std::fs::write(&path, text).unwrap();
        let result = read_document(&RootedPath::typed(&path), 2, 1000);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        result
    }

    #[test]
    fn read_missing_document_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let read: Option<Document> =
            read_document(&RootedPath::new(dir.path()).join("no/doc.json"), 1, 9).unwrap();
        assert_eq!(read, None);
    }

    #[test]
    fn read_preserves_unknown_fields() {
        let text = "\u{feff}{\"schema_version\":1,\"name\":\"x\",\"later\":[1,{\"a\":null}]}";
        let document = read(text).unwrap().unwrap();
        let again = serde_json::to_string(&document).unwrap();
        assert_eq!(again, text.trim_start_matches('\u{feff}'));
    }

    #[test]
    fn read_newer_version_is_refused() {
        for text in [
            r#"{"schema_version":3,"name":{"first":"x"}}"#,
            r#"{"name":"x","schema_version":18446744073709551615}"#,
        ] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, StoreError::Newer { .. }), "{error}");
            assert!(error.to_string().contains("versions up to 2"), "{error}");
        }
    }

    #[test]
    fn read_damaged_document_has_position() {
        let error = read("{\n  \"schema_version\": 1,\n  \"name\": x\n}").unwrap_err();
        let StoreError::Malformed { line, column, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((*line, *column), (3, 11));
        assert!(error.to_string().contains("left as it is"), "{error}");
        for text in ["", "[]", "{}", r#"{"schema_version":0,"name":"x"}"#, "nul"] {
            let error = read(text).unwrap_err();
            assert!(
                matches!(error, StoreError::Malformed { .. }),
                "{text}: {error}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn read_pipe_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("doc.json");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = read_document::<Document>(&RootedPath::typed(&path), 2, 1000).unwrap_err();
        assert!(error.to_string().contains("is a pipe"), "{error}");
    }

    #[test]
    fn read_huge_document_is_refused() {
        let text = format!("{{\"schema_version\":1,\"name\":\"{}\"}}", "x".repeat(1000));
        let error = read(&text).unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { limit: 1000, .. }));
    }
    proptest::proptest! {
        #[test]
        fn read_any_text_is_left_unchanged(
            text in "\\PC{0,60}",
            version in proptest::option::of(0u32..4),
        ) {
            let text = match version {
                Some(version) => format!("{{\"schema_version\":{version},\"name\":{text:?}}}"),
                None => text,
            };
            if let Ok(Some(document)) = read(&text) {
                proptest::prop_assert!((1..=2).contains(&document.schema_version));
            }
        }
    }
}
