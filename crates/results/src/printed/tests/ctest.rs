use crate::printed::read;

const TEXT: &str = "Test project /p/b\n    Start 1: good\n1/5 Test #1: good .............................   Passed    0.01 sec\n    Start 2: bad\n2/5 Test #2: bad ..............................***Failed    0.00 sec\nsrc/a.c:12: wrong\n\n    Start 3: crash\n3/5 Test #3: crash ............................***Exception: SegFault  0.00 sec\n    Start 4: skipped\n4/5 Test #4: skipped ..........................***Skipped   0.00 sec\n    Start 5: off\n5/5 Test #5: off ..............................***Not Run (Disabled)   0.00 sec\n\n50% tests passed, 2 tests failed out of 4\n\nTotal Test time (real) =   1.01 sec\n\nThe following tests did not run:\n\t  4 - skipped (Skipped)\n\t  5 - off (Disabled)\n\nThe following tests FAILED:\n\t  2 - bad (Failed)\n\t  3 - crash (SEGFAULT)\nErrors while running CTest\n";

#[test]
fn what_ctest_prints() {
    let found = read(TEXT);
    let told: Vec<(&str, &str)> = found
        .failures
        .iter()
        .map(|it| (&*it.id, &*it.summary))
        .collect();
    assert_eq!(told, [("bad", "Failed"), ("crash", "Exception: SegFault")]);
    assert_eq!(found.failures[0].places, ["src/a.c:12"]);
    let tests = found.tests.unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 2, 2));
    for (at, _) in TEXT.match_indices('\n') {
        assert!(!read(&TEXT[..at]).failures.is_empty(), "{at}");
    }
}

#[test]
fn what_passes_passes_by_old_and_new_words() {
    for end in [
        "100% tests passed out of 1",
        "100% tests passed, 0 tests failed out of 1",
    ] {
        let text =
            format!("Test project /p\n1/1 Test #1: good .....   Passed    0.00 sec\n\n{end}\n");
        let found = read(&text);
        assert!(found.failures.is_empty(), "{found:?}");
        assert_eq!(found.tests.map(|it| (it.passed, it.failed)), Some((1, 0)));
    }
}
