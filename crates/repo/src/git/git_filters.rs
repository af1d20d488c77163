//! Files with a filter program at checkout, e.g. Git LFS or git-crypt.

use std::collections::BTreeSet;
use std::time::UNIX_EPOCH;

use windlass_base::RepoPath;

use super::{GitError, WorkingTree};

impl WorkingTree<'_> {
    /// Returns those of `files` that have a filter program.
    ///
    /// Their contents in a commit differ from those in the working tree, so callers can't compare
    /// the two. We only read attributes here, and don't run any filter.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn filtered(&self, files: &BTreeSet<RepoPath>) -> Result<BTreeSet<RepoPath>, GitError> {
        // The overrides disable every filter that's configured, so they also tell us which ones
        // there are. Git ignores an attribute that names any other filter.
        let overrides = self.0.working_tree_overrides()?;
        let is_filter = |value: &str| {
            let key = format!("filter.{value}.clean");
            overrides.iter().any(|(name, _)| *name == key)
        };
        let has_filters = overrides
            .iter()
            .any(|(name, _)| name.starts_with("filter."));
        if files.is_empty() || !has_filters {
            return Ok(BTreeSet::new());
        }
        let output = self
            .0
            .command("check-attr")
            .args(["-z", "filter", "--"])
            .args(files.iter().map(RepoPath::as_str))
            .run()?;
        // Each file takes three parts: its path, the attribute, and the value.
        let parts: Vec<&[u8]> = output.parts().collect();
        let filtered = parts.chunks_exact(3).filter_map(|part| {
            let value = std::str::from_utf8(part[2]).ok()?;
            let name = std::str::from_utf8(part[0]).ok()?;
            is_filter(value)
                .then(|| RepoPath::parse(name).ok())
                .flatten()
        });
        Ok(filtered.collect())
    }

    /// Returns true if the file at `path` is unchanged since git wrote or added the contents `blob`
    /// (a full ID).
    ///
    /// Use this for a filtered file, which differs from its blob even if nobody has changed it. We
    /// compare the time and the size in git's index, like git itself does.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn is_as_checked_out(&self, path: &RepoPath, blob: &str) -> Result<bool, GitError> {
        let output = self
            .0
            .command("ls-files")
            .args(["--stage", "--debug", "-z", "--", path.as_str()])
            .run()?;
        let noted = IndexEntry::parse(&output.text());
        let there = self.0.place.root.join(path.as_str()).symlink_metadata();
        let now = there.ok().and_then(|there| {
            let changed = there.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((changed.as_secs(), changed.subsec_nanos(), there.len()))
        });
        Ok(noted.is_some_and(|noted| {
            noted.blob == blob && now == Some((noted.seconds, noted.nanoseconds, noted.size))
        }))
    }
}

#[derive(Debug, PartialEq, Eq)]
struct IndexEntry {
    blob: String,
    seconds: u64,
    nanoseconds: u32,
    size: u64,
}

impl IndexEntry {
    /// Parses the output of `git ls-files --stage --debug -z` for a single file.
    ///
    /// It consists of mode, ID, stage and path, followed by a line for each file system attribute.
    /// A file in a conflict has several entries, for which this returns `None`.
    fn parse(text: &str) -> Option<Self> {
        let (entry, facts) = text.split_once('\0')?;
        let mut entry = entry.split(['\t', ' ']);
        let (blob, stage) = (entry.nth(1)?, entry.next()?);
        let fact = |name: &str| {
            let mut lines = facts.lines().map(str::trim_start);
            lines.find_map(|line| line.strip_prefix(name))
        };
        let (seconds, nanoseconds) = fact("mtime: ")?.split_once(':')?;
        let size = fact("size: ")?.split('\t').next()?;
        (stage == "0").then_some(())?;
        Some(Self {
            blob: blob.to_owned(),
            seconds: seconds.parse().ok()?,
            nanoseconds: nanoseconds.parse().ok()?,
            size: size.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_entry_is_parsed() {
        let text = "100644 1a2b 0\ta b\0  ctime: 17:5\n  mtime: 1795720230:155395081\n  dev: 2\tino: 3\n  uid: 0\tgid: 0\n  \
                    size: 42\tflags: 0\n";
        let want = IndexEntry {
            blob: "1a2b".to_owned(),
            seconds: 1_795_720_230,
            nanoseconds: 155_395_081,
            size: 42,
        };
        assert_eq!(IndexEntry::parse(text), Some(want));
        for broken in [
            "",
            "100644 1a2b 0\ta b",
            &text.replace("mtime", "time"),
            &text.replace(" 0\t", " 2\t"),
        ] {
            assert_eq!(IndexEntry::parse(broken), None, "{broken}");
        }
    }
}
