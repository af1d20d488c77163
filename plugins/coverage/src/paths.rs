//! Maps paths in a report to files of the repository. Most tools write paths of the machine they ran on.

use std::collections::{BTreeMap, BTreeSet};

/// The repository's location when the report was made, and its files.
pub(crate) struct Places<'a> {
    files: BTreeSet<&'a str>,
    base: String,
    /// The folder of absolute paths, with `/` at its end, or `None` if no absolute path is known.
    root: Option<String>,
}

impl<'a> Places<'a> {
    /// Creates the map for the `paths` of a report about a repository with `files`. Relative paths
    /// start from `base`.
    pub(crate) fn of<'b>(
        paths: impl Iterator<Item = &'b str>,
        files: &'a [String],
        base: &str,
    ) -> Result<Self, String> {
        let named =
            is_absolute(&plain(base)).then(|| plain(base).trim_end_matches('/').to_owned() + "/");
        let base = match base.trim_matches('/') {
            _ if named.is_some() => String::new(),
            "" | "." => String::new(),
            base => format!("{base}/"),
        };
        let files: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        // Libraries have files of the same names, so the folder with most known files is the
        // repository, and we ignore files outside of it.
        let mut votes = BTreeMap::<String, usize>::new();
        for path in paths.map(plain).filter(|path| is_absolute(path)) {
            for (at, _) in path.match_indices('/') {
                if files.contains(&path[at + 1..]) {
                    *votes.entry(path[..=at].to_owned()).or_default() += 1;
                }
            }
        }
        let most = votes.values().max().copied();
        let mut roots: Vec<&String> = votes
            .iter()
            .filter_map(|(root, votes)| (Some(*votes) == most).then_some(root))
            .collect();
        roots.sort_by_key(|root| root.len());
        // A subfolder of the repository may look like another repository, but a folder outside of
        // it is a conflict.
        if let [first, ..] = roots[..]
            && let Some(other) = roots.iter().find(|root| !root.starts_with(first.as_str()))
            && named.is_none()
        {
            return Err(format!(
                "its paths fit both `{first}` and `{other}`: say with `base` which is the repository"
            ));
        }
        let root = named.or_else(|| roots.first().map(|root| (*root).clone()));
        Ok(Self { files, base, root })
    }

    /// Returns the repository's file that `path` refers to.
    pub(crate) fn of_path(&self, path: &str) -> Option<&'a str> {
        let path = plain(path);
        let known = |file: &str| self.files.get(file).copied();
        if is_absolute(&path) {
            return known(path.strip_prefix(self.root.as_deref()?)?);
        }
        let path = path.strip_prefix("./").unwrap_or(&path);
        known(&format!("{}{path}", self.base))
    }
}

fn plain(path: &str) -> String {
    path.replace('\\', "/")
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_with_most_files_is_root() {
        let files = ["src/lib.rs", "src/a.rs", "crates/b/src/lib.rs"].map(str::to_owned);
        let paths = [
            "/home/me/app/src/lib.rs",
            "/home/me/app/src/a.rs",
            "/home/me/app/crates/b/src/lib.rs",
            "/home/me/.cargo/registry/serde/src/lib.rs",
            "/home/me/.cargo/registry/log/src/lib.rs",
        ];
        let places = Places::of(paths.into_iter(), &files, "").unwrap();
        let known = paths.map(|path| places.of_path(path));
        let wanted = [
            Some("src/lib.rs"),
            Some("src/a.rs"),
            Some("crates/b/src/lib.rs"),
            None,
            None,
        ];
        assert_eq!(known, wanted);
    }

    #[test]
    fn relative_paths_start_at_base() {
        let files = ["web/src/a.ts", "a.py"].map(str::to_owned);
        let places = Places::of(["src/a.ts"].into_iter(), &files, "web").unwrap();
        assert_eq!(places.of_path("./src/a.ts"), Some("web/src/a.ts"));
        assert_eq!(places.of_path("src\\a.ts"), Some("web/src/a.ts"));
        assert_eq!(places.of_path("a.py"), None);
        assert_eq!(places.of_path("/x/a.py"), None);
        let windows = Places::of(["C:\\app\\a.py"].into_iter(), &files, "").unwrap();
        assert_eq!(windows.of_path("C:\\app\\a.py"), Some("a.py"));
    }

    #[test]
    fn ambiguous_root_refused() {
        let files = ["src/a.rs", "a.rs"].map(str::to_owned);
        let paths = ["/x/src/a.rs", "/y/src/a.rs"];
        let of = |base| Places::of(paths.into_iter(), &files, base);
        let error = of("").err().unwrap();
        assert!(error.contains("both `/x/` and `/y/`"), "{error}");
        let named = of("/y").unwrap();
        assert_eq!(
            paths.map(|path| named.of_path(path)),
            [None, Some("src/a.rs")]
        );
        // A file of the same name at a higher level is not a conflict.
        let one = Places::of(["/x/src/a.rs"].into_iter(), &files, "").unwrap();
        assert_eq!(one.of_path("/x/src/a.rs"), Some("src/a.rs"));
    }
}
