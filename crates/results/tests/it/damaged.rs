//! Damaged logs. If a line is missing or unreadable, we lose at most the failure it reports. Other
//! failures may lose their suite or package with it.

use std::collections::BTreeSet;
use std::path::Path;

use windlass_results::{Results, read_results};

const LOGS: [&str; 16] = [
    "cargo/cargo.txt",
    "unittest/unittest.txt",
    "pytest/pytest.txt",
    "pytest/pytest-xdist.txt",
    "node/node-spec.txt",
    "node/node-tap.txt",
    "maven/maven.txt",
    "jest/jest.txt",
    "vitest/vitest-coloured.txt",
    "mocha/mocha.txt",
    "mocha/mocha-tap.txt",
    "go/go.txt",
    "go/go-json.txt",
    "ctest/ctest.txt",
    "swift/swift.txt",
    "swift/swift-testing.txt",
];

fn keys(found: &Results) -> BTreeSet<String> {
    let bad = found.names.iter().filter(|name| name.is_bad());
    bad.map(|name| name.key.clone()).collect()
}

#[test]
fn missing_line_costs_at_most_one_failure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/results");
    let mut faults = Vec::new();
    for log in LOGS {
        let text = std::fs::read_to_string(folder.join(log)).unwrap();
        let whole = read_results(&text).unwrap();
        let known = keys(&whole);
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).step_by(3) {
            for put in [None, Some("x")] {
                let before = lines[..at].iter().copied();
                let rest = put.into_iter().chain(lines[at + 1..].iter().copied());
                let damaged: Vec<&str> = before.chain(rest).collect();
                let found = read_results(&format!("{}\n", damaged.join("\n"))).unwrap();
                let left = keys(&found);
                // The damaged line may have named the suite or package, so only the last part of
                // the key has to be left.
                let is_lost = |key: &&String| {
                    let name = key.rsplit('.').next().unwrap();
                    !left
                        .iter()
                        .any(|other| other.rsplit('.').next() == Some(name))
                };
                let lost: Vec<&String> = known.iter().filter(is_lost).collect();
                let is_told = found.is_broken_off || found.unnamed > 0;
                // No failure is lost silently if the result says that it's incomplete.
                if !is_told && (lost.len() > 1 || left.is_empty()) {
                    faults.push(format!(
                        "{log}:{} {put:?} {:?} loses {lost:?}",
                        at + 1,
                        lines[at]
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
