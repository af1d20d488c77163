//! A folder in a commit, parsed from git's own format. We use this instead of `git ls-tree`,
//! because a running `git cat-file` can return such objects without starting another process.

use std::collections::BTreeMap;

/// The entries of a folder in a commit, by name. Links, submodules, and names that are not UTF-8
/// are left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree(BTreeMap<Box<str>, TreeEntry>);

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TreeEntry {
    /// ID of the file's blob.
    File(Box<str>),
    /// ID of the subfolder's tree.
    Tree(Box<str>),
}

impl Tree {
    /// Parses git's binary tree format. Each entry consists of a mode, a name, and an ID of
    /// `id_len` bytes. Returns `None` if the input ends in the middle of an entry.
    pub(crate) fn parse(mut bytes: &[u8], id_len: usize) -> Option<Self> {
        let mut entries = BTreeMap::new();
        while !bytes.is_empty() {
            let end = memchr::memchr(0, bytes)?;
            let (head, rest) = (&bytes[..end], &bytes[end + 1..]);
            let blank = memchr::memchr(b' ', head)?;
            let (mode, name) = (&head[..blank], &head[blank + 1..]);
            let id = windlass_base::encode_hex(rest.get(..id_len)?);
            bytes = &rest[id_len..];
            let entry = match mode {
                b"40000" => TreeEntry::Tree(id.into()),
                mode if mode.starts_with(b"100") => TreeEntry::File(id.into()),
                _ => continue,
            };
            if let Ok(name) = std::str::from_utf8(name) {
                entries.insert(name.into(), entry);
            }
        }
        Some(Self(entries))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&TreeEntry> {
        self.0.get(name)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_skips_links_and_submodules() {
        let mut bytes = Vec::new();
        for (entry, id) in [
            ("100644 a.rs", 1),
            ("100755 b c", 2),
            ("40000 d", 3),
            ("120000 e", 4),
            ("160000 f", 5),
        ] {
            bytes.extend(entry.as_bytes());
            bytes.push(0);
            bytes.extend([id; 20]);
        }
        let tree = Tree::parse(&bytes, 20).unwrap();
        let id = |nr: &str| nr.repeat(20).into_boxed_str();
        assert_eq!(tree.get("a.rs"), Some(&TreeEntry::File(id("01"))));
        assert_eq!(tree.get("b c"), Some(&TreeEntry::File(id("02"))));
        assert_eq!(tree.get("d"), Some(&TreeEntry::Tree(id("03"))));
        assert_eq!(tree.len(), 3);
        assert_eq!(Tree::parse(&bytes[..bytes.len() - 1], 20), None);
        assert_eq!(Tree::parse(b"100644", 20), None);
    }
}
