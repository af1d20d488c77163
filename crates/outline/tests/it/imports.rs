use windlass_outline::{Language, Limits, imports};

#[track_caller]
fn check(language: Language, text: &str, expected: &[(&str, u32)]) {
    let found = imports(language, text.as_bytes(), Limits::default()).unwrap();
    let told: Vec<(&str, u32)> = found.iter().map(|it| (&*it.path, it.line)).collect();
    assert_eq!(told, expected);
}

#[test]
fn imports_are_listed_as_written() {
    check(
        Language::Rust,
        "use crate::a::{b::C as D, c::{self, d}};\nuse std::fmt;\nmod inner;\nmod here { use super::x::*; }\nfn f() { use a::b; }\n",
        &[
            ("crate::a::b::C", 1),
            ("crate::a::c", 1),
            ("crate::a::c::d", 1),
            ("std::fmt", 2),
            ("self::inner", 3),
            ("super::x", 4),
            ("a::b", 5),
        ],
    );
    check(
        Language::Python,
        "import a.b as c, d\nfrom .x import y, z as w\nfrom pkg.mod import *\n",
        &[
            ("a.b", 1),
            ("d", 1),
            (".x.y", 2),
            (".x.z", 2),
            ("pkg.mod", 3),
        ],
    );
    check(
        Language::TypeScript,
        "import { a } from './a';\nexport * from \"../b\";\nexport const x = 1;\n",
        &[("./a", 1), ("../b", 2)],
    );
    check(
        Language::Go,
        "package x\nimport (\n\t\"fmt\"\n\ty \"a/b\"\n)\n",
        &[("fmt", 3), ("a/b", 4)],
    );
    check(
        Language::Java,
        "import a.b.C;\nimport static a.D.*;\n",
        &[("a.b.C", 1), ("a.D", 2)],
    );
    check(
        Language::C,
        "#include \"a/b.h\"\n#include <stdio.h>\n",
        &[("a/b.h", 1), ("stdio.h", 2)],
    );
}

#[test]
fn imports_skip_damage() {
    check(Language::Rust, "use {{{{;;\nuse a::b;\n", &[("a::b", 2)]);
    check(Language::Markdown, "import x", &[]);
}
