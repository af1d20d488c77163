//! Converts the locations of failures to paths in the repository. Programs print absolute paths,
//! perhaps of another machine.

use std::collections::BTreeSet;
use std::path::Path;

use windlass_base::RepoPath;
use windlass_repo::Snapshot;
use windlass_results::{Failure, FailureKind, Results};

use super::go_modules::GoModules;
use crate::compose::nameable::safe;

pub(super) fn settled(mut found: Results, snapshot: &Snapshot) -> Results {
    let mut all = found.failures.iter().flat_map(|failure| &failure.places);
    let modules = match all.any(|place| file_of_go(place).is_some()) {
        true => GoModules::of(snapshot),
        false => GoModules::default(),
    };
    for failure in &mut found.failures {
        settle(failure, snapshot, &modules);
    }
    found
}

/// Converts the locations of a failure. Duplicates and locations outside of the repository are
/// dropped. The ID of a compiler error starts with its location, so that changes as well.
fn settle(failure: &mut Failure, snapshot: &Snapshot, modules: &GoModules) {
    let mut seen = BTreeSet::new();
    for place in std::mem::take(&mut failure.places) {
        let Some(inside) = place_inside(&place, snapshot, modules) else {
            continue;
        };
        if failure.kind == FailureKind::Error
            && let Some(rest) = failure.id.strip_prefix(&place)
        {
            failure.id = format!("{inside}{rest}");
        }
        if seen.insert(inside.clone()) {
            failure.places.push(inside);
        }
    }
}

/// The file in a location of Go, which may be an import path instead.
fn file_of_go(place: &str) -> Option<&str> {
    let (file, _) = place.rsplit_once(':')?;
    let is_it = file.ends_with(".go") && file.contains('/') && !is_whole(file);
    is_it.then_some(file)
}

/// Converts a location. Absolute paths and import paths of Go become paths in the repository, or
/// `None` if they're outside. Other paths stay the same.
fn place_inside(place: &str, snapshot: &Snapshot, modules: &GoModules) -> Option<String> {
    let Some((file, line)) = place.rsplit_once(':') else {
        return (!is_whole(place)).then(|| place.to_owned());
    };
    if !is_whole(file) {
        let is_there =
            |file: &str| RepoPath::parse(file).is_ok_and(|path| snapshot.read(&path).is_ok());
        let imported = file_of_go(place).filter(|file| !is_there(file));
        let found = imported.and_then(|file| modules.file(file, snapshot));
        return Some(match found {
            Some(path) => format!("{}:{line}", safe(path.as_str())),
            None => place.to_owned(),
        });
    }
    let file = file.replace('\\', "/");
    let here = snapshot.repo().path_of(Path::new(&file));
    let path = here.or_else(|| by_its_end(&file, snapshot))?;
    Some(format!("{}:{line}", safe(path.as_str())))
}

/// True for the absolute paths of any operating system, e.g. `/a` or `C:\a`.
fn is_whole(path: &str) -> bool {
    let drive = path.strip_prefix(|c: char| c.is_ascii_alphabetic());
    let rest = drive.and_then(|rest| rest.strip_prefix(':'));
    rest.unwrap_or(path).starts_with(['/', '\\'])
}

/// Finds the longest end of a path that's a file in the repository, since the path may come from
/// another machine.
fn by_its_end(path: &str, snapshot: &Snapshot) -> Option<RepoPath> {
    let mut rest = path;
    while let Some((_, end)) = rest.split_once('/') {
        rest = end;
        if let Ok(path) = RepoPath::parse(rest)
            && snapshot.read(&path).is_ok()
        {
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_of_any_system() {
        for path in ["/a/b.py", "C:\\a\\b.py", "c:/a/b.py", "\\\\host\\a.py"] {
            assert!(is_whole(path), "{path}");
        }
        for path in ["a/b.py", "b.py", "C:b.py", "../b.py", ""] {
            assert!(!is_whole(path), "{path}");
        }
    }
}
