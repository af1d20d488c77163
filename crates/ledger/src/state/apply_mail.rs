//! Applies mail events.

use super::{Applied, MessageNote, Refusal, Table};
use crate::event::{EventLine, MailRead, MailSent};
use crate::mail::Message;

impl Table<Message> {
    pub(super) fn send(&mut self, event: &EventLine<'_>, data: MailSent) -> Applied {
        if data.message_id.is_empty() {
            return Err(Refusal::new("the message has no id"));
        }
        if self.contains(&data.message_id) {
            let reason = format!("there is a message `{}` already", data.message_id);
            return Err(Refusal::new(reason));
        }
        let mut metadata = data.metadata;
        let message_type = data.message_type.as_deref().map(str::parse);
        if let (Some(word), Some(Err(_))) = (&data.message_type, &message_type) {
            // This is another tool's message type, so keep it in the metadata.
            metadata.insert("message_type".to_owned(), word.clone().into());
        }
        let message = Message {
            id: data.message_id,
            from: data.from,
            to: data.to,
            subject: data.subject,
            body: data.body,
            message_type: message_type.and_then(Result::ok),
            timestamp: event.timestamp.to_millis(),
            read_at: None,
            priority: data
                .priority
                .and_then(|word| word.parse().ok())
                .unwrap_or_default(),
            metadata,
        };
        self.insert(message, MessageNote::of(event));
        Ok(())
    }

    pub(super) fn check_exists(&self, id: &str) -> Applied {
        match self.contains(id) {
            true => Ok(()),
            false => Err(Refusal::new(format!("there is no message `{id}`"))),
        }
    }

    pub(super) fn mark_read(&mut self, event: &EventLine<'_>, data: &MailRead) -> Applied {
        self.check_exists(&data.message_id)?;
        let Some((message, _)) = self.get_mut(&data.message_id) else {
            return Ok(());
        };
        if message.to != data.reader {
            return Err(Refusal::new(format!(
                "message `{}` is for {}, not for {}",
                message.id, message.to, data.reader
            )));
        }
        // A message may be read several times, but only the first one counts.
        let read_at = data.read_at.unwrap_or(event.timestamp).to_millis();
        message.read_at.get_or_insert(read_at);
        Ok(())
    }
}
