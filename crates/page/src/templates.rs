use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

/// Style of all pages. It is light or dark by the user's preference, and works on narrow screens.
pub const STYLE: &str = include_str!("page.css");

/// The frame of a page in a single file.
const FRAME: &str = include_str!("frame.html");

/// The components shared by pages. Templates import them as `ui.html`.
const COMPONENTS: &str = include_str!("ui.html");

/// Error in a template, or in a view's data. Either is a bug in Windlass.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the page: {0}")]
pub struct PageError(#[from] minijinja::Error);

/// Sets up the templates shared by all pages. They escape every value, and fail for an unknown one.
///
/// # Errors
/// Returns an error if a shared template is invalid.
pub fn environment() -> Result<Environment<'static>, PageError> {
    let mut templates = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    syntax.keep_trailing_newline(true);
    templates.set_syntax(syntax.build()?);
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.add_template("ui.html", COMPONENTS)?;
    Ok(templates)
}

/// Renders a page as one file. `content` is the template of its body, and `data` contains the
/// template's values.
///
/// # Errors
/// Returns an error if the template is invalid, or if serializing `data` fails.
pub fn page(title: &str, content: &str, data: impl Serialize) -> Result<String, PageError> {
    let templates = environment()?;
    let content = templates.render_str(content, Serde(data))?;
    let frame = Frame {
        title,
        content,
        style: STYLE,
    };
    Ok(templates.render_str(FRAME, Serde(frame))?)
}

/// Like [`page`], but only renders the content, for a server with a frame of its own.
///
/// # Errors
/// Returns an error if the template is invalid, or if serializing `data` fails.
pub fn content(content: &str, data: impl Serialize) -> Result<String, PageError> {
    Ok(environment()?.render_str(content, Serde(data))?)
}

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
    fn components_escape_their_values() {
        let hostile = "<b>\"";
        let template = "{% import 'ui.html' as ui %}{{ ui.state(text) }}{{ ui.empty(text, text) }}";
        let text = content(template, values(hostile)).unwrap();
        assert!(!text.contains("<b>"), "{text}");
        assert!(text.contains("class=\"tag dim\""), "{text}");
    }

    #[test]
    fn unknown_value_is_an_error() {
        assert!(page("x", "{{ nothing }}", values("")).is_err());
    }
}
