use serde_json::{Map, Value};

use super::entity;
use super::scalars::{DateTime, TimeZone};

entity! {
    /// What is said of a document as a whole.
    VContextInfo {
        required {
            /// The version of the specification: `0.4`.
            version "version" Core: String;
        }
        optional {
            /// Who made the document.
            author "author" Core: String;
            /// What it is about.
            description "description" Core: String;
            /// Whatever else is to be said of it; `extensions` lists the extensions it uses.
            metadata "metadata" Core: Map<String, Value>;
            /// When it was made.
            created "created" Timestamps: DateTime;
            /// When it was last changed.
            updated "updated" Timestamps: DateTime;
            /// The time zone that times are to be shown in.
            timezone "timezone" Timestamps: TimeZone;
        }
    }
}
