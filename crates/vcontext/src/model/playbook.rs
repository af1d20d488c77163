use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::scalars::{Confidence, Count, DateTime, Name};
use super::{choice, entity};

choice! {
    /// What an event does to its entry.
    Operation {
        /// It is the first; the same as `append`.
        Initial "initial",
        /// It is the first.
        Append "append",
        /// It changes what the entry says.
        Update "update",
        /// The entry is no longer to be followed.
        Deprecate "deprecate",
    }
}

choice! {
    /// What an entry is.
    ItemKind {
        /// A way that works.
        Strategy "strategy",
        /// What was learned.
        Learning "learning",
        /// What has to be done.
        Rule "rule",
        /// What must not be done.
        Warning "warning",
        /// Anything else.
        Note "note",
    }
}

choice! {
    /// Whether an entry is to be followed.
    PlaybookStatus {
        /// It is.
        Active "active",
        /// It no longer is.
        Deprecated "deprecated",
        /// It is kept, but not to be followed.
        Quarantined "quarantined",
    }
}

choice! {
    /// Where feedback is from.
    FeedbackType {
        /// A person looked at it.
        HumanReview "humanReview",
        /// It was tried.
        ExecutionOutcome "executionOutcome",
        /// The agent says so itself, which counts for little.
        SelfReport "selfReport",
        /// It is not known.
        Unknown "unknown",
    }
}

entity! {
    /// What was learned over time: a log of events that only grows.
    Playbook {
        required {
            /// Grows with each change.
            version "version" Core: Count;
            /// When it was made.
            created "created" Core: DateTime;
            /// When it was last changed.
            updated "updated" Core: DateTime;
            /// The events. None is ever changed or taken out.
            items "items" Core: Vec<PlaybookItem>;
        }
        optional {
            /// What can be counted.
            metrics "metrics" Core: Metrics;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
            /// Whatever else is to be said of it.
            metadata "metadata" RichMetadata: Map<String, Value>;
        }
    }
}

entity! {
    /// An event: one entry begins, changes, or ends.
    PlaybookItem {
        required {
            /// What the event is called.
            event_id "eventId" Core: Name;
            /// The entry it is about.
            target_id "targetId" Core: Name;
            /// What it does to the entry.
            operation "operation" Core: Operation;
            /// When.
            created_at "createdAt" Core: DateTime;
        }
        optional {
            /// The event of the same entry before it. An `update` and a `deprecate` must have one, others must not.
            prev_event_id "prevEventId" Core: Name;
            /// What the entry is. An `initial` and an `append` must say so.
            kind "kind" Core: ItemKind;
            /// A short label.
            title "title" Core: String;
            /// What the entry says, by titles. An `initial` and an `append` must say something.
            narrative "narrative" Core: BTreeMap<String, String>;
            /// Labels to find it by.
            tags "tags" Core: Vec<String>;
            /// What supports it: incidents, changes, documents.
            evidence "evidence" Core: Vec<String>;
            /// How sure it is.
            confidence "confidence" Core: Confidence;
            /// What is added to the counts of feedback.
            delta "delta" Core: Delta;
            /// Where the feedback is from.
            feedback_type "feedbackType" Core: FeedbackType;
            /// Whether the entry is to be followed.
            status "status" Core: PlaybookStatus;
            /// Why it no longer is.
            deprecated_reason "deprecatedReason" Core: String;
            /// The entries it replaces.
            supersedes "supersedes" Core: Vec<String>;
            /// The entry that replaces it.
            superseded_by "supersededBy" Core: String;
            /// The entry that says the same.
            duplicate_of "duplicateOf" Core: String;
            /// Why there is this event.
            reason "reason" Core: String;
            /// Whatever else is to be said of it.
            metadata "metadata" Core: Map<String, Value>;
        }
    }
}

entity! {
    /// What an event adds to counts. Sums do not depend on the order of events.
    (closed) Delta {
        required {}
        optional {
            /// How often it helped.
            helpful_count "helpfulCount" Core: i64;
            /// How often it did harm.
            harmful_count "harmfulCount" Core: i64;
        }
    }
}

entity! {
    /// What can be counted in a playbook.
    Metrics {
        required {
            /// How many entries there are.
            total_entries "totalEntries" Core: Count;
        }
        optional {
            /// How sure they are on average.
            average_confidence "averageConfidence" Core: Confidence;
            /// When the last event was.
            last_updated "lastUpdated" Core: DateTime;
        }
    }
}
