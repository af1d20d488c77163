//! Detects conversations pasted by people or exported by agents.
//!
//! A word before a colon proves nothing, since it may just as well be a term in a glossary, a
//! setting or a role. We recognise a conversation by consecutive turns of two sides in one
//! notation. These must address each other or go back and forth. "User: can you fix it? Assistant:
//! done" is one, but "User: a person with an account" isn't.

mod json;
mod marks;
mod two_sides;

use std::ops::Range;

use serde_json::Value;

use self::marks::{level_of, marked, without_end};
use self::two_sides::is_conversation;
use crate::markdown::SECTION;

/// Names of the side that asks.
const ASKERS: [&str; 4] = ["user", "human", "you", "me"];
/// Names of the side that answers.
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
/// Names of speakers on neither side.
const OTHERS: [&str; 3] = ["system", "tool", "developer"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Asker,
    Answerer,
    Other,
}

/// The speaker of a turn in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Speaker {
    side: Side,
    /// The name in lower case.
    name: &'static str,
}

impl Speaker {
    fn of(word: &str) -> Option<Self> {
        let sides = [
            (Side::Asker, &ASKERS[..]),
            (Side::Answerer, &ANSWERERS),
            (Side::Other, &OTHERS),
        ];
        sides.into_iter().find_map(|(side, names)| {
            let mut names = names.iter();
            let name = names.find(|name| name.eq_ignore_ascii_case(word))?;
            Some(Self { side, name })
        })
    }
}

/// A notation for turns. All turns in one conversation use the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Speaker at the start of a line: `User: …`.
    Plain,
    /// Speaker in bold type: `**User:** …`.
    Bold,
    /// List item: `- User: …` or `1. **User:** …`.
    Listed,
    /// Heading of this level: `## User`.
    Heading(u32),
    /// Name on a line of its own, with the text below it: `user`.
    Alone,
    /// Tag around the text: `<user>` to `</user>`.
    Tag,
    /// ChatML: `<|im_start|>user` to `<|im_end|>`.
    ChatMl,
    /// Terminal display of an agent: `> …` and `⏺ …`.
    Screen,
    /// JSON message: `{"role": "user", "content": "…"}`.
    Json,
}

struct Turn {
    speaker: Speaker,
    form: Form,
    /// Offset of the mark that names the speaker.
    start: usize,
    /// The text's first paragraph, joined on one line.
    said: String,
    /// True if we found the end mark. Only some notations have one.
    is_ended: bool,
}

impl Turn {
    fn new(speaker: Speaker, form: Form, start: usize, said: &str) -> Self {
        let mut turn = Self {
            speaker,
            form,
            start,
            said: String::new(),
            is_ended: false,
        };
        turn.takes_in(said.trim());
        turn
    }

    /// Adds a line of text. `line` must not have surrounding whitespace.
    fn takes_in(&mut self, line: &str) {
        let (line, is_ended) = without_end(self, line);
        self.is_ended |= is_ended;
        let is_first_paragraph = !self.said.ends_with('\n');
        if line.is_empty() {
            if !self.said.is_empty() && is_first_paragraph {
                self.said.push('\n');
            }
        } else if is_first_paragraph {
            self.said.push_str(line);
            self.said.push(' ');
        }
    }
}

/// A line of text, or a JSON value that spans several lines.
struct Piece<'a> {
    /// Offset of the line after its quotation marks.
    start: usize,
    /// The line as written.
    raw: &'a str,
    /// The line without quotation marks and surrounding whitespace.
    line: &'a str,
    json: Option<Value>,
    /// True if the line above is blank, a heading, or missing.
    is_apart: bool,
}

/// Returns the range of the first line of each conversation in `text`.
pub(crate) fn conversations(text: &str) -> Vec<Range<usize>> {
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

/// Groups consecutive turns in the same notation. A heading of a higher level separates groups. A
/// turn in another notation counts as text of the turn before it.
fn groups(text: &str) -> Vec<Vec<Turn>> {
    let (mut open, mut ended): (Vec<Vec<Turn>>, Vec<Vec<Turn>>) = (Vec::new(), Vec::new());
    for piece in pieces(text) {
        let mut new = turns_of(&piece);
        let form = new.first().map(|turn| turn.form);
        for mut turns in std::mem::take(&mut open) {
            let is_open = match turns.last_mut() {
                Some(last) if Some(last.form) == form => {
                    turns.append(&mut new);
                    true
                }
                Some(last) => goes_on(last, &piece),
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

/// Splits `text` into lines. A JSON value that spans several lines is a single piece.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let has_messages = json::may_have_messages(text);
    let (mut pieces, mut at, mut is_apart) = (Vec::new(), 0, true);
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let raw = &text[at..end];
        let line = unquoted(raw);
        let start = at + raw.find(line).unwrap_or_default();
        let value = has_messages.then(|| json::value_at(text, start, line));
        let (json, end) = match value.flatten() {
            Some((value, value_end)) => (Some(value), end.max(value_end)),
            None => (None, end),
        };
        pieces.push(Piece {
            start,
            raw,
            line,
            json,
            is_apart,
        });
        is_apart = line.is_empty() || level_of(line) > 0;
        at = end;
    }
    pieces
}

/// Returns the turns beginning with `piece`. Only a JSON value can hold several.
fn turns_of(piece: &Piece<'_>) -> Vec<Turn> {
    if let Some(value) = &piece.json {
        let messages = json::messages(value).into_iter();
        return messages
            .map(|(speaker, said)| Turn::new(speaker, Form::Json, piece.start, &said))
            .collect();
    }
    let marked = marked(piece);
    marked
        .map(|(speaker, form, said)| Turn::new(speaker, form, piece.start, said))
        .into_iter()
        .collect()
}

/// Adds `piece` to a turn's text. Returns true if the conversation may continue after it.
fn goes_on(turn: &mut Turn, piece: &Piece<'_>) -> bool {
    let line = piece.line;
    match turn.form {
        // Other JSON values, such as tool results, may occur between messages.
        Form::Json => {
            return line.is_empty()
                || piece.json.is_some()
                || line.starts_with('{') && line.ends_with('}');
        }
        Form::Tag | Form::ChatMl if turn.is_ended => return line.is_empty(),
        Form::Tag | Form::ChatMl => {
            turn.takes_in(line);
            return true;
        }
        // The answer directly follows the question. Only indented lines belong to the question.
        Form::Screen if turn.speaker.side == Side::Asker => {
            let is_moved_in = piece.raw.starts_with([' ', '\t']);
            if !line.is_empty() && !is_moved_in {
                return false;
            }
        }
        // The text must begin directly below the name. Otherwise the name may be a mere heading.
        Form::Alone if turn.said.is_empty() && line.is_empty() => return false,
        _ => {}
    }
    let level = level_of(line);
    if level > 0 {
        // A heading is part of the text unless it's above the level of the turns.
        let above = match turn.form {
            Form::Heading(own) => own,
            _ => SECTION,
        };
        return level > above;
    }
    turn.takes_in(line);
    true
}

/// Returns `line` without quotation marks and surrounding whitespace.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || c == '>')
        .trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(text: &str) -> Vec<&str> {
        let found = conversations(text);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn conversation_start_found() {
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
            (
                "- **User**: make it faster please\n- **Assistant**: It is twice as fast.\n",
                "- **User**: make it faster please",
            ),
            (
                "1. User: make it faster please\n2. Assistant: It is twice as fast.\n",
                "1. User: make it faster please",
            ),
            (
                "Me: make it faster please\nClaude: It is twice as fast.\n",
                "Me: make it faster please",
            ),
            (
                "user\nmake it faster please\n\nassistant\nIt is twice as fast.\n",
                "user",
            ),
            (
                "Kept:\n\n<user>\nfix the test\n\n## Now\n</user>\n<assistant>\nI will look at it.\n</assistant>\n",
                "<user>",
            ),
            (
                "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nmake it faster please<|im_end|>\n<|im_start|>assistant\nIt is so.<|im_end|>\n",
                "<|im_start|>system",
            ),
            (
                "> make the parser\n  faster\n\n\u{23fa} I'll look at the profile first.\n",
                "make the parser",
            ),
            (
                "\u{276f} make it faster\n\n\u{23fa} Bash(cargo bench)\n  \u{23bf}  Running\n",
                "\u{276f} make it faster",
            ),
            (
                "[10:32] User: the server is down\n[10:33] Agent: restarting it now\n[10:34] User: works again, thank you\n",
                "[10:32] User: the server is down",
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
        let all = r#"[{"role":"system","content":"Be short."},{"role":"user","content":"fix it"},{"role":"assistant","content":"Done."}]"#;
        let printed = all.replace("},", "},\n  ").replace("[{", "[\n  {");
        let each = "{\n  \"role\": \"user\",\n  \"content\": \"fix it\"\n},\n{\n  \"role\": \"assistant\",\n  \"content\": \"Done.\"\n}\n";
        for text in [
            all.to_owned(),
            format!("{{\"messages\":{all}}}"),
            printed.clone(),
            format!("{{\n\"messages\": {printed}\n}}\nThat was it.\n"),
            each.to_owned(),
        ] {
            assert_eq!(begins(&text).len(), 1, "{text}");
            assert_eq!(
                begins(&format!("As it was:\n\n```json\n{text}\n```\n")).len(),
                1
            );
        }
    }

    #[test]
    fn role_text_is_no_conversation() {
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
            "Model: YOLOv8\nUser: annotators\nAgent: PPO with 3 layers\n",
            "Model: YOLOv8 in its small form\nUser: annotators of all pictures\nAgent: PPO with 3 layers of 64\n",
            "Model: fixed learning rate\nUser: nobody\n",
            "You: the customer\nAgent: us\nYou: pay monthly, no refunds\n",
            "You: the paying customer\nAgent: our support team\nYou: pay monthly, no refunds\n",
            "You: write the tests first\nAgent: runs them on every single push\nYou: review the result\n",
            "Copilot: allowed for tests.\nClaude: allowed for docs; do you need a key, ask.\nCursor: no use.\nUser: everybody.\n",
            "**User:** a person with an account. Can they have two?\n**Bot:** an account that a program uses.\n",
            "**User:** who has an account. Can they have two? Yes.\n**Bot:** what a program uses.\n",
            "User: asks for a refund in the app, please in time\nAgent: checks the order and answers within a day\nUser: gets an e-mail\n",
            "- User: opens the form\n- Agent: validates it and says so\n- User: sees the error\n",
            "User: may read\nBot: may post, and I keep it so for now\n",
            "user: I want to export my data\nagent: I want to see the queue\n",
            "Me: I do billing.\nBot: answers all else.\n",
            "<user>\n{question}\n</user>\n<assistant>\n",
            "<user>Please ask</user>\n\nand behind it\n\n<assistant>I do.</assistant>\n",
            "<user>\n  <name>me</name>\n</user>\n<agent>\n  <name>I</name>\n</agent>\n",
            "<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n{{ .Response }}<|im_end|>\n",
            "> Somebody said: can you see it?\n\nIt was seen.\n\n\u{23fa} I record.\n",
            "> Keep the button down.\n\n\u{23fa} Record (red)\n",
            "Fields:\nuser\nplease set it\nassistant\nI set it\n",
            "user\n\nplease set it\n\nassistant\n\nI set it\n",
            "### Users\n\nThey ask me.\n\n### Agents\n\nThey answer me.\n",
        ] {
            assert_eq!(begins(text), [""; 0], "{text}");
        }
    }
}
