use std::collections::BTreeMap;

use super::Value;
use crate::text::Text;

/// An object's members in their original order, with unique keys.
#[derive(Default)]
pub struct Object<'a>(Vec<(Text<'a>, Value<'a>)>);

/// Maximum number of members for which we find duplicate keys by comparing all pairs. The keys of
/// larger objects are sorted.
const MAX_LINEAR: usize = 12;

impl<'a> Object<'a> {
    /// Creates an object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates an object from members with keys known to be distinct.
    pub(super) fn of_distinct(members: Vec<(Text<'a>, Value<'a>)>) -> Self {
        Self(members)
    }

    /// Creates an object from members as read. If a key occurs more than once, the object has the
    /// last value at the first position.
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

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of `key`. Takes time in proportion to the number of members.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        let found = self.0.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// Returns the value of `key` for modification.
    #[must_use]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value<'a>> {
        let found = self.0.iter_mut().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// Returns true if the object has a member `key`.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of `key`, returning the previous one. A new key is added at the end.
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

    /// Removes the member `key`, returning its value. The other members keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let at = self.0.iter().position(|(own, _)| own == key)?;
        Some(self.0.remove(at).1)
    }

    /// Retains members for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value<'a>) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// Returns the members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'a>, &Value<'a>)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Returns the members in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Text<'a>, &mut Value<'a>)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Returns the members.
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
