use windlass_base::Digest;

/// Length of the digest in bytes.
pub(crate) const MARK: usize = 16;

/// The parts of a record that every operation needs. We cache them so that unchanged files needn't
/// be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The title field or first heading. Empty if both are missing.
    pub(crate) title: String,
    /// Values of the fields in [`FIELDS`], in the same order.
    pub(crate) fields: [Option<String>; FIELDS.len()],
    /// Names of the records superseded by this one, as written.
    pub(crate) supersedes: Vec<String>,
    /// Digest of the text, by which we notice that the text no longer matches the cached head.
    pub(crate) mark: [u8; MARK],
}

/// Names of the cached fields.
pub(crate) const FIELDS: [&str; 5] = ["id", "status", "scope", "updated", "superseded_by"];

impl Head {
    /// Returns the digest of `text` to store as `mark`.
    pub(crate) fn mark_of(text: &str) -> [u8; MARK] {
        let mut mark = [0; MARK];
        mark.copy_from_slice(&Digest::of_bytes(text.as_bytes()).as_bytes()[..MARK]);
        mark
    }

    /// Returns the value of the cached field `key`, which may itself be missing, or `None` if the
    /// field isn't cached.
    pub(crate) fn field(&self, key: &str) -> Option<Option<&str>> {
        let at = FIELDS.iter().position(|field| *field == key)?;
        Some(self.fields[at].as_deref())
    }
}
