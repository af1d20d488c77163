use std::collections::BTreeMap;

use windlass_tron::{Object, Value};

/// Up to this many members, we search the object itself instead of building a map.
const MAX_LINEAR: usize = 16;

/// Looks up an object's members by key, which pays off if there are many lookups.
#[derive(Debug)]
pub(crate) struct Index<'v, 'a> {
    object: Option<&'v Object<'a>>,
    many: Option<BTreeMap<&'v str, &'v Value<'a>>>,
}

impl<'v, 'a> Index<'v, 'a> {
    pub(crate) fn of(object: Option<&'v Object<'a>>) -> Self {
        let large = object.filter(|object| object.len() > MAX_LINEAR);
        let many = large.map(|object| {
            let members = object.iter().map(|(key, value)| (key.as_str(), value));
            members.collect()
        });
        Self { object, many }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'v Value<'a>> {
        match &self.many {
            Some(many) => many.get(key).copied(),
            None => self.object?.get(key),
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}
