//! Texts and numbers that the specification says more about.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Kind;
use crate::shape::Kinded;

macro_rules! texts {
    ($($(#[doc = $doc:literal])+ $name:ident $kind:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl Kinded for $name {
            const KIND: Kind = $kind;
        }
    )+};
}

texts! {
    /// A text that is not empty.
    Name Kind::Name;
    /// A time with an offset, as it is written.
    DateTime Kind::DateTime;
    /// The name of a time zone.
    TimeZone Kind::TimeZone;
    /// A URI.
    Uri Kind::Uri;
    /// A duration before (`-PT15M`) or after something.
    Trigger Kind::Duration;
}

macro_rules! numbers {
    ($($(#[doc = $doc:literal])+ $name:ident($number:ty) $kind:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $number);

        impl Kinded for $name {
            const KIND: Kind = $kind;
        }
    )+};
}

numbers! {
    /// How much of something is done, from 0 to 100.
    Percent(f64) Kind::Number { min: 0.0, max: 100.0 };
    /// How sure somebody is, from 0 to 1.
    Confidence(f64) Kind::Number { min: 0.0, max: 1.0 };
    /// A number of things, or of a revision.
    Count(u64) Kind::Whole { min: 0, max: i64::MAX };
    /// A number of things, at least one.
    Positive(u64) Kind::Whole { min: 1, max: i64::MAX };
    /// A month of the year.
    Month(u8) Kind::Whole { min: 1, max: 12 };
    /// A day of the month.
    MonthDay(u8) Kind::Whole { min: 1, max: 31 };
}

impl DateTime {
    /// The moment it means, if it is one.
    #[must_use]
    pub fn moment(&self) -> Option<jiff::Timestamp> {
        crate::time::moment(&self.0)
    }
}

impl Kinded for String {
    const KIND: Kind = Kind::Text;
}

impl Kinded for f64 {
    const KIND: Kind = Kind::Number {
        min: f64::MIN,
        max: f64::MAX,
    };
}

impl Kinded for i64 {
    const KIND: Kind = Kind::Whole {
        min: i64::MIN,
        max: i64::MAX,
    };
}

impl Kinded for Value {
    const KIND: Kind = Kind::Any;
}

impl Kinded for Map<String, Value> {
    const KIND: Kind = Kind::Open;
}

impl Kinded for BTreeMap<String, String> {
    const KIND: Kind = Kind::Texts;
}

impl<T: Kinded> Kinded for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND);
}

impl<T: Kinded> Kinded for Box<T> {
    const KIND: Kind = T::KIND;
}
