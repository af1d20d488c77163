//! The subset of Go's text templates that prompts of convoys use: `{{.name}}`, `{{if .name}}`,
//! `{{range .name}}`, `{{else}}` and `{{end}}`.
//!
//! We leave unknown names as they are, along with the blocks that depend on them, since the program
//! behind the convoy can still fill those in.

use std::collections::BTreeMap;

use super::placeholders::Names;

/// Maximum nesting of blocks.
///
/// Writing them is recursive, so we treat a text with deeper blocks as plain text.
const MAX_DEPTH: usize = 64;

/// Values of dotted names.
///
/// A name with `None` is known but has no value, and unknown names are absent. The difference
/// matters: we only replace known names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dotted(BTreeMap<String, Option<String>>);

impl Dotted {
    pub(crate) fn set(&mut self, name: &str, value: Option<String>) {
        self.0.insert(name.to_owned(), value);
    }

    pub(crate) fn get(&self, name: &str) -> Option<Option<&String>> {
        self.0.get(name).map(Option::as_ref)
    }
}

pub(crate) fn fill(text: &str, dotted: &Dotted, names: &Names<'_>) -> String {
    let tokens = tokens(text);
    let mut filled = String::with_capacity(text.len());
    match blocks(&tokens) {
        Some(parts) => write(&parts, dotted, names, &mut filled),
        // The blocks are unbalanced or too deep, so this may not be a Go template at all.
        None => filled = names.fill(text),
    }
    filled
}

#[derive(Debug, Clone, Copy)]
enum Token<'t> {
    Text(&'t str),
    /// `inside` is `raw` without its braces, trim markers and surrounding spaces.
    Action {
        raw: &'t str,
        inside: &'t str,
    },
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    // `plain` starts after the last action. Its first `taken` bytes have been searched already.
    let mut plain = rest;
    let mut taken = 0;
    while let Some(at) = rest.find("{{") {
        let Some(length) = rest[at..].find("}}").map(|end| end + 2) else {
            break;
        };
        let raw = &rest[at..at + length];
        let inside = raw[2..raw.len() - 2].trim_matches('-').trim();
        let is_action = inside.starts_with('.')
            || inside == "else"
            || inside == "end"
            || inside.starts_with("if ")
            || inside.starts_with("range ")
            || inside.starts_with("with ");
        let after = at + length;
        if is_action {
            let mut before = &plain[..taken + at];
            if raw.starts_with("{{-") {
                before = before.trim_end();
            }
            tokens.push(Token::Text(before));
            tokens.push(Token::Action { raw, inside });
            rest = &rest[after..];
            if raw.ends_with("-}}") {
                rest = rest.trim_start();
            }
            (plain, taken) = (rest, 0);
        } else {
            // Probably a placeholder like `{{name}}`. It stays in the plain text, which `write`
            // passes to `Names::fill`.
            taken += after;
            rest = &rest[after..];
        }
    }
    tokens.push(Token::Text(plain));
    tokens
}

/// A token, or a block once we've found its `end`.
#[derive(Debug)]
enum Part<'t> {
    Text(&'t str),
    Value { raw: &'t str, name: &'t str },
    Block(Box<Block<'t>>),
}

/// An `if`, `range` or `with` block, from its opening action to its `end`.
#[derive(Debug, Default)]
struct Block<'t> {
    raw: &'t str,
    inside: &'t str,
    then: Vec<Part<'t>>,
    otherwise: Option<(&'t str, Vec<Part<'t>>)>,
    end: &'t str,
}

impl<'t> Block<'t> {
    /// Returns the name tested by an `if`. We can't evaluate any other block, so it's `None` for
    /// those.
    fn condition(&self) -> Option<&'t str> {
        self.inside.strip_prefix("if ")?.trim().strip_prefix('.')
    }
}

fn blocks<'t>(tokens: &[Token<'t>]) -> Option<Vec<Part<'t>>> {
    let mut top = Vec::new();
    let mut open: Vec<Block<'t>> = Vec::new();
    for token in tokens {
        let part = match *token {
            Token::Text(text) => Part::Text(text),
            Token::Action {
                raw,
                inside: "else",
            } => {
                // There must be an open block for `else`, and only one `else` per block.
                let block = open.last_mut().filter(|block| block.otherwise.is_none())?;
                block.otherwise = Some((raw, Vec::new()));
                continue;
            }
            Token::Action { raw, inside: "end" } => {
                let block = open.pop()?;
                Part::Block(Box::new(Block { end: raw, ..block }))
            }
            Token::Action { raw, inside } => match inside.strip_prefix('.') {
                Some(name) => Part::Value { raw, name },
                // Any other action opens a block. That includes those that we can't evaluate,
                // because we still need to find their `end`.
                None => {
                    open.push(Block {
                        raw,
                        inside,
                        ..Block::default()
                    });
                    if open.len() > MAX_DEPTH {
                        return None;
                    }
                    continue;
                }
            },
        };
        match open.last_mut() {
            None => top.push(part),
            Some(Block {
                otherwise: Some((_, parts)),
                ..
            }) => parts.push(part),
            Some(block) => block.then.push(part),
        }
    }
    open.is_empty().then_some(top)
}

fn write(parts: &[Part<'_>], dotted: &Dotted, names: &Names<'_>, out: &mut String) {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(&names.fill(text)),
            Part::Value { raw, name } => match dotted.get(name) {
                Some(value) => {
                    let value = value.map_or("", String::as_str);
                    if names.has_room(value.len()) {
                        out.push_str(value);
                    }
                }
                None => out.push_str(raw),
            },
            Part::Block(block) => write_block(block, dotted, names, out),
        }
    }
}

fn write_block(block: &Block<'_>, dotted: &Dotted, names: &Names<'_>, out: &mut String) {
    let known = block.condition().and_then(|name| dotted.get(name));
    if let Some(value) = known {
        if value.is_some_and(|value| !value.is_empty()) {
            write(&block.then, dotted, names, out);
        } else if let Some((_, parts)) = &block.otherwise {
            write(parts, dotted, names, out);
        }
        return;
    }
    // In `range` and `with`, names refer to the current item, which we don't know, so we mustn't
    // replace any. We treat an `if` with more than a single name in the same way.
    let none = Dotted::default();
    let inside = if block.condition().is_some() {
        dotted
    } else {
        &none
    };
    out.push_str(block.raw);
    write_body(&block.then, inside, names, out, block.raw);
    if let Some((raw, parts)) = &block.otherwise {
        out.push_str(raw);
        write_body(parts, inside, names, out, raw);
    }
    out.push_str(block.end);
}

/// Writes the parts of a block that stays in the text.
///
/// If its action ends with a trim marker, [`tokens`] has already removed the white space after it.
/// The marker itself stays as well, so we put back a line break.
fn write_body(
    parts: &[Part<'_>],
    dotted: &Dotted,
    names: &Names<'_>,
    out: &mut String,
    mark: &str,
) {
    if mark.ends_with("-}}") {
        out.push('\n');
    }
    write(parts, dotted, names, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placeholders::Values;
    use crate::text_room::Room;

    fn filled(text: &str) -> String {
        let vars: Values = [("v".to_owned(), Some("{{.leg.id}}".to_owned()))].into();
        let room = Room::new(usize::MAX);
        let names = Names {
            vars: &vars,
            in_braces: false,
            local: &[],
            outer: None,
            room: &room,
        };
        let mut dotted = Dotted::default();
        dotted.set("leg.id", Some("security".to_owned()));
        dotted.set("scope", Some("large".to_owned()));
        dotted.set("context", None);
        fill(text, &dotted, &names)
    }

    #[test]
    fn fill_known_names_replaced() {
        for (text, want) in [
            ("Leg {{.leg.id}}.", "Leg security."),
            ("{{if .scope}}Scope: {{.scope}}{{end}}!", "Scope: large!"),
            ("{{if .context}}yes{{else}}no{{end}}", "no"),
            // Text from a value isn't scanned for actions again.
            ("{{v}} {{#each x}}", "{{.leg.id}} {{#each x}}"),
            ("a {{- .leg.id -}} b", "asecurityb"),
        ] {
            assert_eq!(filled(text), want, "{text}");
        }
    }

    #[test]
    fn fill_unknown_names_stay() {
        for text in [
            "{{.review_id}}",
            "{{if .pr}}PR #{{.pr}}{{else}}none{{end}}",
            "{{range .files}}- {{.path}} {{.}}{{end}}",
            "{{end}}",
            "{{if .scope}}open",
            "{{",
        ] {
            assert_eq!(filled(text), text);
        }
        // We can't decide the block, but still fill in the names inside.
        assert_eq!(
            filled("{{if .pr}}{{.leg.id}}{{end}}"),
            "{{if .pr}}security{{end}}"
        );
        assert_eq!(filled("{{if .pr -}}\nx{{end}}"), "{{if .pr -}}\nx{{end}}");
    }

    proptest::proptest! {
        #[test]
        fn fill_any_text_no_panic(text in "(\\{\\{|\\}\\}|if |range |else|end|\\.a|-| |ü){0,20}") {
            filled(&text);
        }
    }
}
