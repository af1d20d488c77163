use serde_json::Value;

use crate::event::{Event, EventLine, MailDelivered, MailSent, OrderKey, Payload};
use crate::state::{Rejected, State, Verdict};
use crate::{LedgerError, Stamp, id};

/// Who writes, and what they are told of the world.
pub(crate) struct Writer<'a> {
    /// Who does it.
    pub actor: String,
    /// What the clock says.
    pub now: Stamp,
    /// Any number, another one each time.
    pub random: &'a dyn Fn() -> u64,
    /// Who holds the lock, for others who wait: a command.
    pub holder: String,
    /// How long to wait for others.
    pub timeout: std::time::Duration,
    /// What these events have in common with others.
    pub correlation_id: Option<String>,
    /// What becomes of secret values in what would be written.
    pub secrets: Secrets,
}

/// What becomes of secret values: a log is kept for good and handed to others, so who writes is to know of them. Which
/// values are secret is for the caller to say.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Secrets {
    /// They are written as they are: nothing but what others wrote already.
    Keep,
    /// Nothing happens, and the name of the field that holds one is said, if this finds any.
    Refuse(fn(&Value) -> Option<String>),
    /// Something else stands there.
    Replace(fn(Value) -> Value),
}

impl Secrets {
    fn apply(self, event_type: &'static str, data: Value) -> Result<Value, LedgerError> {
        match self {
            Self::Keep => Ok(data),
            Self::Replace(replace) => Ok(replace(data)),
            Self::Refuse(find) => match find(&data) {
                Some(field) => Err(LedgerError::Secret { event_type, field }),
                None => Ok(data),
            },
        }
    }
}

/// What is decided under the lock: events, each applied to the state as soon as it is there.
pub struct Draft<'a> {
    state: &'a mut State,
    writer: &'a Writer<'a>,
    lines: Vec<u8>,
    /// The last event that was decided.
    last: Option<String>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(state: &'a mut State, writer: &'a Writer<'a>) -> Self {
        Self {
            state,
            writer,
            lines: Vec::new(),
            last: None,
        }
    }

    /// The state as it is with all that was decided.
    #[must_use]
    pub fn state(&self) -> &State {
        self.state
    }

    /// Who does it.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.writer.actor
    }

    /// What the clock says.
    #[must_use]
    pub fn now(&self) -> Stamp {
        self.writer.now
    }

    /// The log's time, as it is with what this writer's clock says.
    #[must_use]
    pub fn log_now(&self) -> Stamp {
        let clock = self.writer.now.to_millis();
        self.state.clock().peek(&self.writer.actor, clock)
    }

    /// What was decided, as lines.
    pub(crate) fn into_lines(self) -> Vec<u8> {
        self.lines
    }

    /// Lets something happen; the id of the event.
    ///
    /// # Errors
    /// When it is not allowed as things stand: then nothing of this draft happens.
    pub fn emit(&mut self, payload: impl Into<Payload>) -> Result<String, LedgerError> {
        self.emit_caused_by(payload, None)
    }

    /// As [`Draft::emit`], for what was brought about by another event. Without one, what happens to a molecule was
    /// brought about by what its state says.
    ///
    /// # Errors
    /// As [`Draft::emit`].
    pub fn emit_caused_by(
        &mut self,
        payload: impl Into<Payload>,
        cause: Option<&str>,
    ) -> Result<String, LedgerError> {
        let payload = payload.into();
        let secrets = self.writer.secrets;
        let data = secrets.apply(payload.event_type(), payload.to_value()?)?;
        let timestamp = self.writer.now.to_millis();
        let (order, seq) = OrderKey::next(self.state.last(), self.log_now());
        let cause = cause.map(str::to_owned);
        let own = self.writer.correlation_id.clone();
        let event = Event {
            event_id: self.ids().event(payload.event_type(), &data),
            event_type: payload.event_type().to_owned(),
            timestamp,
            actor: self.writer.actor.clone(),
            correlation_id: own.or_else(|| self.state.molecules.related(&data)),
            caused_by: cause.or_else(|| self.state.molecules.cause(payload.event_type(), &data)),
            log_time: (order != timestamp).then_some(order),
            seq,
            data,
        };
        let line = serde_json::to_vec(&event)?;
        // What is read back is what counts: the state is the same as that of who reads the log.
        let verdict = self.state.apply(&EventLine::parse(&line)?);
        if let Verdict::Rejected(rejected) = verdict {
            return Err(LedgerError::Rejected(Box::new(rejected)));
        }
        self.lines.extend(line);
        self.lines.push(b'\n');
        self.last = Some(event.event_id.clone());
        Ok(event.event_id)
    }

    /// As [`Draft::emit`], for what follows from what was decided before; from what the state says, if nothing was.
    pub(crate) fn emit_next(&mut self, payload: impl Into<Payload>) -> Result<String, LedgerError> {
        let cause = self.last.clone();
        self.emit_caused_by(payload, cause.as_deref())
    }

    /// Ids that nothing has yet.
    #[must_use]
    pub fn ids(&self) -> NewIds<'_> {
        NewIds {
            state: self.state,
            writer: self.writer,
        }
    }

    /// Sends a message, whose id and sender are filled in; its id, and that of the event. Who shares the ledger has it in
    /// the inbox at once.
    ///
    /// # Errors
    /// As [`Draft::emit`].
    pub fn send(&mut self, mail: MailSent) -> Result<(String, String), LedgerError> {
        let message_id = self.ids().message();
        let recipient = mail.to.clone();
        let sent = self.emit(MailSent {
            message_id: message_id.clone(),
            from: self.actor().to_owned(),
            ..mail
        })?;
        let delivered = MailDelivered {
            message_id: message_id.clone(),
            recipient,
        };
        self.emit_caused_by(delivered, Some(&sent))?;
        Ok((message_id, sent))
    }

    /// Refuses what is not allowed, in words of one's own.
    ///
    /// # Errors
    /// Always.
    pub fn refuse<T>(&self, reason: String, won: Option<String>) -> Result<T, LedgerError> {
        Err(LedgerError::Rejected(Box::new(Rejected {
            event_id: String::new(),
            event_type: String::new(),
            timestamp: self.writer.now,
            actor: self.writer.actor.clone(),
            reason,
            won,
        })))
    }
}

/// Ids that nothing has yet, drawn for who writes.
pub struct NewIds<'a> {
    state: &'a State,
    writer: &'a Writer<'a>,
}

impl NewIds<'_> {
    fn event(&self, event_type: &str, data: &Value) -> String {
        loop {
            let drawn = self.drawn(&[event_type, &data.to_string()], id::LONG);
            let id = format!("evt-{drawn}");
            if !self.state.has_seen(&id) {
                return id;
            }
        }
    }

    fn message(&self) -> String {
        format!("msg-{}", self.drawn(&[], id::LONG))
    }

    /// An id for a molecule.
    #[must_use]
    pub fn molecule(&self) -> String {
        self.free("mol", |id| self.state.molecules.contains(id))
    }

    /// An id for a bead: `{prefix}-` and six letters and digits, more where there are many.
    #[must_use]
    pub fn bead(&self, prefix: &str) -> String {
        self.free(prefix, |id| self.state.beads.contains(id))
    }

    fn free(&self, prefix: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let mut tries = 0;
        loop {
            let id = format!("{prefix}-{}", self.drawn(&[prefix], id::SHORT + tries / 4));
            if !is_taken(&id) {
                return id;
            }
            tries += 1;
        }
    }

    /// What proves a claim: the number of the attempt, so that later claims have higher ones, and something nobody
    /// can guess.
    pub(crate) fn token(&self, attempt: u32) -> String {
        format!("{attempt}-{}", self.drawn(&["token"], id::SHORT))
    }

    /// An id for another part of `parent`: the number after the highest there is.
    pub(crate) fn child(&self, parent: &str) -> String {
        let start = format!("{parent}.");
        let number = |id: &str| id.strip_prefix(&start)?.parse::<u64>().ok();
        let known = self.state.beads.starting_with(&start);
        let highest = known.filter_map(|(id, _)| number(id)).max().unwrap_or(0);
        format!("{start}{}", highest + 1)
    }

    fn drawn(&self, parts: &[&str], length: usize) -> String {
        let (first, second) = ((self.writer.random)(), (self.writer.random)());
        let random = [first.to_le_bytes(), second.to_le_bytes()].concat();
        let now = self.writer.now.micros().to_le_bytes();
        let mut all: Vec<&[u8]> = vec![&random, &now, self.writer.actor.as_bytes()];
        all.extend(parts.iter().map(|part| part.as_bytes()));
        id::drawn(&all, length)
    }
}
