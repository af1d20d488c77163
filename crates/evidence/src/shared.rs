//! Caches of texts and line maps, shared by all judgments of one state of the files.

use std::sync::Arc;

use windlass_repo::{Bounded, Made, Snapshot, SourceFile};

use crate::line_map::LineMap;
use crate::params::MAX_CACHED_LINES;
use crate::text::Text;

/// Address of an object in memory.
///
/// The cache holds on to the object, so that the address cannot be reused for another.
type Key = usize;

/// Prepared files. `None` for a file that cannot be compared.
type Texts = Bounded<Key, (Arc<SourceFile>, Option<Arc<Text>>), MAX_CACHED_LINES>;

/// Line maps, by their old and new text.
type Maps = Bounded<(Key, Key), (Arc<Text>, Arc<Text>, Arc<LineMap>), MAX_CACHED_LINES>;

/// Returns `source` prepared for comparison, or `None` if the file cannot be compared.
pub(crate) fn text_of(snapshot: &Snapshot, source: &Arc<SourceFile>) -> Option<Arc<Text>> {
    let key = Arc::as_ptr(source) as Key;
    let (_, text) = snapshot.kept::<Texts>().get_or_make(&key, || {
        let text = Text::new(Arc::clone(source)).map(Arc::new);
        let size = text.as_ref().map_or(1, |text| text.len());
        Made::Sized((Arc::clone(source), text), size)
    });
    text
}

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
