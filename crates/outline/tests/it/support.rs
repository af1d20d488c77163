use windlass_outline::{Language, Limits, Outline, Visibility, outline};

pub(crate) fn outlined(language: Language, text: impl AsRef<[u8]>) -> Outline {
    outline(language, text.as_ref(), Limits::default()).expect("an outline")
}

/// Formats one symbol per line: its lines, visibility, kind, path and signature, indented by its
/// depth.
pub(crate) fn listed(outline: &Outline) -> String {
    let line = |symbol: &windlass_outline::Symbol| {
        let visibility = match symbol.visibility {
            Some(Visibility::Public) => "+",
            Some(Visibility::Restricted) => "~",
            Some(Visibility::Private) => "-",
            None => " ",
        };
        format!(
            "{}{visibility} {} {:?} {} | {}",
            "  ".repeat(symbol.depth as usize),
            symbol.lines,
            symbol.kind,
            symbol.path,
            symbol.signature
        )
    };
    outline
        .symbols
        .iter()
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
pub(crate) fn check(language: Language, text: &str, expected: &str) {
    let outline = outlined(language, text);
    let listed = listed(&outline);
    let expected = expected.trim_matches('\n').trim_end();
    assert!(
        listed == expected,
        "\n--- {language}: found\n{listed}\n--- expected\n{expected}\n"
    );
    assert!(
        outline.completeness.is_complete(),
        "{:?}",
        outline.completeness
    );
}
