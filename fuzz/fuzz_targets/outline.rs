//! Outlines of source files in every language: symbols lie within the file and within their
//! containers.

use windlass_outline::{Language, Limits, outline};

pub(crate) fn check(bytes: &[u8]) {
    let lines = u32::try_from(bytes.split(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX);
    let limits = Limits {
        max_bytes: 1 << 16,
        max_symbols: 500,
        ..Limits::default()
    };
    for language in Language::ALL {
        let Ok(found) = outline(language, bytes, limits) else {
            continue;
        };
        assert!(found.symbols.len() <= 500);
        for symbol in &found.symbols {
            assert!(symbol.lines.last() <= lines, "{symbol:?}");
            assert!(symbol.lines.first() <= symbol.name_line, "{symbol:?}");
            if let Some(container) = symbol.container {
                let container = &found.symbols[container];
                assert!(
                    container.depth < symbol.depth,
                    "{symbol:?} in {container:?}"
                );
            }
        }
    }
}
