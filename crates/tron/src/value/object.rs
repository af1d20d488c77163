use std::collections::BTreeMap;

use super::Value;
use crate::text::Text;

/// The members of an object, in the order of the text. Keys are unique.
///
/// Look-ups are linear, since most objects are small. If you need many of them in a large object,
/// build a map from [`Object::iter`].
#[derive(Default)]
pub struct Object<'a>(Vec<(Text<'a>, Value<'a>)>);

/// Maximum number of members up to which we find duplicate keys by comparing all pairs. Beyond
/// that, sorting is faster.
const MAX_LINEAR: usize = 12;

impl<'a> Object<'a> {
    /// Creates an object without any members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates an object from members whose keys are known to be distinct, e.g. because they come
    /// from a class.
    pub(super) fn of_distinct(members: Vec<(Text<'a>, Value<'a>)>) -> Self {
        Self(members)
    }

    /// Creates an object from members whose keys may have duplicates. The last value for a key
    /// wins, but it takes the position of the first.
    pub(super) fn of_read(mut members: Vec<(Text<'a>, Value<'a>)>) -> Self {
        let has_twice = if members.len() <= MAX_LINEAR {
            let each = members.iter().enumerate();
            each.skip(1)
                .any(|(at, (key, _))| members[..at].iter().any(|(before, _)| before == key))
        } else {
            let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
            keys.sort_unstable();
            keys.windows(2).any(|pair| pair[0] == pair[1])
        };
        // Duplicates are rare, so we only sort them out if there are any.
        if !has_twice {
            return Self(members);
        }
        let mut places = BTreeMap::new();
        let mut kept: Vec<(Text<'a>, Value<'a>)> = Vec::with_capacity(members.len());
        for (key, value) in members.drain(..) {
            let place = *places.entry(key.clone()).or_insert(kept.len());
            match kept.get_mut(place) {
                Some(member) => member.1 = value,
                None => kept.push((key, value)),
            }
        }
        Self(kept)
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true for an object without members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a member, found by linear search.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        let found = self.0.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// Like [`get`](Self::get), but mutable.
    #[must_use]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value<'a>> {
        let found = self.0.iter_mut().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// Returns true if there is a member `key`, even if its value is `null`.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a member, and returns the old one. If the key is new, the member is added
    /// at the end.
    pub fn insert(
        &mut self,
        key: impl Into<Text<'a>>,
        value: impl Into<Value<'a>>,
    ) -> Option<Value<'a>> {
        let (key, value) = (key.into(), value.into());
        if let Some(own) = self.get_mut(&key) {
            return Some(std::mem::replace(own, value));
        }
        self.0.push((key, value));
        None
    }

    /// Removes a member and returns its value. The other members keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let at = self.0.iter().position(|(own, _)| own == key)?;
        Some(self.0.remove(at).1)
    }

    /// Removes all members except those for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value<'a>) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// Iterates over the members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'a>, &Value<'a>)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Like [`iter`](Self::iter), but with mutable values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Text<'a>, &mut Value<'a>)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Takes the members out of the object, in order.
    #[must_use]
    pub fn into_members(mut self) -> Vec<(Text<'a>, Value<'a>)> {
        std::mem::take(&mut self.0)
    }

    pub(super) fn members(&self) -> &[(Text<'a>, Value<'a>)] {
        &self.0
    }

    pub(super) fn take(&mut self) -> Vec<(Text<'a>, Value<'a>)> {
        std::mem::take(&mut self.0)
    }
}

impl<'a, K: Into<Text<'a>>, V: Into<Value<'a>>> FromIterator<(K, V)> for Object<'a> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let members = members.into_iter();
        Self::of_read(
            members
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}
