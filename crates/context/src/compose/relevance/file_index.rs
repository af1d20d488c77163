//! Finds the files in the repository that imports refer to.
//!
//! We do not know how the project is built, so this is a heuristic based on the names of files and
//! folders. If it is not clear which file is meant, we would rather return none.

use std::collections::BTreeMap;

/// Maximum number of files with the same name that we consider.
const MOST_ALIKE: usize = 200;

/// Files by their names without an extension, which is what imports contain.
#[derive(Debug, Default)]
pub(crate) struct FileIndex<'a> {
    by_stem: BTreeMap<&'a str, Vec<&'a str>>,
}

/// True for `mod.rs` and the like. Other files import these by the name of the folder.
fn is_folder_file(stem: &str, ending: &str) -> bool {
    match ending {
        "rs" => matches!(stem, "mod" | "lib" | "main"),
        "py" | "pyi" => stem == "__init__",
        _ => stem == "index",
    }
}

impl<'a> FileIndex<'a> {
    #[must_use]
    pub(crate) fn new(files: impl IntoIterator<Item = &'a str>) -> Self {
        let mut by_stem: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in files {
            by_stem.entry(stem_of(file)).or_default().push(file);
        }
        Self { by_stem }
    }

    /// Returns the file that `import` in the file `from` refers to, or `None` if there is no such
    /// file or it is not clear which one.
    ///
    /// We split the import into names, and look for the file whose path ends with as many of them
    /// as possible, counted from the first one. (The last names may be those of items in the file.)
    /// If there are several, we choose the one closest to `from`.
    #[must_use]
    pub(crate) fn resolve(&self, from: &str, import: &str) -> Option<&'a str> {
        let ending = ending_of(from);
        let wanted = Wanted::of(from, import)?;
        let least = if wanted.folder.is_some() {
            1
        } else {
            2.min(wanted.names.len())
        };
        (least..=wanted.names.len())
            .rev()
            .find_map(|count| self.file(from, ending, &wanted, count))
    }

    /// Tries the first `count` names.
    fn file(&self, from: &str, ending: &str, wanted: &Wanted, count: usize) -> Option<&'a str> {
        let names = &wanted.names[..count];
        let last = names.last()?;
        let fits = |file: &&&'a str| {
            let path = path_names(file);
            let is_there = match &wanted.folder {
                Some(folder) => {
                    path.len() == folder.len() + count
                        && path.starts_with(folder)
                        && path.ends_with(names)
                }
                None => path.len() >= count && path.ends_with(names),
            };
            is_there && **file != from && is_same_family(ending_of(file), ending)
        };
        let mut best: Option<(usize, &'a str)> = None;
        let mut is_tied = false;
        for file in self
            .by_stem
            .get(last.as_str())?
            .iter()
            .take(MOST_ALIKE)
            .filter(fits)
        {
            let near = shared(from, file);
            match best {
                Some((known, _)) if known > near => {}
                Some((known, _)) if known == near => is_tied = true,
                _ => {
                    best = Some((near, file));
                    is_tied = false;
                }
            }
        }
        best.filter(|_| !is_tied).map(|(_, file)| file)
    }
}

/// An import, split into names.
struct Wanted {
    /// The folder, for a relative import. In this case, the whole path must match.
    folder: Option<Vec<String>>,
    names: Vec<String>,
}

impl Wanted {
    fn of(from: &str, import: &str) -> Option<Self> {
        let here: Vec<String> = folder_of(from)
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        if ending_of(from) == "rs" {
            return Self::of_rust(from, &here, import);
        }
        if import.starts_with("./") || import.starts_with("../") {
            let mut folder = here;
            let mut names = Vec::new();
            for part in import.split('/') {
                match part {
                    "." | "" => {}
                    ".." => {
                        folder.pop()?;
                    }
                    name => names.push(name.to_owned()),
                }
            }
            // The other names are those of folders.
            let last = names.pop()?;
            folder.extend(names);
            return Some(Self {
                folder: Some(folder),
                names: vec![without_ending(&last).to_owned()],
            });
        }
        let dots = import.bytes().take_while(|b| *b == b'.').count();
        let mut folder = None;
        if dots > 0 {
            let mut up = here;
            for _ in 1..dots {
                up.pop()?;
            }
            folder = Some(up);
        }
        let rest = import.trim_start_matches('.');
        let parts: Vec<String> = if rest.contains('/') || rest.ends_with(".h") {
            rest.split('/')
                .map(|name| without_ending(name).to_owned())
                .collect()
        } else {
            rest.split('.').map(str::to_owned).collect()
        };
        let names: Vec<String> = parts.into_iter().filter(|name| !name.is_empty()).collect();
        (!names.is_empty()).then_some(Self { folder, names })
    }

    fn of_rust(from: &str, here: &[String], import: &str) -> Option<Self> {
        let mut names: Vec<String> = import
            .split("::")
            .map(|name| name.trim().to_owned())
            .collect();
        let own = match stem_in_folder(from) {
            // The modules in `src/a.rs` are in the folder `src/a/`.
            Some(stem) => [here, &[stem.to_owned()]].concat(),
            None => here.to_vec(),
        };
        let root = || {
            let src = here.iter().rposition(|name| name == "src")?;
            Some(here[..=src].to_vec())
        };
        let mut folder = match names.first()?.as_str() {
            "crate" => Some(root()?),
            "self" | "super" => Some(own),
            _ => None,
        };
        if folder.is_none() {
            // This may be a crate of the same workspace. The crate `windlass_base` may be in the
            // folder `base` or `windlass-base`, so we can't use its name.
            if names.len() < 2 {
                return None;
            }
            names.remove(0);
            return Some(Self {
                folder: None,
                names,
            });
        }
        while names.first().is_some_and(|name| name == "super") {
            names.remove(0);
            folder.as_mut()?.pop()?;
        }
        if matches!(names.first().map(String::as_str), Some("crate" | "self")) {
            names.remove(0);
        }
        (!names.is_empty()).then_some(Self { folder, names })
    }
}

fn without_ending(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() <= 4 => stem,
        _ => name,
    }
}

fn ending_of(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn is_same_family(one: &str, other: &str) -> bool {
    let family = |ending: &str| match ending {
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => "js".to_owned(),
        "c" | "h" => "c".to_owned(),
        "py" | "pyi" => "py".to_owned(),
        other => other.to_owned(),
    };
    family(one) == family(other)
}

fn folder_of(file: &str) -> Vec<&str> {
    let mut names: Vec<&str> = file.split('/').collect();
    names.pop();
    names
}

/// The name without the extension, or `None` if the file stands for its folder.
fn stem_in_folder(file: &str) -> Option<&str> {
    let stem = without_ending(file.rsplit('/').next().unwrap_or(file));
    (!is_folder_file(stem, ending_of(file))).then_some(stem)
}

/// The name by which imports refer to a file. If the file stands for its folder, that is the name
/// of the folder.
fn stem_of(file: &str) -> &str {
    stem_in_folder(file).unwrap_or_else(|| folder_of(file).last().copied().unwrap_or_default())
}

/// The folders and the name of a file, as they would be written in an import.
fn path_names(file: &str) -> Vec<String> {
    let mut names: Vec<String> = folder_of(file)
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    names.extend(stem_in_folder(file).map(str::to_owned));
    names
}

/// The number of folders, from the root, that both files have in common.
fn shared(one: &str, other: &str) -> usize {
    folder_of(one)
        .iter()
        .zip(folder_of(other))
        .take_while(|(a, b)| **a == *b)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_lead_to_files() {
        let files = [
            "crates/plan/src/lib.rs",
            "crates/plan/src/schedule/mod.rs",
            "crates/plan/src/schedule/event.rs",
            "crates/plan/src/runbook.rs",
            "crates/pack/src/lib.rs",
            "crates/pack/src/view.rs",
            "crates/plan/src/view.rs",
            "web/src/app.ts",
            "web/src/parts/index.tsx",
            "web/src/parts/button.tsx",
            "py/pkg/__init__.py",
            "py/pkg/mod.py",
            "py/pkg/sub/deep.py",
            "c/a.c",
            "c/inc/a.h",
            "java/org/x/Thing.java",
            "java/org/y/Use.java",
        ];
        let index = FileIndex::new(files);
        for (from, import, to) in [
            (
                "crates/plan/src/lib.rs",
                "self::schedule",
                Some("crates/plan/src/schedule/mod.rs"),
            ),
            (
                "crates/plan/src/runbook.rs",
                "crate::schedule::event::Event",
                Some("crates/plan/src/schedule/event.rs"),
            ),
            (
                "crates/plan/src/schedule/event.rs",
                "super::super::runbook::Runbook",
                Some("crates/plan/src/runbook.rs"),
            ),
            (
                "crates/plan/src/schedule/event.rs",
                "super::super::super::x",
                None,
            ),
            (
                "crates/pack/src/view.rs",
                "windlass_plan::schedule::Schedule",
                None,
            ),
            ("crates/plan/src/lib.rs", "std::fmt", None),
            ("web/src/app.ts", "./parts", Some("web/src/parts/index.tsx")),
            ("web/src/parts/button.tsx", "../app", Some("web/src/app.ts")),
            ("web/src/app.ts", "react", None),
            ("py/pkg/mod.py", ".sub.deep.f", Some("py/pkg/sub/deep.py")),
            ("py/pkg/sub/deep.py", "pkg.mod.Name", Some("py/pkg/mod.py")),
            ("c/a.c", "inc/a.h", Some("c/inc/a.h")),
            (
                "java/org/y/Use.java",
                "org.x.Thing",
                Some("java/org/x/Thing.java"),
            ),
        ] {
            assert_eq!(index.resolve(from, import), to, "{import} in {from}");
        }
    }
}
