//! Cache of verdicts on texts that are not at their captured location.
//!
//! Such a verdict is expensive, and a run needs it several times: for the step, the pack and the
//! output. Each is therefore computed only once. With a store ([`EvidenceStore`]), most verdicts
//! also remain valid in the next run.

mod kept;
mod looked;
mod state;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_base::{Capture, Digest, Judgement, Pointer, lock};
use windlass_repo::{Lacking, Snapshot};

use crate::evidence_store::EvidenceStore;
use crate::replay::Replays;
use kept::{Document, Kept, Known, store_key};
use looked::Grounds;
pub(crate) use looked::Looked;
use state::State;

/// Verdicts on one state of the files. `given` has those that this run has asked for.
#[derive(Default)]
pub(crate) struct Verdicts {
    given: Mutex<BTreeMap<Digest, Judgement>>,
    store: OnceLock<Arc<dyn EvidenceStore>>,
    session: OnceLock<Option<Session>>,
}

/// Stored verdicts, and new ones that will be stored when the snapshot is dropped.
struct Session {
    key: String,
    state: State,
    known: Option<Known>,
    new: Mutex<BTreeMap<Digest, Kept>>,
    lacking: Arc<Lacking>,
}

/// Returns the verdict on `pointer`, which `judge` computes if it is not known.
///
/// `judge` has to send its queries to the handle that it receives, so that they can be recorded as
/// grounds. A snapshot that lists all its queries gets no known verdicts, because the list would
/// then be incomplete.
pub(crate) fn verdict(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: Option<&Capture>,
    judge: impl FnOnce(&Snapshot, &Looked) -> Judgement,
) -> Judgement {
    let verdicts = snapshot.kept::<Verdicts>();
    let Ok(key) = Digest::of_json(&(pointer, capture)) else {
        return judge(snapshot, &Looked::default());
    };
    let judgement = match snapshot.keeps_a_list() {
        true => judge(snapshot, &Looked::default()),
        false => match verdicts.known(&key, snapshot) {
            Some(known) => return known,
            None => verdicts.judged(key, snapshot, judge),
        },
    };
    lock(&verdicts.given).insert(key, judgement.clone());
    judgement
}

impl Verdicts {
    pub(crate) fn use_store(&self, store: Arc<dyn EvidenceStore>) {
        // A store that is already set stays, because a snapshot has only one caller.
        let _ = self.store.set(store);
    }

    fn known(&self, key: &Digest, snapshot: &Snapshot) -> Option<Judgement> {
        if let Some(given) = lock(&self.given).get(key) {
            return Some(given.clone());
        }
        let known = self.session(snapshot)?.known.as_ref()?;
        let judgement = known.get(key, snapshot)?.clone();
        lock(&self.given).insert(*key, judgement.clone());
        Some(judgement)
    }

    /// Computes a verdict, and records the grounds that keep it valid.
    fn judged(
        &self,
        key: Digest,
        snapshot: &Snapshot,
        judge: impl FnOnce(&Snapshot, &Looked) -> Judgement,
    ) -> Judgement {
        let looked = Looked::default();
        let Some(session) = self.session(snapshot) else {
            return judge(snapshot, &looked);
        };
        let own = snapshot.recorded();
        let judgement = judge(&own, &looked);
        if let Some(grounds) = Grounds::of(&own, snapshot, looked, &session.state.survey) {
            let kept = Kept {
                judgement: judgement.clone(),
                grounds,
                idle: 0,
            };
            lock(&session.new).insert(key, kept);
        }
        judgement
    }

    fn session(&self, snapshot: &Snapshot) -> Option<&Session> {
        let store = self.store.get()?;
        let session = self.session.get_or_init(|| Session::of(snapshot, &**store));
        session.as_ref()
    }
}

impl Session {
    /// Starts a session with the state of `snapshot`. The stored verdicts are read while git runs.
    fn of(snapshot: &Snapshot, store: &dyn EvidenceStore) -> Option<Self> {
        let key = store_key(snapshot.repo().root());
        std::thread::scope(|scope| {
            let before = scope.spawn(|| Document::read(&store.get(&key)?));
            let state = State::of(snapshot)?;
            let before = before
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if before
                .as_ref()
                .is_some_and(|before| before.is_of_another_commit(&state))
            {
                // Another commit means that lines will have to be followed, so we load the tracks
                // meanwhile.
                scope.spawn(|| snapshot.kept::<Replays>().read_ahead(snapshot));
            }
            let known = before.and_then(|before| Known::of(before, &state, snapshot));
            Some((state, known))
        })
        .map(|(state, known)| Self {
            key,
            state,
            known,
            new: Mutex::default(),
            lacking: snapshot.kept::<Lacking>(),
        })
    }
}

impl Drop for Verdicts {
    fn drop(&mut self) {
        let (Some(store), Some(Some(session))) = (self.store.get(), self.session.take()) else {
            return;
        };
        let new = session.new.into_inner();
        let new = new.unwrap_or_else(PoisonError::into_inner);
        let is_stored = session.known.as_ref().is_some_and(Known::is_current);
        let lacking = session.lacking.contents();
        // If no file has changed and there's no new verdict, the stored document is still right.
        let Some(lacking) = lacking.filter(|_| !(new.is_empty() && is_stored)) else {
            return;
        };
        let given = lock(&self.given);
        let known = session.known.as_ref();
        let mut all = known.map_or_else(BTreeMap::new, |known| known.still(&given));
        all.extend(new);
        let document = Document::new(session.state, lacking, all);
        if let Ok(bytes) = serde_json::to_vec(&document) {
            store.put(&session.key, &bytes);
        }
    }
}
