//! Drafts collect the events of one decision.
//!
//! A caller works on a draft while the log is locked. It reads the state and emits events, and
//! later reads of the state already include those events. Nothing is written until the caller is
//! done, so a single event that the state doesn't allow discards the whole draft.

use serde_json::Value;
use windlass_store::LockRequest;

use crate::event::{Event, EventLine, MailDelivered, MailSent, OrderKey, Payload};
use crate::molecule::StoredOutput;
use crate::output_store::{self, Blob};
use crate::state::{Rejected, State, Verdict};
use crate::{LedgerError, Stamp, id};

/// The author of a draft's events, with its clock, source of random numbers and settings.
pub(crate) struct Writer<'a> {
    pub actor: String,
    /// Current time on the writer's clock. The log's time may be different.
    pub now: Stamp,
    pub random: &'a dyn Fn() -> u64,
    pub lock: LockRequest,
    /// Id shared with related events, such as those of a conversation.
    pub correlation_id: Option<String>,
    /// Policy for secret values in event data.
    pub secrets: Secrets,
}

impl Writer<'_> {
    pub(crate) fn shifted(&self, micros: i64) -> Self {
        Self {
            actor: self.actor.clone(),
            now: Stamp::from_micros(self.now.micros().saturating_add(micros)),
            random: self.random,
            lock: self.lock.clone(),
            correlation_id: self.correlation_id.clone(),
            secrets: self.secrets,
        }
    }
}

/// Policy for secret values in event data.
///
/// Every writer has to choose one, because the log is permanent and shared. Finding the secrets is
/// up to the function in the variant, since this module doesn't know which values are secret.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Secrets {
    /// Writes the data unchanged.
    #[cfg(test)]
    Keep,
    /// Rejects an event if the function finds a secret and returns the field's name.
    Refuse(fn(&Value) -> Option<String>),
    /// Writes the data returned by the function, with secrets removed.
    Replace(fn(Value) -> Value),
}

impl Secrets {
    fn apply(self, event_type: &'static str, data: Value) -> Result<Value, LedgerError> {
        match self {
            #[cfg(test)]
            Self::Keep => Ok(data),
            Self::Replace(replace) => Ok(replace(data)),
            Self::Refuse(find) => match find(&data) {
                Some(field) => Err(LedgerError::Secret { event_type, field }),
                None => Ok(data),
            },
        }
    }
}

/// Events composed under the log's lock. Each event is applied to the state as soon as it's
/// emitted, so that later decisions of the same draft take it into account.
pub struct Draft<'a> {
    state: &'a mut State,
    writer: &'a Writer<'a>,
    lines: Vec<u8>,
    /// Outputs to store before the events.
    blobs: Vec<Blob>,
    last: Option<String>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(state: &'a mut State, writer: &'a Writer<'a>) -> Self {
        Self {
            state,
            writer,
            lines: Vec::new(),
            blobs: Vec::new(),
            last: None,
        }
    }

    /// Returns the state, including this draft's events.
    #[must_use]
    pub fn state(&self) -> &State {
        self.state
    }

    /// Returns the actor's name.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.writer.actor
    }

    /// Returns the current time on the writer's clock.
    #[must_use]
    pub fn now(&self) -> Stamp {
        self.writer.now
    }

    /// Returns the log's time as it would be after an event emitted now. Unlike [`Draft::now`], it
    /// doesn't depend on a single clock.
    #[must_use]
    pub fn log_now(&self) -> Stamp {
        let clock = self.writer.now.to_millis();
        self.state.clock().peek(&self.writer.actor, clock)
    }

    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<Blob>) {
        (self.lines, self.blobs)
    }

    /// Applies an event and adds it to the draft. Returns the event's id.
    ///
    /// # Errors
    /// Returns an error if the state doesn't allow the event. The caller must then drop the whole
    /// draft.
    pub fn emit(&mut self, payload: impl Into<Payload>) -> Result<String, LedgerError> {
        self.emit_caused_by(payload, None)
    }

    /// Emits an event like [`Draft::emit`], caused by the event `cause`.
    ///
    /// If there's no `cause`, an event of a molecule uses the one recorded in the molecule's state.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Draft::emit`].
    pub fn emit_caused_by(
        &mut self,
        payload: impl Into<Payload>,
        cause: Option<&str>,
    ) -> Result<String, LedgerError> {
        let payload = payload.into();
        let secrets = self.writer.secrets;
        let mut data = secrets.apply(payload.event_type(), payload.to_value()?)?;
        // The line only refers to a large output. The caller stores the output itself before it
        // appends the line.
        self.blobs.extend(moved_output(&payload, &mut data)?);
        let timestamp = self.writer.now.to_millis();
        // The timestamp is what the writer's clock shows. The place in the order depends on the
        // log's time instead, so that a wrong clock can't move an event there.
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
        // We could apply the payload, but every reader of the log applies the parsed line. Doing
        // the same keeps our state from ever differing from theirs.
        let verdict = self.state.apply(&EventLine::parse(&line)?);
        if let Verdict::Rejected(rejected) = verdict {
            return Err(LedgerError::Rejected(Box::new(rejected)));
        }
        self.lines.extend(line);
        self.lines.push(b'\n');
        self.last = Some(event.event_id.clone());
        Ok(event.event_id)
    }

    /// Emits an event like [`Draft::emit`], caused by the draft's previous event. For the first
    /// event, we use the cause from the state.
    pub(crate) fn emit_next(&mut self, payload: impl Into<Payload>) -> Result<String, LedgerError> {
        let cause = self.last.clone();
        self.emit_caused_by(payload, cause.as_deref())
    }

    /// Returns a generator for unused ids.
    #[must_use]
    pub fn ids(&self) -> NewIds<'_> {
        NewIds {
            state: self.state,
            writer: self.writer,
        }
    }

    /// Sends a message after filling in its id and sender. Returns the ids of the message and of
    /// its event. The message is in the inbox immediately if the recipient shares this ledger.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Draft::emit`].
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

    /// Rejects the request with `reason`. If another event takes precedence, `won` is its id.
    ///
    /// # Errors
    /// Always returns an error, so that callers can use it as their result.
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

/// If the event has a large output, replaces it in `data` by a reference, and returns the output.
fn moved_output(payload: &Payload, data: &mut Value) -> Result<Option<Blob>, LedgerError> {
    let (Payload::MolStepCompleted(_) | Payload::MolStepFailed(_), Value::Object(fields)) =
        (payload, data)
    else {
        return Ok(None);
    };
    let output = fields.get("output").map(StoredOutput::of_large);
    let moved = output.transpose()?.flatten();
    if let Some(blob) = &moved {
        output_store::check_size(&blob.0)?;
        fields.remove("output");
        fields.insert("stored_output".to_owned(), serde_json::to_value(&blob.0)?);
    }
    Ok(moved)
}

/// Generator of ids that aren't in the state yet.
pub struct NewIds<'a> {
    state: &'a State,
    writer: &'a Writer<'a>,
}

impl NewIds<'_> {
    fn event(&self, event_type: &str, data: &Value) -> String {
        loop {
            let drawn = self.drawn(&[event_type, &data.to_string()], id::LONG_CHARS);
            let id = format!("evt-{drawn}");
            if !self.state.has_seen(&id) {
                return id;
            }
        }
    }

    fn message(&self) -> String {
        format!("msg-{}", self.drawn(&[], id::LONG_CHARS))
    }

    /// Returns an unused id for a molecule.
    #[must_use]
    pub fn molecule(&self) -> String {
        self.free("mol", |id| self.state.molecules.contains(id))
    }

    /// Returns an unused bead id: `{prefix}-` and six letters and digits, or more if the short ones
    /// are taken.
    #[must_use]
    pub fn bead(&self, prefix: &str) -> String {
        self.free(prefix, |id| self.state.beads.contains(id))
    }

    // In a large ledger, many short ids are taken. After every fourth collision, try ids that are
    // one character longer.
    fn free(&self, prefix: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let mut tries = 0;
        loop {
            let id = format!(
                "{prefix}-{}",
                self.drawn(&[prefix], id::SHORT_CHARS + tries / 4)
            );
            if !is_taken(&id) {
                return id;
            }
            tries += 1;
        }
    }

    /// Returns a claim token: the attempt number, which orders the claims, and a random part, which
    /// keeps other actors from guessing the token.
    pub(crate) fn token(&self, attempt: u32) -> String {
        format!("{attempt}-{}", self.drawn(&["token"], id::SHORT_CHARS))
    }

    /// Returns the next child id of `parent`, such as `wl-abc.3`. It's one above the highest number
    /// in use, so gaps aren't filled.
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
