//! Files that we can't use are left alone.

use std::fs;

use windlass_notebook::NotebookError;

use crate::support::{Changing as _, Shelf, anchor, document, edit};

#[test]
fn unusable_file_named_and_unchanged() {
    for (name, text, says) in [
        ("empty", String::new(), "line 1, column 0: EOF"),
        (
            "cut off",
            document("")[..25].to_owned(),
            "line 1, column 25: EOF",
        ),
        ("no object", "[]".to_owned(), "line 1"),
        (
            "without a version",
            r#"{"repo":{"repo_id":"r"}}"#.to_owned(),
            "`schema_version` is missing",
        ),
        (
            "version 0",
            document("").replace(":1,", ":0,"),
            "`schema_version` has to be at least 1",
        ),
        (
            "newer",
            document("").replace(":1,", ":2,"),
            "has schema version 2, but this windlass knows versions up to 1",
        ),
        (
            "newer, and nothing else makes sense",
            r#"{"schema_version":9,"anchors":7}"#.to_owned(),
            "has schema version 9",
        ),
        (
            "without an owner",
            r#"{"schema_version":1,"anchors":[]}"#.to_owned(),
            "missing field `repo`",
        ),
        (
            "an owner that is none",
            document("").replace(r#"{"repo_id":"r"}"#, "7"),
            "invalid type: integer `7`",
        ),
    ] {
        let shelf = Shelf::holding(&text);
        let errors = [
            shelf.file.read().map(drop).unwrap_err(),
            shelf
                .edit(|notebook| notebook.add(anchor("new")))
                .unwrap_err(),
        ];
        for error in errors {
            let error = error.to_string();
            assert!(error.contains(says), "{name}: {error}");
            assert!(error.contains("notebook.json"), "{name}: {error}");
            // The path is enough. Serde's line number would be that of a parsed part.
            assert!(!error.contains("at line"), "{name}: {error}");
        }
        assert_eq!(shelf.text(), text, "{name}");
    }
}

#[test]
fn foreign_notebook_refused() {
    let text = document(r#"{"id":"a","label":"A","evidence":[]}"#).replace("\"r\"", "\"other\"");
    let shelf = Shelf::holding(&text);
    for result in [shelf.file.read().map(drop), shelf.edit(|_| Ok(()))] {
        let Err(NotebookError::Foreign {
            found, expected, ..
        }) = result
        else {
            panic!("{result:?}");
        };
        assert_eq!((found.as_str(), expected.as_str()), ("other", "r"));
    }
    assert_eq!(shelf.text(), text);
    // The notebook of a repository with another ID is a separate file, so it isn't affected.
    edit(&shelf.opened_as("other", true), |n| n.add(anchor("b"))).unwrap();
    assert_eq!(shelf.text(), text);
}

#[test]
fn recreated_repository_refused() {
    let shelf = Shelf::with_anchors("");
    // The owner in the file has no first commits yet, so any will do.
    let first = shelf.with_lineage("one");
    edit(&first, |n| n.add(anchor("a"))).unwrap();
    assert!(
        shelf.text().contains(r#""lineage":["one"]"#),
        "what was not known before is noted: {}",
        shelf.text()
    );
    let text = shelf.text();
    let second = shelf.with_lineage("two");
    for result in [second.read().map(drop), edit(&second, |_| Ok(()))] {
        assert!(
            matches!(result, Err(NotebookError::Replaced { .. })),
            "{result:?}"
        );
    }
    assert_eq!(shelf.text(), text);
    assert_eq!(first.read().unwrap().anchors().len(), 1);
}

#[test]
fn switched_off_no_access() {
    let shelf = Shelf::holding("damaged");
    let off = shelf.opened_as("r", false);
    assert_eq!(off.read().unwrap().anchors().len(), 0);
    assert!(matches!(
        edit(&off, |_| Ok(())),
        Err(NotebookError::SwitchedOff)
    ));
    assert_eq!(shelf.text(), "damaged");
    let untouched = Shelf::new().opened_as("r", false);
    assert!(edit(&untouched, |_| Ok(())).is_err());
    assert!(!untouched.path().parent().unwrap().exists());
}

#[test]
fn oversized_notebook_not_written() {
    let shelf = Shelf::new();
    shelf.edit(|notebook| notebook.add(anchor("a"))).unwrap();
    let before = shelf.text();
    let error = shelf.edit(|notebook| {
        let mut huge = anchor("huge");
        huge.label = "x".repeat(65 << 20);
        notebook.add(huge)
    });
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("more than the 67108864 allowed; nothing was changed")
    );
    assert_eq!(shelf.text(), before);
}

#[test]
fn bom_and_white_space_accepted() {
    // Whitespace between the tokens, as from an editor that formats JSON.
    let text = format!("\u{feff}  {}\r\n", document("\r\n").replace(',', " ,\n\t"));
    let shelf = Shelf::holding(text);
    shelf.edit(|notebook| notebook.add(anchor("a"))).unwrap();
    assert_eq!(shelf.ids(), ["a"]);
    assert!(fs::metadata(shelf.file.path()).unwrap().is_file());
}
