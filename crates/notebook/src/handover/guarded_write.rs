//! Writes repository files, but only if they haven't changed in the meantime.

use std::collections::BTreeMap;

use windlass_base::RepoPath;
use windlass_repo::{Refusal, Snapshot};
use windlass_site::{Error, Site};

/// Writes `files` if none of them has changed since `snapshot`. Otherwise writes none, and returns
/// the first file that changed or can't be read.
///
/// # Errors
/// Returns an error if a file cannot be written.
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

/// Returns the contents of `file`, or `None` if it doesn't exist.
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

        // We must detect a change of the same length, a new file and a deleted file, and write none
        // of the files then.
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
