use windlass_outline::{Language, Lines};

use crate::support::outlined;

const RUST: &str = "struct Thing;
impl fmt::Display for Thing {
    fn fmt() {}
}
impl Debug for Thing {
    fn fmt() {}
}
impl Thing {
    fn new() {
        fn inner() {}
    }
}
fn new() {}
impl From<A> for Other { fn from() {} }
impl From<B> for Other { fn from() {} }
";

#[track_caller]
fn finds(language: Language, text: &str, wanted: &str, expected: &[&str]) {
    let outline = outlined(language, text);
    let found = outline.find(wanted);
    let found: Vec<String> = found
        .iter()
        .map(|symbol| format!("{} {}", symbol.name_line, symbol.path))
        .collect();
    assert_eq!(found, expected, "{wanted}");
}

#[test]
fn find_accepts_partial_paths() {
    for (wanted, expected) in [
        ("Thing", &["1 Thing"][..]),
        ("new", &["13 new"]),
        ("Thing::new", &["9 Thing::new"]),
        ("Thing.new", &["9 Thing::new"]),
        ("Thing#new", &["9 Thing::new"]),
        ("inner", &["10 Thing::new::inner"]),
        ("new > inner", &["10 Thing::new::inner"]),
        (
            "Thing::fmt",
            &["3 <Thing as Display>::fmt", "6 <Thing as Debug>::fmt"],
        ),
        ("Display::fmt", &["3 <Thing as Display>::fmt"]),
        ("<Thing as Debug>::fmt", &["6 <Thing as Debug>::fmt"]),
        ("From<B>::from", &["15 <Other as From<B>>::from"]),
        (
            "From::from",
            &["14 <Other as From<A>>::from", "15 <Other as From<B>>::from"],
        ),
        ("THING", &["1 Thing"]),
        ("impl Thing", &["8 impl Thing"]),
        ("missing", &[]),
        ("a::new", &[]),
        ("::", &[]),
        ("", &[]),
    ] {
        finds(Language::Rust, RUST, wanted, expected);
    }
}

#[test]
fn find_heading_with_separators() {
    let text = "# Version 1.2\n## Use\n# Why `a::b`\n## Use\n";
    for (wanted, expected) in [
        ("Version 1.2", &["1 Version 1.2"][..]),
        ("why `a::b`", &["3 Why `a::b`"]),
        ("# Version 1.2", &["1 Version 1.2"]),
        ("Use", &["2 Version 1.2 > Use", "4 Why `a::b` > Use"]),
        ("Version 1.2 > Use", &["2 Version 1.2 > Use"]),
    ] {
        finds(Language::Markdown, text, wanted, expected);
    }
}

#[test]
fn find_quoted_name() {
    let text = "class A { ' b ' () {} c() {} }\ndeclare module '#d' {}\ndeclare module ' e' {}\nlet d = () => 1;\n";
    for (wanted, expected) in [
        ("A. b ", &["1 A. b "][..]),
        ("A.c", &["1 A.c"]),
        (" A.c ", &["1 A.c"]),
        ("#d", &["2 #d"]),
        (" e", &["3  e"]),
        ("d", &["4 d"]),
        ("  ", &[]),
    ] {
        finds(Language::TypeScript, text, wanted, expected);
    }
}

#[test]
fn enclosing_finds_smallest_symbol() {
    let outline = outlined(Language::Rust, RUST);
    let around = |first, last| {
        outline
            .enclosing(Lines::new(first, last))
            .map(|symbol| symbol.path.as_str())
    };
    assert_eq!(around(10, 10), Some("Thing::new::inner"));
    assert_eq!(around(9, 10), Some("Thing::new"));
    assert_eq!(around(8, 9), Some("impl Thing"));
    assert_eq!(around(14, 14), Some("<Other as From<A>>::from"));
    assert_eq!(around(12, 13), None);
    assert_eq!(around(90, 99), None);
}
