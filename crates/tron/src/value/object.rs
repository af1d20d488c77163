use std::collections::BTreeMap;

use super::Value;
use crate::text::Text;

/// The members of an object, in order, each key once.
#[derive(Default)]
pub struct Object<'a>(Vec<(Text<'a>, Value<'a>)>);

/// Up to this many members are compared one by one.
const FEW: usize = 12;

impl<'a> Object<'a> {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// An object of members that have different keys.
    pub(super) fn of_distinct(members: Vec<(Text<'a>, Value<'a>)>) -> Self {
        Self(members)
    }

    /// An object of members as they were read: of those with the same key the last counts, at the place of the first.
    pub(super) fn of_read(mut members: Vec<(Text<'a>, Value<'a>)>) -> Self {
        let has_twice = if members.len() <= FEW {
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

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What `key` stands for; looks at one member after the other.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        let found = self.0.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// What `key` stands for, to be changed.
    #[must_use]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value<'a>> {
        let found = self.0.iter_mut().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// Whether there is a member `key`.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Puts `value` in the place of what `key` stood for, which is given back, or at the end.
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

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let at = self.0.iter().position(|(own, _)| own == key)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps the members for which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value<'a>) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'a>, &Value<'a>)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The members in order, their values to be changed.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Text<'a>, &mut Value<'a>)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The members alone.
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
