//! Conversations, as people paste them and agents export them.
//!
//! A word before a colon speaks of anything: a glossary, settings, roles. A conversation has turns of two sides that follow each other in
//! one form, and in them somebody says something to somebody.

use std::ops::Range;

use serde_json::Value;

use crate::markdown::SECTION;

/// Those who ask.
const ASKERS: [&str; 3] = ["user", "human", "you"];
/// Those who answer.
const ANSWERERS: [&str; 11] = [
    "assistant",
    "ai",
    "model",
    "bot",
    "agent",
    "chatgpt",
    "claude",
    "codex",
    "copilot",
    "cursor",
    "gemini",
];
/// Those who speak as well, and are no side.
const OTHERS: [&str; 3] = ["system", "tool", "developer"];

/// How an answer begins that is one: nothing that explains a word does.
const ANSWERS: [&str; 16] = [
    "done", "fixed", "ok", "okay", "sure", "yes", "no", "thanks", "sorry", "let me", "let's",
    "here is", "here's", "great", "good", "got it",
];
/// What is said by one to another.
const ADDRESSES: [&str; 12] = [
    "please",
    "can you",
    "could you",
    "would you",
    "do you",
    "did you",
    "i",
    "i'm",
    "i'll",
    "i've",
    "me",
    "my",
];
/// How stories of users begin, which speak of themselves.
const STORIES: [&str; 3] = ["as a ", "as an ", "as the "];
/// Where three turns follow each other, one of so many words is none of settings.
const FEW_WORDS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Asker,
    Answerer,
    Other,
}

impl Side {
    fn of(word: &str) -> Option<Self> {
        let is_among = |words: &[&str]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
        if is_among(&ASKERS) {
            return Some(Self::Asker);
        }
        if is_among(&ANSWERERS) {
            return Some(Self::Answerer);
        }
        is_among(&OTHERS).then_some(Self::Other)
    }
}

/// How a turn is marked: turns of one conversation are marked alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `User: …`
    Plain,
    /// `**User:** …`
    Bold,
    /// `## User`, of this level.
    Heading(u32),
    /// `{"role": "user", "content": "…"}`
    Json,
}

struct Turn {
    side: Side,
    form: Form,
    /// Where its mark begins.
    start: usize,
    /// The first paragraph of what is said, on one line.
    said: String,
}

/// Where conversations begin in `text`: the mark of the first turn of each.
pub(super) fn conversations(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for turns in groups(text) {
        if is_conversation(&turns)
            && let Some(first) = turns.first()
        {
            let line = text[first.start..].lines().next().unwrap_or_default();
            found.push(first.start..first.start + line.trim_end().len());
        }
    }
    found.sort_by_key(|place| place.start);
    found
}

/// Turns that are marked alike and that no heading above theirs parts. What is marked otherwise between them is said in them.
fn groups(text: &str) -> Vec<Vec<Turn>> {
    let (mut open, mut ended): (Vec<Vec<Turn>>, Vec<Vec<Turn>>) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let said = unquoted(line);
        let mut new = turns_of(said, start + line.find(said).unwrap_or_default());
        let form = new.first().map(|turn| turn.form);
        for mut turns in std::mem::take(&mut open) {
            let is_open = match turns.last_mut() {
                Some(last) if Some(last.form) == form => {
                    turns.append(&mut new);
                    true
                }
                Some(last) => goes_on(last, said),
                None => false,
            };
            if is_open { &mut open } else { &mut ended }.push(turns);
        }
        if !new.is_empty() {
            open.push(new);
        }
    }
    ended.extend(open);
    ended
}

/// Takes in a line behind the mark of a turn; whether the conversation may go on behind it.
fn goes_on(turn: &mut Turn, line: &str) -> bool {
    if turn.form == Form::Json {
        // What tools gave stands between what is said.
        return line.is_empty() || line.starts_with('{') && line.ends_with('}');
    }
    let level = level_of(line);
    if level > 0 {
        // Headings are a part of what is said, but those that stand above the turns.
        let above = match turn.form {
            Form::Heading(own) => own,
            _ => SECTION,
        };
        return level > above;
    }
    let is_first_paragraph = !turn.said.ends_with('\n');
    if line.is_empty() {
        if !turn.said.is_empty() && is_first_paragraph {
            turn.said.push('\n');
        }
    } else if is_first_paragraph {
        turn.said.push_str(line);
        turn.said.push(' ');
    }
    true
}

/// `line` without the marks of a quotation and blanks around it.
fn unquoted(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || c == '>')
}

/// How many `#` the heading in `line` has; none where it is no heading.
fn level_of(line: &str) -> u32 {
    let level = line.len() - line.trim_start_matches('#').len();
    let is_heading = level <= 6 && line[level..].starts_with([' ', '\t']);
    u32::try_from(level)
        .ok()
        .filter(|_| is_heading)
        .unwrap_or(0)
}

/// The turns that begin with `line`, at byte `start`: several only where a line of JSON has all messages.
fn turns_of(line: &str, start: usize) -> Vec<Turn> {
    let marked = match line.starts_with('{') {
        true => messages(line),
        false => marked(line)
            .map(|(side, form, said)| (side, form, said.to_owned()))
            .into_iter()
            .collect(),
    };
    let turn = |(side, form, said): (Side, Form, String)| {
        let mut said = said.trim().to_owned();
        if !said.is_empty() {
            said.push(' ');
        }
        Turn {
            side,
            form,
            start,
            said,
        }
    };
    marked.into_iter().map(turn).collect()
}

/// Who is marked at the beginning of `line`, how, and what follows on it.
fn marked(line: &str) -> Option<(Side, Form, &str)> {
    let level = level_of(line);
    if level > 0 {
        let (side, rest) = speaker(line.trim_start_matches('#'))?;
        let rest = rest.trim().trim_start_matches(':').trim();
        return rest.is_empty().then_some((side, Form::Heading(level), ""));
    }
    let marks = line.len() - line.trim_start_matches(['*', '_']).len();
    let (side, rest) = speaker(&line[marks..])?;
    let rest = rest.trim_start();
    if marks < 2 {
        let said = rest.strip_prefix(':').filter(|_| marks == 0)?;
        let is_apart = said.is_empty() || said.starts_with(char::is_whitespace);
        return is_apart.then_some((side, Form::Plain, said));
    }
    // The colon may stand in bold as well.
    let (has_colon, rest) = match rest.strip_prefix(':') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let rest = rest.strip_prefix(['*', '_'])?;
    let rest = rest.trim_start_matches(['*', '_']).trim_start();
    match rest.strip_prefix(':').filter(|_| !has_colon) {
        Some(said) => Some((side, Form::Bold, said)),
        None => (has_colon || rest.is_empty()).then_some((side, Form::Bold, rest)),
    }
}

/// Who is named at the beginning of `text`, and what follows: `[10:32] 🧑 User (10:32)`, `ChatGPT said`.
fn speaker(text: &str) -> Option<(Side, &str)> {
    let mut text = text.trim_start();
    if let Some(rest) = text.strip_prefix('[') {
        text = rest.split_once(']')?.1;
    }
    let text = text.trim_start_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric() || c == ' ');
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let side = Side::of(&text[..end])?;
    let mut rest = &text[end..];
    rest = rest.strip_prefix(" said").unwrap_or(rest);
    if let Some((_, behind)) = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|it| it.split_once(')'))
    {
        rest = behind;
    }
    Some((side, rest))
}

/// Who says what in a line of JSON with messages, as agents keep their sessions, and as they are handed over to be learnt from.
fn messages(line: &str) -> Vec<(Side, Form, String)> {
    if !line.contains("\"role\"") || !line.contains("\"content\"") {
        return Vec::new();
    }
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        return Vec::new();
    };
    let listed = value.get("messages").and_then(Value::as_array);
    let all = listed.into_iter().flatten().chain([&value]);
    all.filter_map(message).collect()
}

/// Who says what in one message; it may lie in an object around it.
fn message(value: &Value) -> Option<(Side, Form, String)> {
    let within = [Some(value), value.get("message"), value.get("payload")];
    within.into_iter().flatten().find_map(|one| {
        let side = Side::of(one.get("role")?.as_str()?)?;
        let said = match one.get("content")? {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                texts.collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        };
        Some((side, Form::Json, said))
    })
}

/// Whether turns that follow each other are what two sides said.
fn is_conversation(turns: &[Turn]) -> bool {
    let says = |turn: &&Turn| turn.side != Side::Other && !turn.said.trim().is_empty();
    let turns: Vec<&Turn> = turns.iter().filter(says).collect();
    let changes = turns
        .windows(2)
        .filter(|two| two[0].side != two[1].side)
        .count();
    let is_said = || turns.iter().any(|turn| is_said_to_somebody(turn));
    let has_words = || {
        turns
            .iter()
            .any(|turn| turn.said.split_whitespace().count() >= FEW_WORDS)
    };
    match changes {
        0 => false,
        1 => is_said(),
        _ => is_said() || has_words(),
    }
}

/// Whether what is said in a turn is a question, an answer, or speaks to the other side.
fn is_said_to_somebody(turn: &Turn) -> bool {
    let said = turn.said.trim().to_lowercase().replace('\u{2019}', "'");
    if STORIES.iter().any(|begin| said.starts_with(begin)) {
        return false;
    }
    let is_word_end =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '-');
    let begins = |text: &str, words: &str| text.strip_prefix(words).is_some_and(is_word_end);
    if turn.side == Side::Answerer && ANSWERS.iter().any(|answer| begins(&said, answer)) {
        return true;
    }
    let mut starts = said.char_indices().filter(|(at, c)| {
        let before = said[..*at].chars().next_back();
        c.is_alphanumeric()
            && before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '"' | ','))
    });
    said.ends_with('?')
        || said.contains("? ")
        || starts.any(|(at, _)| ADDRESSES.iter().any(|words| begins(&said[at..], words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(text: &str) -> Vec<&str> {
        let found = conversations(text);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn what_two_sides_said_is_found_where_it_begins() {
        for (text, first) in [
            ("user: fix\nassistant: ok", "user: fix"),
            (
                "Note.\n\nHuman: fix the parser\n\nAssistant: I'll look at it.\n",
                "Human: fix the parser",
            ),
            ("> user: fix it\n> assistant: done\n", "user: fix it"),
            (
                "**User:** fix it\n\n**Assistant:** done\n",
                "**User:** fix it",
            ),
            (
                "**Human**: why?\n\n**AI**: Because the lock is held.\n",
                "**Human**: why?",
            ),
            (
                "_**User (2025-09-01 10:00Z)**_\n\nfix it\n\n---\n\n_**Assistant**_\n\nSure, here it is.\n",
                "_**User (2025-09-01 10:00Z)**_",
            ),
            ("### User\n\nfix it\n\n### Assistant\n\ndone\n", "### User"),
            (
                "## 🧑 User:\n\nCan you fix it?\n\n## 🤖 Assistant:\n\nIt was the lock.\n",
                "## 🧑 User:",
            ),
            (
                "You said:\nWhy does it fail?\nChatGPT said:\nThe lock is held twice.\n",
                "You said:",
            ),
            (
                "[10:32] user: rename the flag\n[10:33] assistant: The flag has its new name.\n[10:35] user: now the docs\n",
                "[10:32] user: rename the flag",
            ),
            (
                "User:\nrename the flag in the parser\n\nClaude:\nThe flag has its new name.\n\nUser:\nnow the docs\n",
                "User:",
            ),
            (
                "# Log\n\n## User\n\nrename the flag\n\n### In short\n\nx\n\n## Assistant\n\nThe flag is called so.\n\n## User\n\nnow the docs\n",
                "## User",
            ),
            (
                "system: be short\nuser: please fix it\nassistant: It holds now.\n",
                "system: be short",
            ),
        ] {
            assert_eq!(begins(text), [first], "{text}");
            assert_eq!(begins(&text.replace('\n', "\r\n")).len(), 1, "{text}");
        }
        for line in [
            r#"{"role":"user","content":"fix it"}
{"role":"assistant","content":"done"}"#,
            r#"{"type":"user","message":{"role":"user","content":"fix the parser"}}
{"type":"tool_result","output":"ok"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I'll look at it."}]}}"#,
            r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the parser"}]}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}"#,
        ] {
            assert_eq!(begins(line).len(), 1, "{line}");
            let fenced = format!("As it was:\n\n```json\n{line}\n```\n");
            assert_eq!(begins(&fenced).len(), 1, "{line}");
        }
        let all = r#"{"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"fix it"},{"role":"assistant","content":"Done."}]}"#;
        assert_eq!(begins(all).len(), 1);
    }

    #[test]
    fn what_only_names_sides_is_no_conversation() {
        for text in [
            "User: please do it\n",
            "```yaml\nuser: postgres\nhost: db\n```\n",
            "user: human\nassistant: claude\nsystem: linux\n",
            "user: a\nassistant: b\n---\nuser: c\nassistant: d\n",
            "**System:** Debian 12 with much memory runs the builds.\n",
            "**User:** somebody who has an account.\n\n**Assistant:** the model that answers.\n",
            "The roles:\n\n## User\n\nBuys.\n\n## Assistant\n\nHelps a user.\n\nDo you know more?\n",
            "## Rights\n\n### User\n\nMay read all of it.\n\n### Assistant\n\nMay write.\n\n## Duties\n\n### User\n\nPays for all of it.\n\n### Assistant\n\nHelps.\n",
            "## User\n\nAs a user I want to log in.\n\n## Assistant\n\nAs an assistant I want to help.\n",
            "**User:** As a user, I pay.\n\nThe end.\n",
            "Human: {question}\nAssistant:\n",
            "user::name and assistant::name\nuser:name\nassistant:name\n",
            "{\"name\":\"bob\",\"role\":\"user\",\"content\":\"a\"}\n{\"name\":\"eve\",\"role\":\"assistant\",\"content\":\"b\"}\n",
            "{\"role\": \"user\", \"content\": \"hi?\"}\n\nAn answer:\n\n{\"role\": \"assistant\", \"content\": \"hi\"}\n",
            "[\n  {\"role\": \"system\", \"content\": \"be short\"},\n  {\"role\": \"user\", \"content\": \"hi?\"}\n]\n",
            "### Users\n\nThey ask me.\n\n### Agents\n\nThey answer me.\n",
        ] {
            assert_eq!(begins(text), [""; 0], "{text}");
        }
    }
}
