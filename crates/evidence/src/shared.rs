//! Caches of texts and line maps. All judgements in one state of the files share them.

use std::sync::Arc;

use windlass_repo::{Bounded, Made, Snapshot, SourceFile};

use crate::line_map::LineMap;
use crate::text::Text;

/// Maximum size of each cache, in lines.
const MAX_LINES: usize = 2_000_000;

/// Key of a cached value, which is an address in memory. The cache also holds the object at the address, so that the
/// address is not used again.
type Key = usize;

/// Texts by source file. `None` for a file that cannot be compared.
type Texts = Bounded<Key, (Arc<SourceFile>, Option<Arc<Text>>), MAX_LINES>;

/// Line maps, by pair of texts.
type Maps = Bounded<(Key, Key), (Arc<Text>, Arc<Text>, Arc<LineMap>), MAX_LINES>;

/// Returns the text of `source`. Returns `None` if the file cannot be compared.
pub(crate) fn text_of(snapshot: &Snapshot, source: &Arc<SourceFile>) -> Option<Arc<Text>> {
    let key = Arc::as_ptr(source) as Key;
    let (_, text) = snapshot.kept::<Texts>().get_or_make(&key, || {
        let text = Text::new(Arc::clone(source)).map(Arc::new);
        let size = text.as_ref().map_or(1, |text| text.len());
        Made::Sized((Arc::clone(source), text), size)
    });
    text
}

/// Returns the line map from `old` to `new`.
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
