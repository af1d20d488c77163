use windlass_base::Digest;

/// Length of a digest in bytes.
pub(crate) const MARK: usize = 16;

/// The parts of a record that every operation needs. They are cached, so that only changed files are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Title field, or the first heading; empty if both are missing.
    pub(crate) title: String,
    /// Values of [`FIELDS`].
    pub(crate) fields: [Option<String>; FIELDS.len()],
    /// Names of the superseded records, as written.
    pub(crate) supersedes: Vec<String>,
    /// Digest of the text.
    pub(crate) mark: [u8; MARK],
}

/// Names of the cached fields.
pub(crate) const FIELDS: [&str; 5] = ["id", "status", "scope", "updated", "superseded_by"];

impl Head {
    /// Returns the digest of `text`.
    pub(crate) fn mark_of(text: &str) -> [u8; MARK] {
        let mut mark = [0; MARK];
        mark.copy_from_slice(&Digest::of_bytes(text.as_bytes()).as_bytes()[..MARK]);
        mark
    }

    /// Returns the value of the field `key`; `None` if the field is not cached.
    pub(crate) fn field(&self, key: &str) -> Option<Option<&str>> {
        let at = FIELDS.iter().position(|field| *field == key)?;
        Some(self.fields[at].as_deref())
    }
}
