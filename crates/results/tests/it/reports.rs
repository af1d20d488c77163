//! Reports of test runners in JSON and XML, and output of SwiftPM, in `results/`.

use std::path::Path;

use windlass_results::{Results, read_results};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/results");
    let program = name.split(['-', '.']).next().unwrap();
    std::fs::read_to_string(folder.join(program).join(name)).unwrap()
}

/// Lists results, one per line: counts, then each failure with its first place.
fn told(found: &Results) -> Vec<String> {
    let count = found.tests.map(|it| {
        format!(
            "{} passed, {} failed, {} skipped",
            it.passed, it.failed, it.skipped
        )
    });
    let cut = found.is_broken_off.then(|| "broken off".to_owned());
    let failures = found.failures.iter().map(|it| {
        let place = it
            .innermost()
            .map_or(String::new(), |place| format!(" at {place}"));
        format!("{}: {}{place}", it.id, it.summary)
    });
    count.into_iter().chain(cut).chain(failures).collect()
}

/// Expected results: file, program, counts and failures.
const REPORTS: [(&str, &str, &[&str]); 9] = [
    (
        "ctrf.json",
        "ctrf",
        &[
            "1 passed, 3 failed, 1 skipped",
            "pantry › jars › counts jars: expected 3 jars, got 2 at tests/jars.spec.ts:14",
            "cellar > door › opens the cellar: Timeout of 5000 ms",
            "cellar > door › paints the door: other",
        ],
    ),
    (
        "jest-json.json",
        "jest",
        &[
            "2 passed, 1 failed, 2 skipped",
            "oven › timer › stops at thirty: Error: expect(received).toBe(expected) at /home/ann/kitchen/oven.test.js:9",
            "/home/ann/kitchen/sink.test.js: ● Test suite failed to run at sink.test.js:1",
        ],
    ),
    (
        "vitest-json.json",
        "jest",
        &[
            "1 passed, 1 failed, 1 skipped",
            "kiln › cools: AssertionError: expected 900 to be less than 200 at /home/ann/kiln/kiln.test.ts:11",
        ],
    ),
    (
        "rspec.json",
        "rspec",
        &[
            "1 passed, 1 failed, 1 skipped",
            "Bucket is full: RSpec::Expectations::ExpectationNotMetError: expected: 10 at spec/bucket_spec.rb:10",
            "rspec: an error outside of the examples: An error occurred while loading ./spec/well_spec.rb. at spec/well_spec.rb:1",
        ],
    ),
    (
        "trx.xml",
        "trx",
        &[
            "1 passed, 2 failed, 1 skipped",
            "Workshop.Tests.PlaneTests.Cuts: Assert.AreEqual failed. Expected:<12>. Actual:<11>. at /home/ann/workshop/PlaneTests.cs:21",
            "Workshop.Tests.SawTests.Sharpens(grit: 400): Timeout",
            "dotnet test: an error of the run: The active test run was aborted. Reason: Test host process crashed",
        ],
    ),
    (
        "bazel.jsonl",
        "bazel",
        &[
            "2 passed, 2 failed, 1 skipped",
            "//mill:sift_test: FAILED",
            "//mill:slow_test: TIMEOUT",
            "//mill:bag: Compilation of mill/bag.cc failed: (Exit 1): gcc failed",
            "bazel: BUILD_FAILURE",
        ],
    ),
    (
        "swift.txt",
        "swift",
        &[
            "1 passed, 1 failed, 1 skipped",
            "BoatTests.HullTests testIsTight: XCTAssertEqual failed: (\"3\") is not equal to (\"0\") - leaks at /home/ann/boat/Tests/BoatTests/HullTests.swift:14",
        ],
    ),
    (
        "swift-testing.txt",
        "swift",
        &["reefs(): Expectation failed: (area → 9) < 6 at SailTests.swift:22"],
    ),
    (
        "swift-linux.txt",
        "swift",
        &[
            "1 passed, 1 failed, 0 skipped",
            "OarTests.testRows: XCTAssertTrue failed - broken at /home/ann/boat/Tests/BoatTests/OarTests.swift:9",
        ],
    ),
];

#[test]
fn report_has_counts_and_failures() {
    for (name, program, expected) in REPORTS {
        let found = read_results(&text(name)).unwrap();
        assert_eq!(told(&found), expected, "{name}");
        assert_eq!(found.programs, [program], "{name}");
        assert!(found.is_recognised, "{name}");
    }
}

#[test]
fn output_around_a_report_is_read_too() {
    // The first six are in JSON or XML. A log may contain such a report between other output.
    for (name, ..) in REPORTS.iter().take(6) {
        let report = text(name);
        let alone = read_results(&report).unwrap();
        let loud = format!("> npm test\n\nWarning: deprecated\n{report}\nnpm error code 1\n");
        let found = read_results(&loud).unwrap();
        assert_eq!(found.tests, alone.tests, "{name}");
        assert!(found.failures.len() >= alone.failures.len(), "{name}");
        let error = "src/a.c:3:1: error: expected ';'\n";
        let found = read_results(&format!("{error}{report}")).unwrap();
        assert_eq!(
            found.failures.len(),
            alone.failures.len() + 1,
            "{name}: {:?}",
            told(&found)
        );
    }
}

/// A cut report never passes.
#[test]
fn no_beginning_of_a_report_passes() {
    for (name, ..) in REPORTS.iter().take(6) {
        let whole = text(name);
        for at in (0..whole.len() - 2)
            .step_by(11)
            .filter(|at| whole.is_char_boundary(*at))
        {
            let Ok(found) = read_results(&whole[..at]) else {
                continue;
            };
            let passes = found.is_recognised && found.failures.is_empty() && !found.is_broken_off;
            assert!(!passes, "{name}: {}", &whole[..at]);
        }
    }
}

/// A damaged byte may make a report unreadable, but must not make it pass.
#[test]
fn no_damaged_report_passes() {
    for (name, ..) in REPORTS.iter().take(6) {
        let whole = text(name);
        let places = whole.char_indices().filter(|(_, c)| c.is_ascii());
        for (nr, (at, c)) in places.step_by(13).enumerate() {
            let others = ["", "x", "\"", "\n"];
            for other in others.into_iter().skip(nr % 2).step_by(2) {
                let damaged = format!("{}{other}{}", &whole[..at], &whole[at + c.len_utf8()..]);
                let Ok(found) = read_results(&damaged) else {
                    continue;
                };
                let passes = found.is_recognised && found.failures.is_empty();
                assert!(!passes, "{name}: {at} {other:?}");
            }
        }
    }
}

#[test]
fn failures_that_are_only_counted_are_reported() {
    let jest = r#"{"numFailedTests":2,"numPassedTests":1,"numTotalTests":3,"success":false,"testResults":[]}"#;
    let found = read_results(jest).unwrap();
    assert_eq!(
        told(&found),
        [
            "1 passed, 2 failed, 0 skipped",
            "report of jest: 2 failed by its own count, and it does not say which"
        ]
    );
    let jest = r#"{"numFailedTests":0,"numPassedTests":1,"numTotalTests":1,"success":false,"testResults":[]}"#;
    let found = read_results(jest).unwrap();
    assert_eq!(
        told(&found)[1],
        "report of jest: the run failed, and it does not say why"
    );
    let well = r#"{"numFailedTests":0,"numPassedTests":1,"numTotalTests":1,"success":true,"testResults":[]}"#;
    assert!(read_results(well).unwrap().failures.is_empty());
}
