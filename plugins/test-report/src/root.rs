//! Maps locations in a report to files of the repository.

use std::collections::{BTreeMap, BTreeSet};

use crate::place::Place;

/// The repository's location when the report was made.
pub(crate) struct Root {
    /// The repository folder that relative paths start from.
    base: String,
    /// The folder of absolute paths, with `/` at its end, or `None` if no absolute path is known.
    folder: Option<String>,
}

impl Root {
    /// Creates the map for the `places` of a report whose relative paths start from `base`. `has` is true if
    /// the repository has a line.
    ///
    /// Libraries have files of the same names: the folder with most known files is the repository. If two
    /// folders are equal, none is chosen.
    pub(crate) fn of<'a>(
        places: impl Iterator<Item = &'a Place>,
        base: &str,
        has: impl Fn(&str, u32) -> bool,
    ) -> Self {
        if base.starts_with('/') {
            let folder = Some(base.trim_end_matches('/').to_owned() + "/");
            return Self {
                base: String::new(),
                folder,
            };
        }
        let mut votes = BTreeMap::<String, BTreeSet<&str>>::new();
        let mut seen = BTreeSet::new();
        for place in places.filter(|place| place.file.starts_with('/')) {
            if !seen.insert(&place.file) {
                continue;
            }
            for (at, _) in place.file.match_indices('/') {
                if has(&place.file[at + 1..], place.line) {
                    votes
                        .entry(place.file[..=at].to_owned())
                        .or_default()
                        .insert(&place.file);
                }
            }
        }
        let most = votes.values().map(BTreeSet::len).max().unwrap_or_default();
        let mut best: Vec<String> = votes
            .into_iter()
            .filter(|(_, files)| files.len() == most)
            .map(|(folder, _)| folder)
            .collect();
        best.sort_by_key(String::len);
        // A subfolder may look like the whole repository, but a folder outside of it is a conflict.
        let one = best
            .first()
            .filter(|first| best.iter().all(|other| other.starts_with(first.as_str())));
        Self {
            base: base.to_owned(),
            folder: one.cloned(),
        }
    }

    /// Returns the file relative to the repository's root, or `None` if it's elsewhere.
    pub(crate) fn file_of(&self, place: &Place) -> Option<String> {
        match place.file.starts_with('/') {
            true => {
                let file = place.file.strip_prefix(self.folder.as_deref()?)?;
                Place {
                    file: file.to_owned(),
                    line: place.line,
                }
                .file_below("")
            }
            false => place.file_below(&self.base),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_with_most_files_is_root() {
        let place = |file: &str| Place {
            file: file.to_owned(),
            line: 3,
        };
        let places = [
            "/home/me/app/tests/a.js",
            "/home/me/app/src/index.js",
            "/usr/lib/x/index.js",
        ]
        .map(place);
        let files = ["tests/a.js", "src/index.js", "index.js"];
        let root = Root::of(places.iter(), "", |file, _| files.contains(&file));
        let found = places.each_ref().map(|place| root.file_of(place));
        assert_eq!(
            found,
            [
                Some("tests/a.js".to_owned()),
                Some("src/index.js".to_owned()),
                None
            ]
        );
        // Without `base`, we can't choose between two equal folders.
        let places = ["/x/a.js", "/y/b.js"].map(place);
        let root = |base| {
            Root::of(places.iter(), base, |file, _| {
                ["a.js", "b.js"].contains(&file)
            })
        };
        assert_eq!(root("").file_of(&places[0]), None);
        assert_eq!(root("/y").file_of(&places[1]), Some("b.js".to_owned()));
        assert_eq!(root("/y").file_of(&places[0]), None);
        assert_eq!(
            root("web").file_of(&place("./t/c.js")),
            Some("web/t/c.js".to_owned())
        );
        assert_eq!(root("/y").file_of(&place("/y/../etc/passwd")), None);
    }
}
