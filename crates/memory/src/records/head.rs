use windlass_base::Digest;

/// How many bytes of a digest tell texts apart.
pub(crate) const MARK: usize = 16;

/// What is asked of every record of a memory, whatever is looked for: it is kept, so that only what changed is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// What a person calls it: its field, or its first heading; nothing where it has neither.
    pub(crate) title: String,
    /// What its fields of [`FIELDS`] say.
    pub(crate) fields: [Option<String>; FIELDS.len()],
    /// The records whose place it says it took, as it names them.
    pub(crate) supersedes: Vec<String>,
    /// Tells its text from any other.
    pub(crate) mark: [u8; MARK],
}

/// The fields whose texts are kept.
pub(crate) const FIELDS: [&str; 5] = ["id", "status", "scope", "updated", "superseded_by"];

impl Head {
    /// What tells `text` from any other.
    pub(crate) fn mark_of(text: &str) -> [u8; MARK] {
        let mut mark = [0; MARK];
        mark.copy_from_slice(&Digest::of_bytes(text.as_bytes()).as_bytes()[..MARK]);
        mark
    }

    /// What the field `key` says, if it is one of those that are kept.
    pub(crate) fn field(&self, key: &str) -> Option<Option<&str>> {
        let at = FIELDS.iter().position(|field| *field == key)?;
        Some(self.fields[at].as_deref())
    }
}
