use windlass_base::Severity;

use crate::load;

/// Returns the errors for a step, each after the text at its location.
fn check(step: &str) -> Vec<String> {
    let Err(found) = load(step) else {
        return Vec::new();
    };
    let errors = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let shown = errors.map(|finding| {
        let place = finding.place.as_ref().expect("has a place");
        let at = &place.source.text()[place.range.clone()];
        format!("{at} | {}", finding.message)
    });
    shown.collect()
}

#[test]
fn pattern_invalid_refused() {
    assert_eq!(
        check("uses: search\nwith:\n  pattern: 'fn ('"),
        ["'fn (' | the pattern is not a regular expression: unclosed group"]
    );
    assert_eq!(
        check("uses: search\nwith: { pattern: 'fn (', fixed: true }").len(),
        0
    );
    // The reference decides the kind of pattern, so the check has to wait for the run.
    let open = "uses: search\nwith: { pattern: 'fn (', fixed: { $ref: '#/inputs/open' } }";
    assert!(check(open).iter().all(|found| !found.contains("regular")));
    assert_eq!(
        check("uses: search\nwith: { pattern: { $ref: '#/inputs/focus' } }").len(),
        0
    );
}

#[test]
fn globs_and_paths_checked() {
    assert_eq!(
        check("uses: files\nwith: { globs: ['*.rs', 'a{b'], paths: [src, ../x, /etc] }"),
        [
            "'a{b' | `a{b` is not a glob: error parsing glob 'a{b': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?); globs look like `src/**/*.rs` or `!*.md`",
            "../x | `../x` leads upwards (`..`): give a path inside the repository",
            "/etc | `/etc` is absolute: give a path relative to the repository's root",
        ]
    );
    assert_eq!(
        check("uses: read\nwith: { file: ../secret }"),
        ["../secret | `../secret` leads upwards (`..`): give a path inside the repository"]
    );
    // The reference is skipped, but the value next to it is checked.
    assert_eq!(
        check("uses: files\nwith: { paths: [{ $ref: '#/inputs/focus' }, ../y] }"),
        ["../y | `../y` leads upwards (`..`): give a path inside the repository"]
    );
}

#[test]
fn file_part_ambiguous_refused() {
    assert_eq!(
        check("uses: read\nwith: { file: a, lines: '3-' }"),
        ["'3-' | `3-` is not a range of lines: write `7` or `7-12`"]
    );
    assert_eq!(
        check("uses: read\nwith: { file: a, lines: '1', heading: A }"),
        ["A | give one of `lines`, `heading`, `symbol` and `introduction`"]
    );
    assert_eq!(
        check("uses: read\nwith: { file: a, heading: A, introduction: true }"),
        ["true | give one of `lines`, `heading`, `symbol` and `introduction`"]
    );
    assert_eq!(
        check("uses: read\nwith: { file: a, heading: A, introduction: false }"),
        [""; 0]
    );
    assert_eq!(
        check("uses: evidence\nwith: { items: [{ file: a, start_line: 3 }, { file: a }] }"),
        ["{ file: a } | an item has neither `evidence` nor `file` and `start_line`"]
    );
}

#[test]
fn document_input_checked() {
    assert_eq!(
        check("uses: doc\nwith: { file: ../a.json }"),
        ["../a.json | `../a.json` leads upwards (`..`): give a path inside the repository"]
    );
    for (step, at) in [
        (
            "uses: doc\nwith: { file: a.json, statuses: [done] }",
            "done",
        ),
        (
            "uses: playbook\nwith: { file: a.json, kinds: [rules] }",
            "rules",
        ),
        ("uses: playbook\nwith: { file: a.json, limit: 0 }", "0"),
        ("uses: doc\nwith: { statuses: [] }", "with"),
    ] {
        let found = check(step);
        assert_eq!(found.len(), 1, "{step}: {found:?}");
        assert!(
            found[0].starts_with(&format!("{at} | ")),
            "{step}: {found:?}"
        );
    }
    assert_eq!(
        check("uses: doc\nwith: { file: { $ref: '#/inputs/focus' } }").len(),
        0
    );
}

#[test]
fn selectors_and_pointers_checked() {
    let found = check("uses: select\nwith: { from: [1], path: '$[', unique: file }");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("'$[' | invalid JSONPath"), "{found:?}");
    assert_eq!(
        found[1],
        "file | `file` is not a JSON pointer: it starts with `/`, as in `/file`"
    );
    assert_eq!(
        check("uses: join\nwith: { left: [], right: [], on: /a, right_on: '/~x' }"),
        [
            "'/~x' | `/~x` is not a JSON pointer: `~` must be followed by `0` (for `~`) or `1` (for `/`)"
        ]
    );
}

#[test]
fn programs_and_revisions_checked() {
    assert_eq!(
        check("uses: command\nwith: { argv: [' ', x], cwd: ../.. }"),
        [
            "' ' | the name of the program is empty",
            "../.. | `../..` leads upwards (`..`): give a path inside the repository",
        ]
    );
    assert_eq!(
        check("uses: command\nwith: { argv: [true, \"a\\0b\"] }"),
        [
            "true | item 1 of `argv`: expected a string, found `true`",
            // A field with a schema error gets no further errors.
        ]
    );
    assert_eq!(
        check("uses: command\nwith: { argv: ['true', \"a\\0b\"] }"),
        ["\"a\\0b\" | an argument cannot hold a NUL character"]
    );
    let found = check("uses: git\nwith: { show: log, since: --all }");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("--all | "), "{found:?}");
}

#[test]
fn lookup_keys_checked() {
    let files = "{ $ref: '#/steps/before/output/files' }";
    let output = "{ $ref: '#/steps/before/output' }";
    let found = "{ $ref: '#/steps/found/output/matches' }";
    for fine in [
        format!("uses: join\nwith: {{ left: {found}, right: {files}, on: /file, right_on: '' }}"),
        format!("uses: join\nwith: {{ left: {found}, right: {found}, on: /evidence/0/status }}"),
        format!("uses: select\nwith: {{ from: {files}, unique: '' }}"),
        format!("uses: select\nwith: {{ from: {output}, path: '$.files', unique: /0 }}"),
        // The reference decides if values are flattened, so the check has to wait for the run.
        format!(
            "uses: select\nwith: {{ from: {output}, path: '$.files', unique: /0, flatten: {{ $ref: '#/inputs/yes' }} }}"
        ),
        format!(
            "uses: select\nwith: {{ from: {found}, path: {{ $ref: '#/inputs/focus' }}, unique: /x }}"
        ),
    ] {
        assert_eq!(check(&fine).len(), 0, "{fine}: {:?}", check(&fine));
    }
    let brings = |field: &str, from: &str| format!("the value of `{field}` (`#/steps/{from}`)");
    assert_eq!(
        check(&format!(
            "uses: join\nwith: {{ left: {found}, right: {files}, on: /flie }}"
        )),
        [
            format!(
                "/flie | {} has nothing at `/flie`",
                brings("left", "found/output/matches")
            ),
            format!(
                "/flie | {} has nothing at `/flie`",
                brings("right", "before/output/files")
            ),
        ]
    );
    assert_eq!(
        check(&format!(
            "uses: join\nwith: {{ left: {found}, right: {files}, on: /file, right_on: /file }}"
        )),
        [format!(
            "/file | {} has nothing at `/file`",
            brings("right", "before/output/files")
        )]
    );
    assert_eq!(
        check(&format!(
            "uses: select\nwith: {{ from: {found}, unique: /evidnece/0/file }}"
        )),
        [format!(
            "/evidnece/0/file | {} has nothing at `/evidnece`",
            brings("from", "found/output/matches")
        )]
    );
    assert_eq!(
        check(&format!(
            "uses: select\nwith: {{ from: {output}, path: '$.files', flatten: true, unique: /0 }}"
        )),
        [format!(
            "/0 | {} has nothing at `/0`",
            brings("from", "before/output")
        )]
    );
    assert_eq!(
        check(&format!(
            "uses: select\nwith: {{ from: {output}, path: '$.flies[*]' }}"
        )),
        [format!(
            "'$.flies[*]' | {} has no `flies` there",
            brings("from", "before/output")
        )]
    );
    // We must report the invalid pointer here, and not that there's no such field.
    assert_eq!(
        check(&format!(
            "uses: select\nwith: {{ from: {found}, unique: flie }}"
        )),
        ["flie | `flie` is not a JSON pointer: it starts with `/`, as in `/flie`"]
    );
}
