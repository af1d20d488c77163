//! Mail between agents.

use crate::event::{MailRead, MailSent};
use crate::{LedgerError, MailPriority, Message, MessageType};
use serde::Serialize;
use serde_json::Map;

use super::LedgerSession;
use super::bead_work::check_bead;
use windlass_site::Error;

/// A message to be sent.
#[derive(Debug, Clone, Default)]
pub struct NewMail {
    /// Who is to get it.
    pub to: String,
    /// What it is about; its type if not given.
    pub subject: Option<String>,
    /// What it says.
    pub body: String,
    /// What it is for.
    pub message_type: Option<MessageType>,
    /// How much it matters.
    pub priority: MailPriority,
    /// The bead that it is about.
    pub bead: Option<String>,
    /// The molecule that it is about, or a step of it: `MOL` or `MOL/STEP`.
    pub mol: Option<String>,
}

/// Messages to somebody.
#[derive(Debug, Clone, Serialize)]
pub struct Inbox {
    /// Whose they are.
    pub recipient: String,
    /// The messages that were asked for: the most urgent first, the oldest of these first.
    pub messages: Vec<Message>,
    /// How many of all were not read.
    pub unread: usize,
    /// How many there are of those that were asked for.
    pub total: usize,
}

/// The messages of a ledger.
#[derive(Debug)]
pub struct Mail<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Mail<'_> {
    /// Sends a message. A gate that waits for it opens at once.
    ///
    /// # Errors
    /// When messages of its type do not go this way, or what it is about is not there.
    pub fn send(&mut self, mail: &NewMail) -> Result<Message, Error> {
        let from = self.session.actor()?.to_owned();
        let usual = || mail.message_type.map(|kind| kind.to_string());
        let subject = mail.subject.clone().or_else(usual);
        let subject = subject.filter(|subject| !subject.trim().is_empty());
        let subject = subject.ok_or_else(|| {
            LedgerError::Invalid("a message has a subject, or a type that is one".to_owned())
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
                subject,
                body: mail.body.clone(),
                message_type: mail.message_type.map(|kind| kind.to_string()),
                priority: (mail.priority != MailPriority::Normal)
                    .then(|| mail.priority.to_string()),
                metadata,
                ..MailSent::default()
            })?;
            if let Some((mol, _)) = about {
                draft.settle(mol, &world)?;
            }
            message(draft.state(), &id)
        })
    }

    /// The messages to somebody, who is the one that asks if nobody is named.
    ///
    /// # Errors
    /// When nobody says who asks.
    pub fn inbox(&self, recipient: Option<&str>, all: bool, limit: usize) -> Result<Inbox, Error> {
        let recipient = match recipient {
            Some(recipient) => recipient.to_owned(),
            None => self.session.actor()?.to_owned(),
        };
        let messages = &self.session.state().messages;
        let (mut wanted, mut unread) = (Vec::new(), 0);
        for (id, found) in messages.iter() {
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

    /// A message, which its recipient has read then; others may look at it with `peek`.
    ///
    /// # Errors
    /// When there is none, or it is somebody else's.
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
                reader,
                read_at,
            })?;
            message(draft.state(), &id)
        })
    }
}

/// The message `id`.
///
/// # Errors
/// When there is none.
pub fn message(state: &crate::State, id: &str) -> Result<Message, LedgerError> {
    let found = state.messages.get(id);
    found.ok_or_else(|| LedgerError::missing("message", id, []))
}
