//! Outlines of damaged, large, deep and unusual files.

use windlass_outline::{Language, Limits, NotOutlined, SymbolKind, outline, outline_unless};

use crate::support::{listed, outlined};

#[test]
fn damaged_file_has_partial_outline() {
    for (language, text) in [
        (Language::Rust, "fn a() {}\nfn (((\nfn b() {}\n"),
        (
            Language::Python,
            "def a(): pass\nclass ) x\ndef b(): pass\n",
        ),
        (
            Language::JavaScript,
            "function a() {}\nlet = = ;\nfunction b() {}\n",
        ),
        (
            Language::Go,
            "package p\nfunc a() {}\nfunc ) {\nfunc b() {}\n",
        ),
        (Language::C, "int a(void) {}\nint ) x (;\nint b(void) {}\n"),
    ] {
        let outline = outlined(language, text);
        assert!(outline.completeness.damaged > 0, "{language}");
        assert!(!outline.completeness.is_complete(), "{language}");
        assert_eq!(outline.symbols[0].name, "a", "{language}");
    }
}

#[test]
fn impl_without_type_is_no_symbol() {
    let outline = outlined(Language::Rust, "impl<T>\nfn a() {}\n");
    assert!(outline.symbols.iter().all(|symbol| symbol.name != "impl "));
}

#[test]
fn unclosed_quote_gives_no_name() {
    for text in [
        "namespace\" X = `a${B}`; }\nclass C {}\n",
        "namespace' X {\nclass C {}\n",
    ] {
        let outline = outlined(Language::TypeScript, text);
        let paths: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.path).collect();
        assert_eq!(paths, ["C"], "{text}");
        assert!(outline.completeness.damaged > 0, "{text}");
    }
}

#[test]
fn byte_order_mark_and_crlf_keep_lines() {
    let text = "/// Doc.\nfn a() {\n}\n\nstruct B;\n";
    let plain = listed(&outlined(Language::Rust, text));
    assert_eq!(plain, "- 1-3 Function a | fn a()\n- 5 Struct B | struct B;");
    let marked = format!("\u{feff}{text}");
    let windows = text.replace('\n', "\r\n");
    assert_eq!(listed(&outlined(Language::Rust, marked)), plain);
    assert_eq!(listed(&outlined(Language::Rust, windows)), plain);
    let headings = "\u{feff}# A\r\nx\r\n# B\r\n";
    assert_eq!(
        listed(&outlined(Language::Markdown, headings)),
        "  1-2 Heading A | # A\n  3 Heading B | # B"
    );
}

#[test]
fn invalid_utf8_does_not_hide_symbols() {
    let outline = outlined(
        Language::Rust,
        b"// \xff\xfe\nfn a() {}\nconst B: &str = \"\xff\";\n",
    );
    let names: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.name).collect();
    assert_eq!(names, ["a", "B"]);
}

#[test]
fn too_large_file_is_refused() {
    let limits = Limits {
        max_bytes: 10,
        ..Limits::default()
    };
    assert_eq!(
        outline(Language::Rust, b"fn a() {}\n\n", limits),
        Err(NotOutlined::TooLarge { bytes: 11, max: 10 })
    );
}

#[test]
fn symbols_above_limits_are_counted() {
    let limits = Limits {
        max_symbols: 2,
        ..Limits::default()
    };
    let three = outline(Language::Rust, b"fn a() {} fn b() {} fn c() {}", limits).unwrap();
    assert_eq!((three.symbols.len(), three.completeness.omitted), (2, 1));
    let limits = Limits {
        max_depth: 2,
        ..Limits::default()
    };
    let deep = outline(
        Language::Rust,
        b"mod a { mod b { mod c { fn d() {} } } }",
        limits,
    )
    .unwrap();
    assert_eq!((deep.symbols.len(), deep.completeness.omitted), (2, 2));
}

#[test]
fn paths_above_limit_end_the_list() {
    let limits = Limits {
        max_path_bytes: 12,
        ..Limits::default()
    };
    for (language, text, paths, omitted) in [
        // The three paths use up the whole limit.
        (
            Language::Rust,
            "mod a { fn b() {} fn long() {} mod c { fn d() {} } } fn e() {}",
            ["a", "a::b", "a::long"].as_slice(),
            3,
        ),
        (
            Language::Markdown,
            "# a\n## b\n## long\n## c\n# d\n",
            ["a", "a > b"].as_slice(),
            3,
        ),
    ] {
        let outline = outline(language, text.as_bytes(), limits).unwrap();
        let found: Vec<_> = outline.symbols.iter().map(|symbol| &*symbol.path).collect();
        assert_eq!(found, paths, "{language}");
        assert_eq!(outline.completeness.omitted, omitted, "{language}");
    }
}

#[test]
fn nested_long_names_are_bounded() {
    let name = |at: usize| format!("{}{at}", "m".repeat(390));
    let open: String = (0..31).map(|at| format!("mod {} {{", name(at))).collect();
    let inner: String = (0..19_900).map(|at| format!("fn f{at}(){{}}")).collect();
    let text = format!("{open}{inner}{}", "}".repeat(31));
    // Each function has a path of about 12 kB, so all paths together would take some 240 MB.
    let limits = Limits::default();
    let outline = outline(Language::Rust, text.as_bytes(), limits).unwrap();
    let bytes: usize = outline.symbols.iter().map(|symbol| symbol.path.len()).sum();
    assert!(bytes <= limits.max_path_bytes);
    assert_eq!(
        outline.symbols.len() + outline.completeness.omitted as usize,
        31 + 19_900
    );
}

#[test]
fn deep_nesting_is_traversed() {
    const DEEP: usize = 10_000;
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(DEEP), close.repeat(DEEP));
    for (language, text) in [
        (Language::Rust, nested("mod a {", "}")),
        (Language::Rust, format!("fn f() {{ {} }}", nested("(", ")"))),
        (Language::JavaScript, nested("function a() {", "}")),
        (Language::JavaScript, nested("[", "]")),
        (Language::TypeScript, nested("namespace a {", "}")),
        (
            Language::Go,
            format!("package p\nfunc f() {{ {} }}", nested("{", "}")),
        ),
        (Language::Java, nested("class A {", "}")),
        (Language::C, format!("int f() {{ {} }}", nested("{", "}"))),
        (
            Language::C,
            format!("int {}x{};", "(*".repeat(DEEP), ")".repeat(DEEP)),
        ),
        (Language::Python, format!("x = {}", nested("(", ")"))),
        (Language::Python, "if x:".repeat(DEEP)),
        (Language::Rust, "<".repeat(DEEP)),
        (Language::JavaScript, "`${".repeat(DEEP)),
        (Language::Markdown, nested("# a\n", "")),
    ] {
        // A rejection as too costly is fine too. The test only checks that the call returns.
        if let Ok(outline) = outline(language, text.as_bytes(), Limits::default()) {
            assert!(outline.symbols.iter().all(|symbol| symbol.depth <= 32));
        }
    }
}

/// Generates characters that no language can parse.
fn punctuation(count: usize) -> String {
    let signs = b"!#$%&'()*+,-./:;<=>?@[]^_`{|}~\"\\ \n";
    let mut state = 12_345_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    (0..count)
        .map(|_| char::from(signs[next() % signs.len()]))
        .collect()
}

#[test]
fn unparsable_text_is_too_costly() {
    let text = punctuation(300_000);
    for language in [Language::Rust, Language::C] {
        let given_up = outline(language, text.as_bytes(), Limits::default());
        assert_eq!(given_up, Err(NotOutlined::TooCostly { language }));
    }
    // A smaller amount of such text is skipped.
    let text = format!("fn a() {{}}\n{}\nfn b() {{}}\n", punctuation(1_000));
    assert!(outline(Language::Rust, text.as_bytes(), Limits::default()).is_ok());
}

#[test]
fn outline_stops_on_request() {
    let text = punctuation(50_000);
    let asked = std::cell::Cell::new(0);
    let is_stopped = || {
        asked.set(asked.get() + 1);
        asked.get() == 100
    };
    let limits = Limits::default();
    let stopped = outline_unless(Language::Rust, text.as_bytes(), limits, &is_stopped);
    // It isn't called again after it has returned true.
    assert_eq!((stopped, asked.get()), (Err(NotOutlined::Stopped), 100));
}

#[test]
fn long_signature_is_cut() {
    let text = format!("fn a({}) {{}}\n", "argument: usize, ".repeat(1_000));
    let outline = outlined(Language::Rust, text);
    // 240 characters and the ellipsis.
    assert_eq!(outline.symbols[0].signature.chars().count(), 241);
    assert!(outline.symbols[0].signature.ends_with('…'));
    let text = format!("fn {}() {{}}\nfn b() {{}}\n", "a".repeat(5_000));
    // Unlike a signature, a name that's too long isn't cut. Its symbol is left out instead.
    let outline = outlined(Language::Rust, text);
    assert_eq!(outline.symbols.len(), 1);
    assert_eq!(outline.completeness.omitted, 1);
}

#[test]
fn containers_precede_their_contents() {
    let outline = outlined(Language::Java, "class A { class B { void c() {} } }");
    let containers: Vec<_> = outline
        .symbols
        .iter()
        .map(|symbol| symbol.container)
        .collect();
    assert_eq!(containers, [None, Some(0), Some(1)]);
    assert_eq!(outline.symbols[2].kind, SymbolKind::Method);
}

#[test]
fn wide_declarations_take_linear_time() {
    let names: Vec<String> = (0..30_000).map(|n| format!("a{n}")).collect();
    let names = names.join(",");
    for (language, text) in [
        (Language::JavaScript, format!("var {names};")),
        (Language::C, format!("int {names};")),
        (Language::C, format!("typedef int {names};")),
        (Language::Go, format!("package p\nvar {names} int\n")),
        (
            Language::Java,
            format!("class A {{ static final int {names}; }}"),
        ),
    ] {
        let outline = outlined(language, text);
        assert_eq!(outline.symbols.len(), 20_000, "{language}");
        assert!(outline.completeness.omitted >= 10_000, "{language}");
    }
}
