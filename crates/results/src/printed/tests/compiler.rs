use crate::printed::read;

#[test]
fn what_typescript_prints_on_a_terminal() {
    let text = "\u{1b}[96msrc/b.ts\u{1b}[0m:\u{1b}[93m4\u{1b}[0m:\u{1b}[93m1\u{1b}[0m - \u{1b}[91merror\u{1b}[0m\u{1b}[90m TS1005: \u{1b}[0m';' expected.\n\n\u{1b}[7m4\u{1b}[0m foo bar\n\u{1b}[7m \u{1b}[0m \u{1b}[91m    ~~~\u{1b}[0m\n\nsrc/c.ts:12:3 - error TS2322: no\n\n\nFound 2 errors in 2 files.\n\nErrors  Files\n     1  src/b.ts:4\n     1  src/c.ts:12\n";
    let found = crate::read_results(text).unwrap();
    let told = found
        .failures
        .iter()
        .map(|it| (&*it.summary, &*it.places[0]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("TS1005: ';' expected.", "src/b.ts:4"),
            ("TS2322: no", "src/c.ts:12")
        ]
    );
    let detail = found.failures[0].detail.as_ref().unwrap();
    assert!(detail.contains("4 foo bar"), "{detail}");
    let none = read("a - error in the first part\nx:1:2 - error of mine\n");
    assert!(none.failures.is_empty(), "{none:?}");
}

#[test]
fn what_go_vet_and_kotlin_print() {
    let told = |text: &str| -> Vec<(String, String, String)> {
        let found = read(text);
        let each = found.failures.into_iter();
        each.map(|it| (it.id, it.summary, it.places.join(" ")))
            .collect()
    };
    let one = |id: &str, said: &str, place: &str| {
        vec![(id.to_owned(), said.to_owned(), place.to_owned())]
    };
    for (text, id, said, place) in [
        (
            "# example.org/a\n# [example.org/a]\n./x.go:3:4: fmt.Printf format %d has arg s of wrong type string\n",
            "x.go:3: fmt.Printf format %d has arg s of wrong type string",
            "fmt.Printf format %d has arg s of wrong type string",
            "x.go:3",
        ),
        (
            "# example.org/a\nvet: ./x.go:3:4: undefined: y\n",
            "x.go:3: undefined: y",
            "undefined: y",
            "x.go:3",
        ),
        (
            "> Task :compileKotlin FAILED\ne: file:///home/ann/my%20shop/src/A.kt:3:5 Unresolved reference 'x'.\n\nFAILURE: Build failed with an exception.\n",
            "/home/ann/my shop/src/A.kt:3: Unresolved reference 'x'.",
            "Unresolved reference 'x'.",
            "/home/ann/my shop/src/A.kt:3",
        ),
        (
            "e: file:///C:/shop/src/A.kt:79:33 Unresolved reference: FileUtils\n",
            "C:/shop/src/A.kt:79: Unresolved reference: FileUtils",
            "Unresolved reference: FileUtils",
            "C:/shop/src/A.kt:79",
        ),
        (
            "e: /shop/src/A.kt: (38, 40): Unresolved reference: y\n",
            "/shop/src/A.kt:38: Unresolved reference: y",
            "Unresolved reference: y",
            "/shop/src/A.kt:38",
        ),
        (
            "e: /shop/build.gradle.kts:32:5: Unresolved reference: compile\n",
            "/shop/build.gradle.kts:32: Unresolved reference: compile",
            "Unresolved reference: compile",
            "/shop/build.gradle.kts:32",
        ),
    ] {
        assert_eq!(told(text), one(id, said, place), "{text}");
    }
    for text in [
        "w: file:///shop/src/A.kt:3:5 unused\n",
        "e: mail about A.kt: soon\n",
        "vet: nothing of x.go\n",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

#[test]
fn what_compilers_print() {
    let text = "error[E0308]: mismatched types\n --> src/lib.rs:3:5\n  |\n3 |     x\n  |     ^ expected `u8`\n\nerror: aborting due to 1 previous error\nsrc/a.c:12:3: error: expected ';'\n   12 |   x\n";
    let found = read(text);
    let ids: Vec<&str> = found.failures.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["src/lib.rs:3: E0308", "src/a.c:12: expected ';'"]);
    assert_eq!(found.failures[0].summary, "mismatched types");
    assert!(
        found.failures[0]
            .detail
            .as_ref()
            .unwrap()
            .contains("expected `u8`")
    );
}
