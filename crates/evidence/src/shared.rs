//! Results shared by all judgements in one state of the files: texts and line maps.

use std::sync::Arc;

use windlass_repo::{Bounded, Made, Snapshot, SourceFile};

use crate::line_map::LineMap;
use crate::text::Text;

/// Size of the caches of texts and of comparisons, in lines.
const MAX_LINES: usize = 2_000_000;

/// A value, by its place in memory: it is kept as long as it stands for something here.
type Key = usize;

/// Texts by the files they are of; nothing of a file that has none.
type Texts = Bounded<Key, (Arc<SourceFile>, Option<Arc<Text>>), MAX_LINES>;

/// Line maps of pairs of texts.
type Maps = Bounded<(Key, Key), (Arc<Text>, Arc<Text>, Arc<LineMap>), MAX_LINES>;

/// The text of `source`; `None` where it is not one to compare.
pub(crate) fn text_of(snapshot: &Snapshot, source: &Arc<SourceFile>) -> Option<Arc<Text>> {
    let key = Arc::as_ptr(source) as Key;
    let (_, text) = snapshot.kept::<Texts>().get_or_make(&key, || {
        let text = Text::new(Arc::clone(source)).map(Arc::new);
        let size = text.as_ref().map_or(1, |text| text.len());
        Made::Sized((Arc::clone(source), text), size)
    });
    text
}

/// Line map from `old` to `new`.
pub(crate) fn map_between(snapshot: &Snapshot, old: &Arc<Text>, new: &Arc<Text>) -> Arc<LineMap> {
    let key = (Arc::as_ptr(old) as Key, Arc::as_ptr(new) as Key);
    let (.., map) = snapshot.kept::<Maps>().get_or_make(&key, || {
        let map = Arc::new(LineMap::between(old, new));
        Made::Sized(
            (Arc::clone(old), Arc::clone(new), map),
            old.len() + new.len(),
        )
    });
    map
}
