//! Web pages in one file, for a browser, a mail or a pull request: a template for the content, one frame and one style.
//!
//! A page has no script and loads nothing, and its policy forbids both. Every value is escaped. Equal data give equal
//! bytes.
//!
//! This crate must never read a file or know what a page is about.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

/// Style of all pages: light and dark, readable on a narrow screen.
const STYLE: &str = include_str!("page.css");

/// Frame around the content of a page.
const FRAME: &str = include_str!("frame.html");

/// Error of a template, which is a bug of its author.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the page: {0}")]
pub struct PageError(#[from] minijinja::Error);

/// Renders a page: `content` is a template for its body, to which `data` are the values.
///
/// # Errors
/// If the template is invalid, or `data` cannot be serialized.
pub fn page(title: &str, content: &str, data: impl Serialize) -> Result<String, PageError> {
    let mut templates = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    syntax.keep_trailing_newline(true);
    templates.set_syntax(syntax.build()?);
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    let content = templates.render_str(content, Serde(data))?;
    let frame = Frame {
        title,
        content,
        style: STYLE,
    };
    Ok(templates.render_str(FRAME, Serde(frame))?)
}

/// Values of the frame.
#[derive(Serialize)]
struct Frame<'a> {
    title: &'a str,
    content: String,
    style: &'static str,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn values(text: &str) -> BTreeMap<&str, &str> {
        BTreeMap::from([("text", text)])
    }

    #[test]
    fn values_are_escaped() {
        let hostile = "<script>alert(1)</script>\"'&";
        let text = page(
            hostile,
            "<p title=\"{{ text }}\">{{ text }}</p>",
            values(hostile),
        );
        let text = text.unwrap();
        assert!(!text.contains("<script"), "{text}");
        let document = roxmltree::Document::parse(text.split_once('\n').unwrap().1).unwrap();
        let paragraph = document.descendants().find(|node| node.has_tag_name("p"));
        let paragraph = paragraph.unwrap();
        assert_eq!(paragraph.text(), Some(hostile));
        assert_eq!(paragraph.attribute("title"), Some(hostile));
    }

    #[test]
    fn page_loads_nothing() {
        let text = page("x", "", values("")).unwrap();
        for load in ["src=", "href=", "url(", "@import", "<script"] {
            assert!(!text.contains(load), "{load}: {text}");
        }
        assert!(text.contains("default-src 'none'"), "{text}");
    }

    #[test]
    fn unknown_value_is_an_error() {
        assert!(page("x", "{{ nothing }}", values("")).is_err());
    }
}
