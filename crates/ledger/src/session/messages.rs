//! Sends and reads mail between agents. Mail is part of the ledger, so a message arrives wherever
//! its events do.

use crate::event::{MailRead, MailSent};
use crate::{LedgerError, MailPriority, Message, MessageType};
use serde::Serialize;
use serde_json::Map;

use super::LedgerSession;
use super::bead_work::check_bead;
use windlass_site::Error;

/// A message to send.
#[derive(Debug, Clone, Default)]
pub struct NewMail {
    /// The recipient's name.
    pub to: String,
    /// Subject line. The default is the message type.
    pub subject: Option<String>,
    /// Text of the message.
    pub body: String,
    /// Type of message. If it's set, it decides who may send it to whom.
    pub message_type: Option<MessageType>,
    /// Priority. The default is normal.
    pub priority: MailPriority,
    /// The bead that the message is about.
    pub bead: Option<String>,
    /// The molecule or step that the message is about, as `MOL` or `MOL/STEP`.
    pub mol: Option<String>,
}

/// One page of an actor's messages.
#[derive(Debug, Clone, Serialize)]
pub struct Inbox {
    /// The recipient's name.
    pub recipient: String,
    /// Messages on this page. The most urgent come first, and among those, the oldest.
    pub messages: Vec<Message>,
    /// Number of unread messages, on all pages.
    pub unread: usize,
    /// Number of messages that would be listed without a limit.
    pub total: usize,
}

/// The session's view of mail.
#[derive(Debug)]
pub struct Mail<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Mail<'_> {
    /// Sends a message. If a gate awaits it, the gate opens in the same write.
    ///
    /// # Errors
    /// Returns an error if the type doesn't permit this sender or recipient, or a record that it
    /// names doesn't exist.
    pub fn send(&mut self, mail: &NewMail) -> Result<Message, Error> {
        let from = self.session.actor()?.to_owned();
        let usual = || mail.message_type.map(|kind| kind.to_string());
        let subject = mail.subject.clone().or_else(usual);
        let subject = subject.filter(|subject| !subject.trim().is_empty());
        let subject = subject.ok_or_else(|| {
            LedgerError::Invalid("missing subject: pass a subject or a message type".to_owned())
        })?;
        if let Some(kind) = mail.message_type
            && !kind.may_go(&from, &mail.to)
        {
            let (to, way) = (&mail.to, kind.direction());
            let message = format!("{kind} goes from {way}, not from `{from}` to `{to}`");
            return Err(LedgerError::Invalid(message).into());
        }
        super::checked_actor(Some(&mail.to))?;
        let world = self.session.world();
        let about = mail
            .mol
            .as_deref()
            .map(|about| match about.split_once('/') {
                Some((mol, step)) => (mol, Some(step)),
                None => (about, None),
            });
        self.session.decide(|draft| {
            let mut metadata = Map::new();
            if let Some((mol, step)) = about {
                let molecule = draft.molecule(mol)?;
                metadata.insert("mol_id".to_owned(), mol.into());
                if let Some(step) = step {
                    let found = molecule.find(step);
                    found.ok_or_else(|| LedgerError::no_step(&molecule, step))?;
                    metadata.insert("step_id".to_owned(), step.into());
                }
            }
            if let Some(bead) = &mail.bead {
                check_bead(draft.state(), bead)?;
                metadata.insert("bead_id".to_owned(), bead.clone().into());
            }
            let (id, _) = draft.send(MailSent {
                to: mail.to.clone(),
                subject: subject.clone(),
                body: mail.body.clone(),
                message_type: mail.message_type.map(|kind| kind.to_string()),
                priority: (mail.priority != MailPriority::Normal)
                    .then(|| mail.priority.to_string()),
                metadata,
                ..MailSent::default()
            })?;
            // The message may open a gate of the molecule.
            if let Some((mol, _)) = about {
                draft.settle(mol, &world)?;
            }
            message(draft.state(), &id)
        })
    }

    /// Lists messages to `recipient`, or to the actor if there's none. Messages that have been read
    /// are only included with `all`.
    ///
    /// # Errors
    /// Returns an error if `recipient` is `None` and the session has no actor.
    pub fn inbox(&self, recipient: Option<&str>, all: bool, limit: usize) -> Result<Inbox, Error> {
        let recipient = match recipient {
            Some(recipient) => recipient.to_owned(),
            None => self.session.actor()?.to_owned(),
        };
        let messages = &self.session.state().messages;
        let (mut wanted, mut unread) = (Vec::new(), 0);
        for (id, found) in messages.iter() {
            // The short form tells if we want the message, so we only parse those.
            let Some(head) = found.head().filter(|head| head.to == recipient) else {
                continue;
            };
            unread += usize::from(!head.is_read);
            if all || !head.is_read {
                wanted.extend(messages.get(id));
            }
        }
        wanted.sort_by(|a: &Message, b| {
            (a.priority, a.timestamp, &a.id).cmp(&(b.priority, b.timestamp, &b.id))
        });
        let total = wanted.len();
        wanted.truncate(limit);
        Ok(Inbox {
            recipient,
            messages: wanted,
            unread,
            total,
        })
    }

    /// The newest messages of all recipients, newest first.
    #[must_use]
    pub fn newest(&self, limit: usize) -> Vec<Message> {
        let messages = &self.session.state().messages;
        let mut all: Vec<Message> = messages
            .iter()
            .filter_map(|(id, _)| messages.get(id))
            .collect();
        all.sort_by(|a, b| (b.timestamp, &b.id).cmp(&(a.timestamp, &a.id)));
        all.truncate(limit);
        all
    }

    /// Reads a message and marks it as read, which only its recipient may do.
    ///
    /// If `peek` is set, any actor may look at the message, and it remains unread. Any actor may
    /// also read a message again that has been read before.
    ///
    /// # Errors
    /// Returns an error if the message doesn't exist, or the actor isn't its recipient.
    pub fn read(&mut self, id: &str, peek: bool) -> Result<Message, Error> {
        let known = message(self.session.state(), id)?;
        if peek || known.read_at.is_some() {
            return Ok(known);
        }
        let reader = self.session.actor()?.to_owned();
        let id = id.to_owned();
        self.session.decide(|draft| {
            let read_at = Some(draft.now().to_millis());
            draft.emit(MailRead {
                message_id: id.clone(),
                reader: reader.clone(),
                read_at,
            })?;
            message(draft.state(), &id)
        })
    }
}

/// Looks up a message.
///
/// # Errors
/// Returns an error if the message doesn't exist.
pub fn message(state: &crate::State, id: &str) -> Result<Message, LedgerError> {
    let found = state.messages.get(id);
    found.ok_or_else(|| LedgerError::missing("message", id, []))
}
