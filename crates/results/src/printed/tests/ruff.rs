use crate::printed::read;

const CONCISE: &str = "x.py:1:8: F401 [*] `os` imported but unused\nx.py:6:12: F821 Undefined name `undefined_name`\ny.py:1:7: invalid-syntax: Expected a parameter or the end of the parameter list\nFound 3 errors.\n[*] 1 fixable with the `--fix` option.\n";
const FULL: &str = "F401 [*] `os` imported but unused\n --> x.py:1:8\n  |\n1 | import os\n  |        ^^\n2 | import sys\n  |\nhelp: Remove unused import: `os`\n  |\n  - import os\n1 | import sys\n  |\n\nF821 Undefined name `undefined_name`\n --> x.py:6:12\n  |\n6 |     return undefined_name\n  |            ^^^^^^^^^^^^^^\n\ninvalid-syntax: Expected a parameter or the end of the parameter list\n --> y.py:1:7\n  |\n1 | def g(:\n  |       ^\n  |\n\nFound 3 errors.\n[*] 1 fixable with the `--fix` option.\n";
/// Output of ruff before 0.13.
const BEFORE: &str = "x.py:1:8: F401 [*] `os` imported but unused\n  |\n1 | import os\n  |        ^^ F401\n  |\n  = help: Remove unused import: `os`\n\nx.py:6:12: F821 Undefined name `undefined_name`\n  |\n6 |     return undefined_name\n  |            ^^^^^^^^^^^^^^ F821\n  |\n\ny.py:1:7: invalid-syntax: Expected a parameter or the end of the parameter list\n  |\n1 | def g(:\n  |       ^\n  |\n\nFound 3 errors.\n";

#[test]
fn what_ruff_finds_is_told_with_its_place() {
    for text in [CONCISE, FULL, BEFORE] {
        let found = read(text);
        let told = found
            .failures
            .iter()
            .map(|it| (&*it.id, &*it.summary, &*it.places[0]));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("x.py:1: F401", "`os` imported but unused", "x.py:1"),
                ("x.py:6: F821", "Undefined name `undefined_name`", "x.py:6"),
                (
                    "y.py:1: invalid-syntax",
                    "Expected a parameter or the end of the parameter list",
                    "y.py:1"
                ),
            ],
            "{text}"
        );
        assert_eq!(found.failures[0].detail.is_some(), text != CONCISE);
        assert!(!found.is_broken_off && found.tests.is_none());
    }
    let well = read("All checks passed!\n");
    assert!(well.is_recognised && well.failures.is_empty());
}

#[test]
fn flake8_is_told_from_lookalikes() {
    let found = read("./a/b.py:3:1: E302 expected 2 blank lines, found 1\n");
    assert_eq!(found.failures[0].id, "a/b.py:3: E302");
    for text in [
        "F401 is a rule\n",
        "F401 a rule\n --> not a place\n",
        "x.py:3: F401 no column\n",
        "x.py:3:1: see F401 of it\n",
        "E2 of 3\n  | table |\n",
    ] {
        assert!(read(text).failures.is_empty(), "{text}");
    }
}
