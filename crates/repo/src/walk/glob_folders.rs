//! Folders that can contain files which match the globs of a query. The walk skips all others,
//! which saves most of the work for a glob such as `crates/repo/**`.

use std::path::{Component, Path};

/// The folder names in each glob that selects files, up to the first `**`.
///
/// This is `None` if a file in any folder may match. We would rather walk too many folders than
/// miss a file, so that's also the answer for every glob that we don't fully understand.
#[derive(Debug)]
pub(super) struct GlobFolders(Option<Vec<Folders>>);

#[derive(Debug)]
struct Folders {
    names: Vec<String>,
    /// True if the glob goes on with `**`, which stands for any number of folders.
    is_open: bool,
}

impl GlobFolders {
    pub(super) fn of(globs: &[String]) -> Self {
        let mut selecting = globs
            .iter()
            .filter(|glob| !glob.starts_with('!'))
            .peekable();
        Self(match selecting.peek() {
            Some(_) => selecting.map(|glob| Folders::of(glob)).collect(),
            None => None,
        })
    }

    /// True if a file in `folder`, or below it, may match. The path is relative to the root.
    pub(super) fn lead_through(&self, folder: &Path) -> bool {
        let globs = self.0.as_ref();
        globs.is_none_or(|globs| globs.iter().any(|glob| glob.lead_through(folder)))
    }
}

impl Folders {
    /// Returns `None` for a glob that matches at any depth, or whose folders aren't obvious.
    fn of(glob: &str) -> Option<Self> {
        let is_obvious = !glob.contains(['\\', '{', '[']) && !glob.starts_with('#');
        let is_obvious = is_obvious && glob.trim() == glob && !glob.ends_with('/');
        let (folders, _) = glob.rsplit_once('/').filter(|_| is_obvious)?;
        let folders = folders.strip_prefix('/').unwrap_or(folders);
        let mut names = folders.split('/').filter(|name| !name.is_empty());
        let closed: Vec<_> = names
            .by_ref()
            .take_while(|name| !name.contains("**"))
            .collect();
        // `**` ends the names, even if it's the last part.
        let is_open = glob.contains("**");
        Some(Self {
            names: closed.into_iter().map(str::to_owned).collect(),
            is_open,
        })
    }

    fn lead_through(&self, folder: &Path) -> bool {
        let mut names = self.names.iter();
        folder.components().all(|part| match names.next() {
            Some(name) => name.contains(['*', '?']) || part == Component::Normal(name.as_ref()),
            None => self.is_open,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windlass_base::RepoPath;

    use super::*;
    use crate::GlobSet;

    #[test]
    fn folders_without_matches_are_left_out() {
        let globs = ["crates/*/src/lib.rs", "/docs/**/*.md", "!docs/a/**"];
        let folders = GlobFolders::of(&globs.map(str::to_owned));
        for (folder, leads) in [
            ("crates", true),
            ("crates/a", true),
            ("crates/a/src", true),
            ("crates/a/tests", false),
            ("crates/a/src/b", false),
            ("docs/a/b", true),
            ("tests", false),
        ] {
            assert_eq!(folders.lead_through(Path::new(folder)), leads, "{folder}");
        }
        for all in ["*.rs", "lib.rs", "{a/b,c}/d", "**/b", "src/", "#a/b"] {
            let folders = GlobFolders::of(&["a/b".to_owned(), all.to_owned()]);
            assert!(folders.lead_through(Path::new("x/y")), "{all}");
        }
    }

    proptest! {
        #[test]
        fn folders_of_a_match_are_not_left_out(
            globs in prop::collection::vec("!?/?[abx*?/\\[\\]{,}\\\\#. -]{0,9}", 1..4),
            file in "[abx.# -]{1,2}(/[abx.# -]{1,2}){0,4}",
        ) {
            let (Ok(set), Ok(file)) = (GlobSet::new(&globs), RepoPath::parse(&file)) else {
                return Ok(());
            };
            if set.matches(&file) {
                let folders = GlobFolders::of(&globs);
                for folder in Path::new(file.as_str()).ancestors().skip(1) {
                    prop_assert!(folders.lead_through(folder), "{globs:?} {file}");
                }
            }
        }
    }
}
