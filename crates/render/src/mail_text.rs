//! Text output for the messages in the ledger.

use std::fmt::Write as _;

use windlass::ledger::Message;
use windlass::packs::harmless_line;

/// Formats the headers of a message on one line. An unread message starts with `*`.
#[must_use]
pub fn mail_line(message: &Message) -> String {
    let mark = if message.read_at.is_some() { ' ' } else { '*' };
    format!(
        "{mark} {}  {}  {}  {}",
        message.id, message.timestamp, message.from, message.subject
    )
}

/// Formats a whole message with headers, metadata and body.
#[must_use]
pub fn mail_text(message: &Message) -> String {
    let mut text = format!(
        "{}\n  from     {}\n  to       {}\n  sent     {}\n  subject  {}\n",
        message.id, message.from, message.to, message.timestamp, message.subject
    );
    if let Some(kind) = message.message_type {
        let _ = writeln!(text, "  type     {kind}");
    }
    for (name, value) in &message.metadata {
        let _ = writeln!(text, "  {name} = {value}");
    }
    if !message.body.is_empty() {
        let _ = write!(text, "\n{}\n", message.body.trim_end());
    }
    text
}

/// Lists messages by their headers, see [`mail_line`].
#[must_use]
pub fn inbox_text(messages: &[Message]) -> String {
    let line = |message| format!("{}\n", harmless_line(&mail_line(message)));
    messages.iter().map(line).collect()
}

/// Reports a sent message and its recipient.
#[must_use]
pub fn mail_sent(message: &Message) -> String {
    format!("sent {} to {}", message.id, message.to)
}
