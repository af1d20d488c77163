use serde::{Deserialize, Serialize};

use crate::records::kind::{RecordKind, Status};
use crate::texts::codec::{Reader, put_text};

/// Length of a [`Stamp`] in bytes.
pub(super) const STAMP: usize = 16;
/// Digest of all that an entry is made of.
pub(super) type Stamp = [u8; STAMP];

/// What an index keeps of an entry beside its terms.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct EntryHead {
    #[serde(skip)]
    pub(super) id: String,
    pub(super) path: String,
    pub(super) title: String,
    pub(super) updated: String,
    pub(super) kind: RecordKind,
    pub(super) status: Status,
}

impl EntryHead {
    /// The bytes of the head: stamp and id come first, since these are looked up without the rest.
    pub(super) fn encode(&self, stamp: &Stamp) -> Vec<u8> {
        let mut bytes = stamp.to_vec();
        put_text(&mut bytes, &self.id);
        bytes.extend(serde_json::to_vec(self).unwrap_or_default());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes.get(STAMP..)?);
        let id = reader.text()?.to_owned();
        let head: Self = serde_json::from_slice(reader.0).ok()?;
        Some(Self { id, ..head })
    }

    /// The stamp in the bytes of a head.
    pub(super) fn stamp_in(bytes: &[u8]) -> Option<&Stamp> {
        bytes.first_chunk()
    }

    /// The id in the bytes of a head.
    pub(super) fn id_in(bytes: &[u8]) -> Option<&str> {
        Reader(bytes.get(STAMP..)?).text()
    }
}
