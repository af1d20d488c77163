//! Writes repository files, unless they changed in the meantime.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Snapshot};
use windlass_site::{Error, Site};

/// Writes `files`, provided that none of them has changed since `snapshot`. If one has, this writes
/// none of them, and returns the first that has changed or become unreadable.
///
/// There's still a short time between the check and the write, in which a change would go
/// unnoticed. No lock can help with that, because editors and git don't take it.
///
/// # Errors
/// Returns an error if writing a file fails.
pub(super) fn write_unless_changed(
    site: &Site,
    snapshot: &Snapshot,
    files: &BTreeMap<RepoPath, String>,
) -> Result<Option<RepoPath>, Error> {
    let now = site.snapshot();
    let is_changed = |file: &&RepoPath| match (bytes_of(file, snapshot), bytes_of(file, &now)) {
        (Ok(before), Ok(now)) => before != now,
        _ => true,
    };
    if let Some(changed) = files.keys().find(is_changed) {
        return Ok(Some(changed.clone()));
    }
    for (path, text) in files {
        windlass_store::write_shared(&site.files().place_of(path)?, text.as_bytes())?;
    }
    Ok(None)
}

fn bytes_of(file: &RepoPath, snapshot: &Snapshot) -> Result<Option<Vec<u8>>, Refusal> {
    match snapshot.read(file) {
        Ok(source) => Ok(Some(source.bytes().to_vec())),
        Err(Refusal::Missing) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::site;

    #[test]
    fn write_file_changed_nothing_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "1").unwrap();
        fs::write(at("b"), "1").unwrap();
        let site = site(folder.path());
        let path = |name: &str| RepoPath::parse(name).unwrap();
        let ours = ["a", "b", "c"].map(|name| (path(name), "ours".to_owned()));
        let ours = BTreeMap::from(ours);
        let look = || {
            let snapshot = site.snapshot();
            for file in ours.keys() {
                let _ = snapshot.read(file);
            }
            snapshot
        };
        let texts = || ["a", "b", "c"].map(|name| fs::read_to_string(at(name)).ok());
        let text = |text: &str| Some(text.to_owned());

        // A change of the same length, a new file and a deleted one must all be noticed. None of
        // the files may be written in any of these cases.
        let seen = look();
        fs::write(at("b"), "2").unwrap();
        let changed = write_unless_changed(&site, &seen, &ours).unwrap();
        assert_eq!(
            (changed, texts()),
            (Some(path("b")), [text("1"), text("2"), None])
        );
        let seen = look();
        fs::write(at("c"), "3").unwrap();
        let changed = write_unless_changed(&site, &seen, &ours).unwrap();
        assert_eq!(
            (changed, texts()),
            (Some(path("c")), [text("1"), text("2"), text("3")])
        );
        let seen = look();
        fs::remove_file(at("a")).unwrap();
        let changed = write_unless_changed(&site, &seen, &ours).unwrap();
        assert_eq!(
            (changed, texts()),
            (Some(path("a")), [None, text("2"), text("3")])
        );

        let seen = look();
        assert_eq!(write_unless_changed(&site, &seen, &ours).unwrap(), None);
        assert_eq!(texts(), [text("ours"), text("ours"), text("ours")]);
    }
}
