//! Finding and rewriting citations in documents.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use proptest::prelude::*;
use windlass_base::LineSpan;
use windlass_cite::{Citation, NewCitation, Setting, rewrite, scan};

/// Formats citations with path, lines, setting, and the citation as written.
fn cited(text: &str) -> Vec<String> {
    let cited = |one: &Citation| {
        let lines = one.lines.map_or("-".to_owned(), |lines| lines.to_string());
        format!(
            "{} {lines} {:?} {}: {}",
            one.path,
            one.setting,
            one.line,
            &text[one.range.clone()]
        )
    };
    scan(text).iter().map(cited).collect()
}

#[test]
fn citations_in_links_code_text_found() {
    let text = "\u{feff}# src/a.rs:1\n\nSee [the core](src/a.rs#L10-L20 \"x\"), [x](<a b.rs#L3>), [y](/docs/x.md#L1C2-L4C9)\n\
                and `src/a.rs:10-20`, `a b.rs:7`, `see src/b.rs:4:9 now`, src/c_d.rs:12, (src/e.rs#L5).\n\n[d]: ../f%20g.rs#L8-9\n\n\
                - [src/h.rs:2](src/h.rs#L2) and [d]\n";
    assert_eq!(
        cited(text),
        [
            "src/a.rs 1 Text 1: src/a.rs:1",
            "src/a.rs 10-20 Link 3: src/a.rs#L10-L20",
            "a b.rs 3 Link 3: a b.rs#L3",
            "/docs/x.md 1-4 Link 3: /docs/x.md#L1C2-L4C9",
            "src/a.rs 10-20 Code 4: src/a.rs:10-20",
            "a b.rs 7 Code 4: a b.rs:7",
            "src/b.rs 4 Code 4: src/b.rs:4:9",
            "src/c_d.rs 12 Text 4: src/c_d.rs:12",
            "src/e.rs 5 Text 4: src/e.rs#L5",
            "../f g.rs 8-9 Link 6: ../f%20g.rs#L8-9",
            "src/h.rs 2 Text 8: src/h.rs:2",
            "src/h.rs 2 Link 8: src/h.rs#L2",
        ]
    );
}

#[test]
fn citation_emphasis_and_columns_parsed() {
    let text = "_src/a.rs:9-14_, __src/a.rs#L3__ and _see src/a.rs:4_, x_src/a.rs:5_, src/b.rs:9:5-14:3, src/b.rs:9:5-7\n";
    assert_eq!(
        cited(text),
        [
            "src/a.rs 9-14 Text 1: src/a.rs:9-14",
            "src/a.rs 3 Text 1: src/a.rs#L3",
            "src/a.rs 4 Text 1: src/a.rs:4",
            "src/b.rs 9-14 Text 1: src/b.rs:9:5-14:3",
        ]
    );
}

#[test]
fn other_text_no_citation() {
    for text in [
        "https://github.com/o/r/blob/main/src/a.rs#L10",
        "[x](https://example.org/a.rs#L10)",
        "http://host.org:8080/x, //host/a.rs:3",
        "```\nsrc/a.rs:10\n```",
        "    src/a.rs:10",
        "<!-- src/a.rs:10 -->",
        "<a href=\"src/a.rs#L10\">",
        "---\nfile: src/a.rs:10\n---\n",
        "src/a.rs:0, src/a.rs:9-3, src/a.rs:12x, src/a.rs:1.2.3",
        "a\\_b.rs:10",
        "\\src/a.rs:10",
        "-o:3",
        "~~see src/a.rs:10 and `src/a.rs:10`, [x](src/a.rs#L10)~~ ~~src/a.rs:10~~",
    ] {
        assert_eq!(cited(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn citation_beside_strikethrough_found() {
    assert_eq!(
        cited("~~old~~ ~/x `~/y` src/a.rs:3, a~b.rs:4"),
        ["src/a.rs 3 Text 1: src/a.rs:3", "a~b.rs 4 Text 1: a~b.rs:4"]
    );
}

#[test]
fn fence_info_cites_file() {
    for (info, wanted) in [
        (
            "rust src/a.rs#L3-L4",
            "src/a.rs 3-4 Fence 1: src/a.rs#L3-L4",
        ),
        (
            "rust title=\"src/a.rs:3-4\"",
            "src/a.rs 3-4 Fence 1: src/a.rs:3-4",
        ),
        ("rust:src/a.rs:3-4", "src/a.rs 3-4 Fence 1: src/a.rs:3-4"),
        ("12:15:src/a.rs", "src/a.rs 12-15 Fence 1: 12:15:src/a.rs"),
        ("rust file=src/a.rs", "src/a.rs - Fence 1: src/a.rs"),
        ("rust:src/a.rs", "src/a.rs - Fence 1: src/a.rs"),
    ] {
        let text = format!("```{info}\nfn a() {{}}\r\nfn b() {{}}\n```\n");
        assert_eq!(cited(&text), [wanted], "{info}");
        let excerpt = scan(&text).remove(0).excerpt.unwrap();
        assert_eq!(&text[excerpt.range], "fn a() {}\r\nfn b() {}\n");
    }
    assert_eq!(cited("```rust\nx\n```\n~~~sh\n~~~\n"), Vec::<String>::new());
    let quoted = "> ```rust src/a.rs:3\n> x\n> ```\n";
    assert_eq!(cited(quoted), ["src/a.rs 3 Fence 1: src/a.rs:3"]);
    let excerpt = scan(quoted).remove(0).excerpt.unwrap();
    assert_eq!(excerpt.lines(quoted), ["x"]);
    // New lines get the prefix of the quotation, and an empty one gets it without a space at its
    // end.
    assert_eq!(
        excerpt.in_its_place(quoted, &["y", "", "z"]),
        "> y\n>\n> z\n"
    );
    // A block that's never closed extends to the end of the document.
    let open = "```rust src/a.rs:3\nx\ny";
    assert_eq!(&open[scan(open)[0].excerpt.clone().unwrap().range], "x\ny");
}

#[test]
fn fence_first_comment_cites_file() {
    for (comment, wanted) in [
        ("# src/a.py:3-4", "src/a.py 3-4 Fence 2: src/a.py:3-4"),
        ("// src/a.rs#L3-L4:", "src/a.rs 3-4 Fence 2: src/a.rs#L3-L4"),
        ("//! src/a.rs:3", ""),
        ("/// src/a.rs:3", "src/a.rs 3 Fence 2: src/a.rs:3"),
        (
            "<!-- docs/a.html:3 -->",
            "docs/a.html 3 Fence 2: docs/a.html:3",
        ),
        ("/* a.css:3-4 */", "a.css 3-4 Fence 2: a.css:3-4"),
        ("-- db/a.sql:3..4", "db/a.sql 3-4 Fence 2: db/a.sql:3..4"),
        (";; a.el:3", "a.el 3 Fence 2: a.el:3"),
        ("// src/a.rs", "src/a.rs - Fence 2: src/a.rs"),
        ("# see src/a.py:3", ""),
        ("# src/a.py:3 and more", ""),
        ("# python a.py", ""),
        ("/* a.css:3", ""),
        ("src/a.rs:3", ""),
        ("#", ""),
    ] {
        // A blank line below the comment doesn't belong to the excerpt.
        for (end, blank) in [("\n", ""), ("\r\n", "\r\n")] {
            let body = format!("fn a() {{}}{end}{end}fn b() {{}}{end}");
            let text = format!("```rust{end}{comment}{end}{blank}{body}```{end}");
            let found: Vec<&str> = Some(wanted)
                .into_iter()
                .filter(|it| !it.is_empty())
                .collect();
            assert_eq!(cited(&text), found, "{comment}");
            if let Some(citation) = scan(&text).pop() {
                assert_eq!(&text[citation.excerpt.unwrap().range], body);
            }
        }
    }
    // A citation in the first line takes precedence, and only the first comment counts.
    let text = "```rust src/a.rs:1\n// src/b.rs:2\n```\n\n```\nx\n# src/a.py:3\n```\n";
    assert_eq!(cited(text), ["src/a.rs 1 Fence 1: src/a.rs:1"]);
    let inside = "1. x\n\n   ```py\n   # a.py:3\n   x\n   ```\n\n> ```py\n> # b.py:3\n> x\n> ```\n";
    assert_eq!(
        cited(inside),
        ["a.py 3 Fence 4: a.py:3", "b.py 3 Fence 9: b.py:3"]
    );
    for citation in scan(inside) {
        assert_eq!(citation.excerpt.unwrap().lines(inside), ["x"]);
    }
    // A blank line may have a shorter prefix. Any other difference makes the block's text
    // uncertain.
    let blank = "- ```py a.py:3-5\n  x\n\n    y\n  ```\n";
    assert_eq!(
        scan(blank).remove(0).excerpt.unwrap().lines(blank),
        ["x", "", "  y"]
    );
    let mixed = "   ```py a.py:3-4\n   x\n y\n   ```\n";
    assert_eq!(scan(mixed)[0].excerpt, None);
    let alone = "```py\n# a.py:3\n```\n";
    assert_eq!(cited(alone), ["a.py 3 Fence 2: a.py:3"]);
    let text = "```py\n# a.py:3-4\nx\ny\n```\n";
    let new = NewCitation {
        excerpt: Some("p\nq\n".to_owned()),
        ..lines(0, 5, 6)
    };
    let (out, refused) = rewrite(text, &scan(text), &[new]);
    assert_eq!(
        (out.as_str(), refused.len()),
        ("```py\n# a.py:5-6\np\nq\n```\n", 0)
    );
}

fn span(first: u32, last: u32) -> Option<LineSpan> {
    Some(LineSpan::new(first, last).unwrap())
}

fn lines(index: usize, first: u32, last: u32) -> NewCitation {
    NewCitation {
        index,
        path: None,
        lines: span(first, last),
        excerpt: None,
    }
}

#[test]
fn rewrite_keeps_line_style() {
    for (text, (first, last), wanted) in [
        ("[x](a.rs#L10-L20)", (7, 9), "[x](a.rs#L7-L9)"),
        ("[x](a.rs#L10-20)", (7, 9), "[x](a.rs#L7-9)"),
        ("[x](a.rs#L10)", (7, 9), "[x](a.rs#L7-L9)"),
        ("[x](a.rs#L10-L20)", (7, 7), "[x](a.rs#L7)"),
        ("`a.rs:10-20`", (100, 110), "`a.rs:100-110`"),
        ("`a.rs:10`", (100, 110), "`a.rs:100-110`"),
        ("`a.rs:10:5`", (100, 100), "`a.rs:100:5`"),
        ("```10:20:a.rs\n```", (7, 7), "```7:7:a.rs\n```"),
        ("[x](a.rs#L1C2-L4C9)", (2, 5), "[x](a.rs#L2C2-L5C9)"),
        ("see a.rs:10–20", (7, 9), "see a.rs:7–9"),
        ("see a.rs:10—20", (7, 7), "see a.rs:7"),
        ("`a.rs:10..20`", (7, 9), "`a.rs:7..9`"),
        ("`a.rs:10..=20`", (7, 9), "`a.rs:7..=9`"),
        ("a.rs:10 to 20.", (7, 9), "a.rs:7 to 9."),
        ("[x](a.rs#L10–L20)", (7, 9), "[x](a.rs#L7–L9)"),
    ] {
        let (out, refused) = rewrite(text, &scan(text), &[lines(0, first, last)]);
        assert_eq!((out.as_str(), refused.len()), (wanted, 0), "{text}");
    }
    // A range would need a second column, which nobody knows.
    let columns = "`a.rs:10:5`";
    let (out, refused) = rewrite(columns, &scan(columns), &[lines(0, 3, 4)]);
    assert_eq!((out.as_str(), &refused[..]), (columns, &[0][..]));
}

#[test]
fn rewrite_beside_more_lines_refused() {
    // More numbers follow that probably belong to the same citation. It would be wrong to change
    // only one of them.
    for text in [
        "a.rs:3, 6",
        "a.rs:3,6 and 9",
        "`a.rs:3-5, 9 and 12`",
        "a.rs:3,6, 9",
        "a.rs:3 and 6.",
        "a.rs:3, and lines 6 or so",
        "a.rs:3 – 6",
        "a.rs:3 - 6",
        "a.rs:3,\n6",
        "a.rs:3\nand 6",
    ] {
        let citations = scan(text);
        assert!(!citations.is_empty(), "{text}");
        let last = citations.len() - 1;
        let (out, refused) = rewrite(text, &citations, &[lines(last, 4, 4)]);
        assert_eq!((out.as_str(), &refused[..]), (text, &[last][..]), "{text}");
    }
    // Here, the text that follows doesn't list further lines.
    for text in [
        "a.rs:3, b.rs:6",
        "a.rs:3\n- 6",
        "```yaml\n# a.yaml:3\n    - 8080\n```",
        "a.rs:3, 4.5 s",
        "a.rs:3 - what 6 do",
        "a.rs:3; 6th",
    ] {
        let (out, refused) = rewrite(text, &scan(text), &[lines(0, 4, 4)]);
        assert_eq!((out, refused.len()), (text.replacen(":3", ":4", 1), 0));
    }
}

#[test]
fn listed_lines_own_citations() {
    let text = "a.rs:9,13-15;L20. `b.rs#L3, 6` c.rs:4:2,5 [x](d.rs?plain=1#L5-L6)";
    assert_eq!(
        cited(text),
        [
            "a.rs 9 Text 1: a.rs:9",
            "a.rs 13-15 Text 1: 13-15",
            "a.rs 20 Text 1: 20",
            "b.rs 3 Code 1: b.rs#L3",
            "b.rs 6 Code 1: 6",
            "c.rs 4 Text 1: c.rs:4:2",
            "d.rs 5-6 Link 1: d.rs?plain=1#L5-L6",
        ]
    );
    let new = [
        lines(1, 17, 17),
        lines(4, 7, 8),
        NewCitation {
            path: Some("e.rs".to_owned()),
            ..lines(6, 7, 7)
        },
    ];
    let (out, refused) = rewrite(text, &scan(text), &new);
    assert_eq!(
        (out.as_str(), refused.len()),
        (
            "a.rs:9,17;L20. `b.rs#L3, 7-8` c.rs:4:2,5 [x](e.rs?plain=1#L7)",
            0
        )
    );
    let written = |at: usize| scan(text)[at].as_written(text);
    assert_eq!([written(0), written(1)], ["a.rs:9", "a.rs:13-15"]);
    // The listed lines share a path, so it can only change for all of them at once.
    let moved = |index| NewCitation {
        path: Some("z.rs".to_owned()),
        ..lines(index, 40 + index as u32, 40 + index as u32)
    };
    let (out, refused) = rewrite(text, &scan(text), &[moved(0), moved(1), moved(2)]);
    assert!(out.starts_with("z.rs:40,41;L42. "), "{out}");
    assert_eq!(refused.len(), 0);
    let (out, refused) = rewrite(text, &scan(text), &[moved(1)]);
    assert_eq!((out.as_str(), &refused[..]), (text, &[1][..]));
}

#[test]
fn rewrite_unwritable_path_refused() {
    let text = "a.rs:1 and `b.rs:2` and [c](c.rs#L3)\r\n";
    let moved = |index, path: &str| NewCitation {
        index,
        path: Some(path.to_owned()),
        lines: None,
        excerpt: None,
    };
    // A space would end the path in text, and a backquote would end the code. Links can escape
    // both.
    let new = [moved(0, "x y.rs"), moved(1, "x`y.rs"), moved(2, "x (y).rs")];
    let (out, refused) = rewrite(text, &scan(text), &new);
    assert_eq!(out, "a.rs:1 and `b.rs:2` and [c](x%20%28y%29.rs#L3)\r\n");
    assert_eq!(refused, [0, 1]);
}

#[test]
fn rewrite_text_ending_block_refused() {
    let text = "```rust a.rs:1-2\nx\ny\n```\nend";
    let with = |excerpt: &str| NewCitation {
        excerpt: Some(excerpt.to_owned()),
        ..lines(0, 5, 6)
    };
    let (out, refused) = rewrite(text, &scan(text), &[with("p\nq\n")]);
    assert_eq!(
        (out.as_str(), refused.len()),
        ("```rust a.rs:5-6\np\nq\n```\nend", 0)
    );
    // This text would end the block too early.
    let (out, refused) = rewrite(text, &scan(text), &[with("```\nq\n")]);
    assert_eq!((out.as_str(), refused.len()), (text, 1));
}

/// Generates valid and invalid parts of documents.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..300, 0u32..30).prop_map(|(a, n)| format!("`src/a.rs:{a}-{}` ", a + n)),
        (1u32..300).prop_map(|a| format!("[x](src/b%20c.rs#L{a}) ")),
        (1u32..300).prop_map(|a| format!("src/d.rs:{a}, ")),
        (1u32..300, 0u32..3)
            .prop_map(|(a, n)| format!("\n\n```rust src/e.rs#L{a}-L{}\ncode\n```\n", a + n)),
        (1u32..300, 0u32..3)
            .prop_map(|(a, n)| format!("\n\n```\n# src/f.py:{a}-{}\ncode\n```\n", a + n)),
        Just("\r\n".to_owned()),
        "[ -~\n]{0,12}",
        "[äß日`*_<>\\[\\]()#:~|\n-]{0,8}",
    ]
}

proptest! {
    #[test]
    fn scan_any_text_no_panic(text in proptest::collection::vec(piece(), 0..20)) {
        let text = text.concat();
        let mut end = 0;
        for citation in scan(&text) {
            prop_assert!(citation.range.start >= end && text.get(citation.range.clone()).is_some());
            end = citation.range.end;
        }
    }

    #[test]
    fn rewrite_changes_only_numbers(
        text in proptest::collection::vec(piece(), 0..20),
        shift in 1u32..500,
    ) {
        let text = text.concat();
        let citations = scan(&text);
        let moved = |(index, citation): (usize, &Citation)| {
            let old = citation.lines?;
            Some(lines(index, old.start() + shift, old.end() + shift))
        };
        let new: Vec<_> = citations.iter().enumerate().filter_map(moved).collect();
        let (out, refused) = rewrite(&text, &citations, &new);
        // The text without the digits of its citations.
        let blank = |text: &str| {
            let (mut out, mut done) = (String::new(), 0);
            for citation in scan(text) {
                out.push_str(&text[done..citation.range.start]);
                out.push_str(&text[citation.range.clone()].replace(|c: char| c.is_ascii_digit(), ""));
                done = citation.range.end;
            }
            out + &text[done..]
        };
        prop_assert_eq!(blank(&text), blank(&out));
        for (index, (now, then)) in scan(&out).iter().zip(&citations).enumerate() {
            if !refused.contains(&index) && let (Some(now), Some(then)) = (now.lines, then.lines) {
                prop_assert_eq!(now.start(), then.start() + shift);
            }
        }
    }

    #[test]
    fn scan_setting_matches_context(text in "[a-z./:#L0-9` \n]{0,60}") {
        for citation in scan(&text) {
            prop_assert!(citation.lines.is_some() || citation.setting == Setting::Fence);
        }
    }
}
