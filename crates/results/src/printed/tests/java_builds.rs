use crate::Failure;
use crate::printed::read;

fn told(failures: &[Failure]) -> Vec<(&str, &str)> {
    failures.iter().map(|it| (&*it.id, &*it.summary)).collect()
}

const MAVEN: &str = "[INFO] -------------------------------------------------------\n[INFO]  T E S T S\n[INFO] -------------------------------------------------------\n[INFO] Running a.CalcTest\n[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1, Time elapsed: 0.126 s <<< FAILURE! - in a.CalcTest\n[ERROR] bad(a.CalcTest)  Time elapsed: 0 s  <<< FAILURE!\njava.lang.AssertionError: sum expected:<3> but was:<2>\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat a.CalcTest.bad(CalcTest.java:6)\n\n[ERROR] a.CalcTest.boom -- Time elapsed: 0 s <<< ERROR!\njava.lang.IllegalStateException: boom\n\tat a.CalcTest.boom(CalcTest.java:7)\n\n[INFO] Running a.GoodTest\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0 s - in a.GoodTest\n[INFO] \n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   CalcTest.bad:6 sum expected:<3> but was:<2>\n[ERROR] Errors: \n[ERROR]   CalcTest.boom:7 IllegalState boom\n[ERROR]   OtherTest>Base.late:9 NullPointer\n[INFO] \n[ERROR] Tests run: 6, Failures: 1, Errors: 2, Skipped: 1\n[INFO] \n[INFO] BUILD FAILURE\n";

#[test]
fn what_maven_prints() {
    let found = read(MAVEN);
    assert_eq!(
        told(&found.failures),
        [
            (
                "a.CalcTest.bad",
                "java.lang.AssertionError: sum expected:<3> but was:<2>"
            ),
            ("a.CalcTest.boom", "java.lang.IllegalStateException: boom"),
            ("OtherTest.late", "NullPointer"),
        ]
    );
    assert_eq!(found.failures[0].places, ["CalcTest.java:6"]);
    assert_eq!(found.failures[2].places, ["OtherTest.java:9"]);
    let tests = found.tests.unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped), (2, 3, 1));
    assert!(!found.is_broken_off);
    for (at, _) in MAVEN.match_indices('\n').skip(1) {
        assert!(!read(&MAVEN[..at]).failures.is_empty(), "{at}");
    }
}

#[test]
fn older_lists_and_crashes() {
    let old = " T E S T S\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.308 sec\n\nResults :\n\nFailed tests:   testConceptRank(at.ac.ConceptRankTest): expected:<31> but was:<26>\n\nTests run: 43, Failures: 1, Errors: 0, Skipped: 0\n\n[INFO] BUILD FAILURE\n";
    assert_eq!(
        told(&read(old).failures),
        [(
            "at.ac.ConceptRankTest.testConceptRank",
            "expected:<31> but was:<26>"
        )]
    );
    let crash = "[INFO]  T E S T S\n[INFO] Running a.CrashTest\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal x: The forked VM terminated without properly saying goodbye.\n[ERROR] Crashed tests:\n[ERROR] a.CrashTest\n[ERROR] \tat org.apache.maven.X.fork(X.java:669)\n";
    let found = read(crash);
    let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
    assert_eq!(
        ids,
        ["the tests of Maven did not end", "a.CrashTest"],
        "{found:?}"
    );
}

#[test]
fn what_gradle_prints() {
    let text = "> Task :test FAILED\n\nCalcTest > bad() FAILED\n    org.opentest4j.AssertionFailedError at CalcTest.java:9\n\n4 tests completed, 1 failed, 1 skipped\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 22s\n";
    let found = read(text);
    assert_eq!(
        told(&found.failures),
        [(
            "CalcTest > bad()",
            "org.opentest4j.AssertionFailedError at CalcTest.java:9"
        )]
    );
    assert_eq!(found.failures[0].places, ["CalcTest.java:9"]);
    assert_eq!(
        found.tests.map(|it| (it.passed, it.failed, it.skipped)),
        Some((2, 1, 1))
    );
    let task = read("> Task :app:lint FAILED\n\nBUILD FAILED in 2s\n");
    assert_eq!(task.failures[0].id, "task :app:lint");
}
