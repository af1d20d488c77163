//! Removes custom sections from core modules, except for the names of functions, which it shortens.

use wasm_encoder::{Module, NameMap, NameSection, RawSection};
use wasmparser::{BinaryReaderError, KnownCustom, Name, NameSectionReader, Parser, Payload};

/// Maximum length of a function name, in characters. Names of generic functions can be much longer.
const MAX_NAME: usize = 80;

/// Removes the custom sections that `module` doesn't need for running, such as debug information.
///
/// Function names stay for the sake of backtraces, as do sections whose names begin with `keep`.
pub(crate) fn trimmed(module: &[u8], keep: &str) -> Result<Vec<u8>, BinaryReaderError> {
    let mut kept = Module::new();
    let mut functions = NameMap::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let is_kept = match &payload {
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    read_names(names, &mut functions);
                }
                section.name().starts_with(keep)
            }
            _ => true,
        };
        if let Some((id, range)) = payload.as_section().filter(|_| is_kept)
            && let Some(data) = module.get(range)
        {
            kept.section(&RawSection { id, data });
        }
    }
    if !functions.is_empty() {
        let mut names = NameSection::new();
        names.functions(&functions);
        kept.section(&names);
    }
    Ok(kept.finish())
}

/// Collects the function names. We skip an invalid one, since it's no reason to refuse the module.
fn read_names(section: NameSectionReader<'_>, functions: &mut NameMap) {
    for names in section.into_iter().flatten() {
        if let Name::Function(names) = names {
            for naming in names.into_iter().flatten() {
                functions.append(naming.index, &short(naming.name));
            }
        }
    }
}

/// Removes the generic arguments from a function name. The result is a path such as
/// `serde_json::de::from_str`.
fn short(name: &str) -> String {
    let full = format!("{:#}", rustc_demangle::demangle(name));
    let mut short = String::new();
    // An element for each `<` that's open, which is true if we leave out the text inside.
    let mut open: Vec<bool> = Vec::new();
    let mut before = ' ';
    for c in full.chars() {
        let leaves_out = open.last().copied().unwrap_or_default();
        match c {
            '<' => {
                // After a name, these are arguments. At the start, as in `<a::B as d::E>::g`,
                // they're part of the path.
                let arguments = before.is_alphanumeric() || matches!(before, '_' | ':');
                if arguments && !leaves_out {
                    let path = short.trim_end_matches("::").len();
                    short.truncate(path);
                }
                open.push(leaves_out || arguments);
                if !leaves_out && !arguments {
                    short.push(c);
                }
            }
            // The `>` of `->` doesn't close anything.
            '>' if before != '-' => {
                if !open.pop().unwrap_or_default() {
                    short.push(c);
                }
            }
            _ if leaves_out => {}
            _ => short.push(c),
        }
        before = c;
    }
    match short.char_indices().nth(MAX_NAME) {
        Some((at, _)) => short[..at].to_owned() + "…",
        None => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_readable() {
        for (name, wanted) in [
            ("memcpy", "memcpy"),
            ("a::b::<c::D<E>, F>::g::<H>", "a::b::g"),
            ("<a::B<C> as d::E<F>>::g::<H>", "<a::B as d::E>::g"),
            ("<a::B as d::E>::g", "<a::B as d::E>::g"),
            ("<fn(A) -> B<C>>::d", "<fn(A) -> B>::d"),
            (
                "_RNvMsa_NtCspDyCHxMKIP_4core3fmtNtB5_9Formatter3pad",
                "<core::fmt::Formatter>::pad",
            ),
            (
                "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
                "core::fmt::Formatter::pad",
            ),
            ("a>>b<", "a>>b"),
        ] {
            assert_eq!(short(name), wanted);
        }
        assert_eq!(short(&"x".repeat(500)).chars().count(), MAX_NAME + 1);
    }

    #[test]
    fn trimmed_retains_code() {
        let text = r#"(module $m
            (@custom "producers" "\00")
            (@custom "component-type:x" "kept")
            (@custom ".debug_info" "much")
            (func $_ZN1a1bE (export "run") (local $x i32) (i32.const 7) drop))"#;
        let module = wat::parse_str(text).unwrap();
        let trimmed = trimmed(&module, "component-type").unwrap();
        assert!(trimmed.len() < module.len());
        wasmparser::validate(&trimmed).unwrap();
        let mut customs = Vec::new();
        for payload in Parser::new(0).parse_all(&trimmed) {
            if let Payload::CustomSection(section) = payload.unwrap() {
                customs.push(section.name().to_owned());
            }
        }
        assert_eq!(customs, ["component-type:x", "name"]);
        let says = |text: &[u8]| trimmed.windows(text.len()).any(|part| part == text);
        assert!(says(b"a::b") && !says(b"_ZN1a1bE"));
    }
}
