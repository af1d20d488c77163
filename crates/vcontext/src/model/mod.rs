//! The entities of the specification as types.
//!
//! Each entity is written down once, with the macro [`entity`]: that gives the type, and the table of its fields
//! ([`Shape`]) that checks and JSON Schemas are made from.

mod forking;
mod info;
mod parts;
mod plan;
mod playbook;
mod scalars;
mod todo;

pub use forking::{
    Conflict, ConflictResolution, ConflictStatus, Fork, Lock, LockKind, MergeStatus, MergeStrategy,
};
pub use info::VContextInfo;
pub use parts::{
    Agent, AgentKind, Change, ChangeKind, Classification, Frequency, Link, Location, Participant,
    ParticipantRole, ParticipantStatus, Recurrence, Reference, ReferenceKind, Reminder,
    ReminderAction, Weekday,
};
pub use plan::{Narratives, Plan, PlanItem, PlanStatus};
pub use playbook::{
    Delta, FeedbackType, ItemKind, Metrics, Operation, Playbook, PlaybookItem, PlaybookStatus,
};
pub use scalars::{
    Confidence, Count, DateTime, Month, MonthDay, Name, Percent, Positive, TimeZone, Trigger, Uri,
};
pub use todo::{ItemStatus, Priority, TodoItem, TodoList};

/// An entity: a type for serde, and its table.
macro_rules! entity {
    (
        $(#[doc = $doc:literal])+
        $(($closed:ident))? $name:ident {
            required { $( $(#[doc = $rdoc:literal])+ $rfield:ident $rjson:literal $rext:ident: $rtype:ty; )* }
            optional { $( $(#[doc = $odoc:literal])+ $ofield:ident $ojson:literal $oext:ident: $otype:ty; )* }
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $( $(#[doc = $rdoc])+ #[serde(rename = $rjson)] pub $rfield: $rtype, )*
            $(
                $(#[doc = $odoc])+
                #[serde(rename = $ojson, default, skip_serializing_if = "Option::is_none")]
                pub $ofield: Option<$otype>,
            )*
            /// What the specification does not know.
            #[serde(flatten)]
            pub other: serde_json::Map<String, serde_json::Value>,
        }

        impl $name {
            /// What the specification says of it.
            #[must_use]
            pub fn shape() -> &'static $crate::Shape {
                static SHAPE: $crate::Shape = $crate::Shape {
                    name: stringify!($name),
                    about: concat!($($doc, "\n"),+),
                    fields: &[
                        $( $crate::Field {
                            name: $rjson,
                            about: concat!($($rdoc, "\n"),+),
                            is_required: true,
                            extension: $crate::Extension::$rext,
                            kind: <$rtype as $crate::shape::Kinded>::KIND,
                        }, )*
                        $( $crate::Field {
                            name: $ojson,
                            about: concat!($($odoc, "\n"),+),
                            is_required: false,
                            extension: $crate::Extension::$oext,
                            kind: <$otype as $crate::shape::Kinded>::KIND,
                        }, )*
                    ],
                    is_closed: false $(|| stringify!($closed).len() > 0)?,
                };
                &SHAPE
            }
        }

        impl $crate::shape::Kinded for $name {
            const KIND: $crate::Kind = $crate::Kind::Entity($name::shape);
        }
    };
}

/// One of some words.
macro_rules! choice {
    ($(#[doc = $doc:literal])+ $name:ident { $( $(#[doc = $vdoc:literal])+ $variant:ident $word:literal, )+ }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $( $(#[doc = $vdoc])+ #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            /// The words, in the order of the specification.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }

            /// What `word` says.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )+ _ => None }
            }
        }

        impl $crate::shape::Kinded for $name {
            const KIND: $crate::Kind = $crate::Kind::Choice(Self::WORDS);
        }
    };
}

pub(crate) use {choice, entity};
