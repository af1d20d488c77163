use crate::printed::read;

const TEXT: &str = "\n/home/ann/shop/src/bad.js\n  3:1  error  Parsing error: Unexpected token\n\n/home/ann/shop/src/two.js\n  2:1   error    'undefinedFn' is not defined         no-undef\n  4:7   warning  Expected '===' and instead saw '=='  eqeqeq\n  4:13  error    Empty block statement                no-empty\n\n✖ 4 problems (3 errors, 1 warning)\n\n";

#[test]
fn errors_are_told_with_their_places() {
    let found = read(TEXT);
    let told = found
        .failures
        .iter()
        .map(|it| (&*it.id, &*it.summary, &*it.places[0]));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (
                "/home/ann/shop/src/bad.js:3: Parsing error: Unexpected token",
                "Parsing error: Unexpected token",
                "/home/ann/shop/src/bad.js:3"
            ),
            (
                "/home/ann/shop/src/two.js:2: no-undef",
                "'undefinedFn' is not defined",
                "/home/ann/shop/src/two.js:2"
            ),
            (
                "/home/ann/shop/src/two.js:4: no-empty",
                "Empty block statement",
                "/home/ann/shop/src/two.js:4"
            ),
        ]
    );
    assert!(!found.is_broken_off);
    // Output without its final count is cut.
    let cut = read(&TEXT[..TEXT.find('✖').unwrap()]);
    assert!(cut.is_broken_off && cut.failures.len() == 3);
}

#[test]
fn only_too_many_warnings_are_a_failure() {
    let warned = "\n/a/two.js\n  4:7  warning  Expected '==='  eqeqeq\n\n✖ 1 problem (0 errors, 1 warning)\n\n";
    let found = read(warned);
    assert!(
        found.is_recognised && found.failures.is_empty(),
        "{found:?}"
    );
    let many = format!("{warned}ESLint found too many warnings (maximum: 0).\n");
    assert_eq!(read(&many).failures.len(), 1);
    for other in [
        "a table:\n  3:1  error  of mine\n",
        "  3:1  error  of nobody  rule\n",
    ] {
        assert!(read(other).failures.is_empty(), "{other}");
    }
}
