use serde_json::Value;
use windlass_base::RepoPath;

use super::{Draft, line_end};
use crate::texts::front_matter::{Field, FrontMatter, scalar};

impl Draft<'_> {
    /// Adds `name` to a field such as `supersedes`, and returns true if the text has changed. A
    /// YAML list keeps its notation and its comments.
    pub fn add_to_field(&mut self, path: &RepoPath, field: &str, name: &str) -> bool {
        let Some(text) = self.text(path) else {
            return false;
        };
        let Some(front) = FrontMatter::of(text) else {
            return false;
        };
        let mut names: Vec<String> = front.texts(field).into_iter().map(str::to_owned).collect();
        if names.iter().any(|one| one == name) {
            return false;
        }
        if let Some(field) = front.field(field)
            && let Some(added) = with_item(text, field, name)
        {
            let (before, after) = (&text[..field.lines.start], &text[field.lines.end..]);
            let changed = format!("{before}{added}{after}");
            self.texts.insert(path.clone(), changed);
            return true;
        }
        names.push(name.to_owned());
        self.set_field(path, field, &names.join(", "))
    }
}

/// Adds `name` to a list. Returns `None` if `field` is not a list, or if we cannot edit it in
/// place.
fn with_item(text: &str, field: &Field, name: &str) -> Option<String> {
    let Value::Array(items) = &field.value else {
        return None;
    };
    let lines = &text[field.lines.clone()];
    let last = lines
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .filter(|(_, line)| line.trim_start().starts_with("- "))
        .last();
    // A block list, with an item per line. Append a line.
    if let Some((start, line)) = last {
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        let item = format!("{}{indent}- {}", line_end(text), scalar(name));
        return Some(format!("{}{item}{}", &lines[..end], &lines[end..]));
    }
    // A flow list, with brackets.
    let open = lines.find('[')?;
    let close = open + end_of_flow(&lines[open..])?;
    let comma = if items.is_empty() { "" } else { ", " };
    if lines[open..close].contains('\n') {
        // If the last line has a comment, an item after it would become part of that comment. The
        // start is safe.
        let (before, after) = lines.split_at(open + 1);
        return Some(format!("{before}{}{comma}{}", Value::from(name), after));
    }
    let within = lines[..close].trim_end();
    let within = within.strip_suffix(',').unwrap_or(within);
    Some(format!(
        "{within}{comma}{}{}",
        Value::from(name),
        &lines[close..]
    ))
}

/// Finds the bracket that closes the list at the start of `flow`. Brackets in quotes and comments
/// do not count.
fn end_of_flow(flow: &str) -> Option<usize> {
    let mut quote = None;
    let mut comment = false;
    let mut before = ' ';
    for (at, c) in flow.char_indices() {
        match (quote, c) {
            _ if comment => comment = c != '\n',
            (Some(open), _) if c == open && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(c),
            (None, '#') if before.is_whitespace() => comment = true,
            (None, ']') => return Some(at),
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::memory::Memory;
    use crate::state::memory_files::Files;

    #[test]
    fn item_added_in_list_notation() {
        for (before, after) in [
            ("supersedes: a\n", "supersedes: a, n\n"),
            ("supersedes: a # so\n", "supersedes: a, n # so\n"),
            ("supersedes: \"a\"  # so\n", "supersedes: a, n # so\n"),
            (
                "supersedes:\n  - a   # because of X\n  # and\n",
                "supersedes:\n  - a   # because of X\n  - n\n  # and\n",
            ),
            (
                "supersedes: # these\n- a\n",
                "supersedes: # these\n- a\n- n\n",
            ),
            (
                "supersedes: [a, 'b]'] # [so]\n",
                "supersedes: [a, 'b]', \"n\"] # [so]\n",
            ),
            (
                "supersedes: [\n  a, # ]\n  ]\n",
                "supersedes: [\"n\", \n  a, # ]\n  ]\n",
            ),
            ("supersedes: []\n", "supersedes: [\"n\"]\n"),
        ] {
            let text = format!("---\nid: x\n{before}---\n");
            let memory = Memory::read(Files::of_texts([("memory/decisions/x.md", text.as_str())]));
            let path = RepoPath::parse("memory/decisions/x.md").unwrap();
            let mut draft = Draft::new(&memory);
            assert!(draft.add_to_field(&path, "supersedes", "n"));
            let changed = draft.text(&path).unwrap();
            assert_eq!(changed, format!("---\nid: x\n{after}---\n"));
            let front = FrontMatter::of(changed).unwrap();
            assert!(front.texts("supersedes").contains(&"n"), "{changed}");
            assert!(!draft.add_to_field(&path, "supersedes", "n"));
        }
    }
}
