use crate::TestCount;
use crate::printed::read;

#[test]
fn what_mocha_prints() {
    let text = "  1) top\n  math\n    ✔ adds\n    2) subtracts\n\n\n  4 passing (31ms)\n  2 failing\n\n  1) top:\n     Error: top broke\n      at Context.<anonymous> (test/m.js:3:25)\n\n  2) math\n       deep\n         subtracts:\n     AssertionError: 1 != 2\n      at test/a.js:4:3\n";
    let found = read(text);
    let told: Vec<(&str, &str)> = found
        .failures
        .iter()
        .map(|it| (&*it.id, &*it.summary))
        .collect();
    assert_eq!(
        told,
        [
            ("top", "Error: top broke"),
            ("math › deep › subtracts", "AssertionError: 1 != 2")
        ]
    );
    assert_eq!(found.failures[1].places, ["test/a.js:4"]);
    let count = TestCount {
        passed: 4,
        failed: 2,
        skipped: 0,
    };
    assert_eq!(found.tests, Some(count));
    for cut in [
        "  ✔ a\n  1) b\n\n  1 passing (3ms)\n",
        "  1 passing (3ms)\n  1 failing\n",
    ] {
        assert!(read(cut).is_broken_off, "{cut}");
    }
    let well = read("  ✔ a\n  1) printed by a test\n\n  1 passing (3ms)\n\nDone.\n");
    assert!(well.failures.is_empty(), "{well:?}");
    let cut = read("  math\n    ✔ adds\n    2) subtracts\n");
    assert!(
        cut.is_broken_off && cut.failures[0].id == "subtracts",
        "{cut:?}"
    );
}
