//! Output of git: a list of changes as printed by git reads back as written, and other output never
//! names a path it doesn't contain.

use windlass_base::RepoPath;
use windlass_repo::ChangeStatus;
use windlass_repo::git_output::{changes, commit_steps, line_writers};

const LETTERS: [(u8, ChangeStatus); 4] = [
    (b'A', ChangeStatus::Added),
    (b'M', ChangeStatus::Modified),
    (b'D', ChangeStatus::Deleted),
    (b'T', ChangeStatus::TypeChanged),
];

pub(crate) fn check(bytes: &[u8]) {
    for file in changes(bytes).into_iter().flat_map(|found| found.files) {
        is_in(file.path.as_str(), bytes);
    }
    for step in commit_steps(bytes).unwrap_or_default() {
        is_in(&step.commit, bytes);
        for place in step
            .changes
            .iter()
            .flat_map(|it| [&it.from, &it.to])
            .flatten()
        {
            is_in(place.path.as_str(), bytes);
            is_in(&place.blob, bytes);
        }
    }
    for writer in line_writers(bytes).values() {
        is_in(writer.file.as_str(), bytes);
    }
    read_back(bytes);
}

/// Prints a change for each line of the input as git would, and reads the result.
fn read_back(bytes: &[u8]) {
    let mut output = Vec::new();
    let mut expected = Vec::new();
    for line in bytes.split(|byte| matches!(byte, b'\n' | 0)) {
        let (Some((sort, name)), true) = (line.split_first(), line.len() < 200) else {
            continue;
        };
        let Some(path) = std::str::from_utf8(name)
            .ok()
            .and_then(|name| RepoPath::parse(name).ok())
        else {
            continue;
        };
        if path.as_str().as_bytes() != name || expected.iter().any(|(known, _)| *known == path) {
            continue;
        }
        let (letter, status) = LETTERS[usize::from(*sort) % LETTERS.len()];
        output.extend([letter, 0]);
        output.extend_from_slice(name);
        output.push(0);
        expected.push((path, status));
    }
    expected.sort_by(|(a, _), (b, _)| a.cmp(b));
    let found = changes(&output).expect("output as git prints it");
    let found: Vec<_> = found
        .files
        .into_iter()
        .map(|file| (file.path, file.status))
        .collect();
    assert_eq!(found, expected);
}

/// Checks that all parts of a path or id occur in the output. Empty parts of a path are dropped
/// when it's read.
fn is_in(path: &str, whole: &[u8]) {
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let is_found = whole.windows(part.len()).any(|at| at == part.as_bytes());
        assert!(is_found, "{part:?} is not in the output");
    }
}
