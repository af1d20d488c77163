//! What is worked out once for all judgements in one state of the files: texts, and what became of which line.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_repo::{Snapshot, SourceFile};

use crate::line_map::LineMap;
use crate::text::Text;

/// How much of texts is kept, in lines. Beyond that all are let go, and read anew where they are wanted again.
const MAX_LINES: usize = 4_000_000;

/// A file, by its place in memory: it is kept as long as it stands for something here.
type Key = usize;

/// A file, and its text if it has one.
type KeptText = (Arc<SourceFile>, Option<Arc<Text>>);

/// Two texts, and which lines of one became which of the other.
type KeptMap = (Arc<Text>, Arc<Text>, Arc<LineMap>);

#[derive(Default)]
struct Texts(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    texts: BTreeMap<Key, KeptText>,
    maps: BTreeMap<(Key, Key), KeptMap>,
    lines: usize,
}

impl Kept {
    fn make_room(&mut self, lines: usize) {
        if self.lines + lines > MAX_LINES {
            *self = Self::default();
        }
        self.lines += lines;
    }
}

/// The text of `source`; `None` where it is not one to compare.
pub(crate) fn text_of(snapshot: &Snapshot, source: Arc<SourceFile>) -> Option<Arc<Text>> {
    let kept = snapshot.kept::<Texts>();
    let key = Arc::as_ptr(&source) as Key;
    if let Some((_, text)) = lock(&kept.0).texts.get(&key) {
        return text.clone();
    }
    let text = Text::new(Arc::clone(&source)).map(Arc::new);
    let mut kept = lock(&kept.0);
    kept.make_room(text.as_ref().map_or(1, |text| text.len()));
    kept.texts.insert(key, (source, text.clone()));
    text
}

/// Which lines of `old` became which of `new`.
pub(crate) fn map_between(snapshot: &Snapshot, old: &Arc<Text>, new: &Arc<Text>) -> Arc<LineMap> {
    let kept = snapshot.kept::<Texts>();
    let key = (Arc::as_ptr(old) as Key, Arc::as_ptr(new) as Key);
    if let Some((.., map)) = lock(&kept.0).maps.get(&key) {
        return Arc::clone(map);
    }
    let map = Arc::new(LineMap::between(old, new));
    let mut kept = lock(&kept.0);
    kept.make_room(old.len() + new.len());
    let entry = (Arc::clone(old), Arc::clone(new), Arc::clone(&map));
    kept.maps.insert(key, entry);
    map
}

/// A thread that panicked holding the lock left whole entries behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
