//! Checks that any bytes give a deterministic result.

use proptest::prelude::*;
use windlass_outline::{Language, Limits, outline};

const SNIPPETS: [&str; 8] = [
    "/// d\n#[a]\npub fn f<T>(x: &T) -> u8 where T: A { match x { _ => 1 } }\nimpl<T> A for B<T> { type C = D; fn e(&self) {} }\nmacro_rules! m { ($a:expr) => { r#\"x\"# } }\n",
    "@d\nclass A(B):\n    '''doc'''\n    async def f(self, *a, **k):\n        return f'{a!r:>{w}}'\nX = 1\nif x:\n\tdef g(): ...\n",
    "export default class A { #b = `x${y}`; static async *c() { return /re/g; } }\nmodule.exports = { d() {}, e: () => <a b={c}>t</a> };\na.b.c = function () {};\n",
    "@D() export abstract class A<T extends B> { private c?: string; d<U>(this: U): asserts x is y; }\nnamespace N.M { type X = `a${B}`; }\ndeclare global { interface I { (a): b } }\n",
    "package p\n// d\nfunc (r *R[T]) M(a, b int) (c error) { go func() {}() }\ntype ( A = B; C struct { D `json:\"d\"` } )\nconst ( X = iota; Y )\n",
    "package a; @B public class C<D> extends E { static final int F = 1; C() {} record G(int h) {} enum I { J { void k() {} } } String t = \"\"\"\n x\"\"\"; }\n",
    "#define A(x) x\n#ifdef B\nstatic int f(int a, char *b[]) { return a; }\n#endif\ntypedef struct s { int a : 3; } t, *u;\nint (*g)(void) = 0;\n",
    "# A\n\n```\n# no\n```\n## B ##\n~~~\n",
];

fn every_language(bytes: &[u8]) {
    for language in Language::ALL {
        let first = outline(language, bytes, Limits::default());
        if let Ok(outline) = &first {
            let last = u32::try_from(bytes.split(|byte| *byte == b'\n').count()).unwrap();
            for (at, symbol) in outline.symbols.iter().enumerate() {
                assert!(symbol.lines.last() <= last, "{language} {symbol:?}");
                assert!(
                    symbol.signature_lines.last() <= symbol.lines.last(),
                    "{language} {symbol:?}"
                );
                assert!(
                    symbol.lines.first() <= symbol.name_line,
                    "{language} {symbol:?}"
                );
                assert!(symbol.container.is_none_or(|container| container < at));
                assert!(outline.enclosing(symbol.lines).is_some());
                assert!(
                    symbol.name.is_empty() || !outline.find(&symbol.path).is_empty(),
                    "{language} {symbol:?}"
                );
            }
        }
        assert_eq!(first, outline(language, bytes, Limits::default()));
    }
}

/// Generates an edit: an offset, a number of bytes to remove, and bytes to insert.
fn edit() -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
    let inserted = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..4),
        prop_oneof![
            Just("{"),
            Just("}"),
            Just("("),
            Just("\""),
            Just("`"),
            Just("'''"),
            Just("/*"),
            Just("\n\t"),
            Just("<"),
            Just("\\"),
            Just("\0"),
            Just("\r\n"),
            Just("class "),
            Just("fn "),
            Just("#"),
            Just("é"),
        ]
        .prop_map(|text: &str| text.as_bytes().to_vec()),
    ];
    (any::<usize>(), 0..12_usize, inserted)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_have_an_outline(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        every_language(&bytes);
    }

    #[test]
    fn damaged_source_has_an_outline(
        which in 0..SNIPPETS.len(),
        twice in any::<bool>(),
        edits in proptest::collection::vec(edit(), 0..8),
    ) {
        let mut bytes = SNIPPETS[which].repeat(1 + usize::from(twice)).into_bytes();
        for (at, removed, inserted) in edits {
            let start = at % (bytes.len() + 1);
            let end = (start + removed).min(bytes.len());
            bytes.splice(start..end, inserted);
        }
        every_language(&bytes);
    }
}
