//! Compares our counts with those of a library that passes tiktoken's own tests.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use proptest::prelude::*;
use windlass_tokens::count;

fn theirs(text: &str) -> usize {
    tiktoken::get_encoding("o200k_base").unwrap().count(text)
}

#[test]
fn count_of_known_texts() {
    // The expected counts are from OpenAI's tiktoken.
    for (text, tokens) in [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 8),
    ] {
        assert_eq!(count(text), tokens, "{text:?}");
        assert_eq!(theirs(text), tokens, "{text:?}");
    }
}

#[test]
fn count_of_source_files_agrees() {
    for text in [
        include_str!("../src/split.rs"),
        include_str!("../src/letters.rs"),
        include_str!("../Cargo.toml"),
        include_str!("../../../README.md"),
    ] {
        assert_eq!(count(text), theirs(text));
    }
}

#[test]
fn count_takes_nearly_linear_time() {
    for unit in [
        "a", "ab", "aAb", "0", " ", "\n", "é", "中", "-", "=-", "\u{301}",
    ] {
        let text = unit.repeat(300_000 / unit.len());
        let tokens = count(&text);
        assert!(0 < tokens && tokens <= text.len(), "{unit:?}: {tokens}");
    }
}

proptest! {
    #[test]
    fn count_of_any_text_agrees(text in any::<String>()) {
        prop_assert_eq!(count(&text), theirs(&text));
    }
}
