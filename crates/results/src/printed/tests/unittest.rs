use crate::printed::read;

#[test]
fn names_of_all_versions_are_the_same() {
    for (text, name) in [
        ("test_a (m.Case.test_a)", Some("m.Case.test_a")),
        ("test_a (m.Case)", Some("m.Case.test_a")),
        ("test_a (m.Case.test_a) (i=0)", Some("m.Case.test_a (i=0)")),
        (
            "test_imp (unittest.loader._FailedTest.test_imp)",
            Some("unittest.loader._FailedTest.test_imp"),
        ),
        ("setUpClass (m.Case)", Some("m.Case.setUpClass")),
        ("see this (m.Case)", None),
        ("a (b)", None),
    ] {
        let found = read(&format!("{text} ... FAIL\n"));
        let told = found.failures.first().map(|it| &*it.id);
        assert_eq!(told, name, "{text}");
    }
}

#[test]
fn tests_that_should_not_have_passed_fail() {
    let (double, single) = ("=".repeat(70), "-".repeat(70));
    for loud in ["", "test_us (m.Case.test_us) ... unexpected success\n"] {
        let text = format!(
            "{loud}\n{double}\nUNEXPECTED SUCCESS: test_us (m.Case.test_us)\nUNEXPECTED SUCCESS: test_b (m.Case.test_b)\n{single}\nRan 3 tests in 0.000s\n\nFAILED (unexpected successes=2)\n"
        );
        let found = read(&text);
        let told = found.failures.iter().map(|it| (&*it.id, &*it.summary));
        let told: Vec<(&str, &str)> = told.collect();
        assert_eq!(
            told,
            [
                ("m.Case.test_us", "unexpected success"),
                ("m.Case.test_b", "unexpected success")
            ]
        );
        let count = found.tests.map(|it| (it.passed, it.failed));
        assert_eq!((count, found.is_broken_off), (Some((1, 2)), false));
    }
}

#[test]
fn what_ends_in_the_middle_did_not_pass() {
    let whole = "test_a (m.Case.test_a) ... ok\n\n----------------------------------------------------------------------\nRan 1 test in 0.001s\n\nOK\n";
    let found = read(whole);
    assert!(
        found.failures.is_empty() && !found.is_broken_off,
        "{found:?}"
    );
    assert_eq!(found.tests.map(|it| it.passed), Some(1));
    for (at, _) in whole.match_indices('\n') {
        let cut = read(&whole[..at]);
        let is_whole = whole[..at].ends_with("OK");
        assert_eq!(cut.failures.is_empty(), is_whole, "{at}: {cut:?}");
    }
    assert!(
        read("Ran 1 test in 0.001s\n\nFAILED (errors=1)\n")
            .tests
            .unwrap()
            .failed
            == 1
    );
}
