//! Rules for the symbol-defining nodes of a syntax tree. Each family of languages has its own file.

mod c;
mod ecmascript;
mod go;
mod java;
mod python;
mod rust;

use crate::Language;
use crate::walk::Grammar;

/// Markdown has no grammar, since another parser reads it.
pub(crate) fn grammar(language: Language) -> Option<Grammar> {
    Some(match language {
        Language::C => c::SOURCE,
        Language::CHeader => c::HEADER,
        Language::Go => go::GRAMMAR,
        Language::Java => java::GRAMMAR,
        Language::JavaScript => ecmascript::JAVASCRIPT,
        Language::Markdown => return None,
        Language::Python => python::GRAMMAR,
        Language::Rust => rust::GRAMMAR,
        Language::TypeScript => ecmascript::TYPESCRIPT,
        Language::Tsx => ecmascript::TSX,
    })
}
