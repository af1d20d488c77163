use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::forking::{Fork, Lock};
use super::parts::{Agent, Change, Classification, Link, Participant, Recurrence, Reminder};
use super::playbook::Playbook;
use super::scalars::{Count, DateTime, Name, Percent, TimeZone};
use super::{choice, entity};

choice! {
    /// How far an item is.
    ItemStatus {
        /// Not begun.
        Pending "pending",
        /// Begun.
        InProgress "inProgress",
        /// Done.
        Completed "completed",
        /// Something is in its way.
        Blocked "blocked",
        /// It will not be done.
        Cancelled "cancelled",
    }
}

choice! {
    /// How much something matters.
    Priority {
        /// Little.
        Low "low",
        /// As usual.
        Medium "medium",
        /// Much.
        High "high",
        /// More than all else.
        Critical "critical",
    }
}

impl Priority {
    /// As beads and formulas have it: 0 for the highest, to 3.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Critical => 0,
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => 3,
        }
    }

    /// What such a number is; whatever is beyond 3 is low as well.
    #[must_use]
    pub fn of_rank(rank: u8) -> Self {
        match rank {
            0 => Self::Critical,
            1 => Self::High,
            2 => Self::Medium,
            _ => Self::Low,
        }
    }
}

entity! {
    /// Work to be done now or soon.
    TodoList {
        required {
            /// The items.
            items "items" Core: Vec<TodoItem>;
        }
        optional {
            /// What it is called by others.
            id "id" Identifiers: Name;
            /// What it is called everywhere, also in copies.
            uid "uid" VersionControl: Name;
            /// What it is called by people.
            title "title" RichMetadata: String;
            /// What it is about, by titles.
            narrative "narrative" RichMetadata: BTreeMap<String, String>;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
            /// Whatever else is to be said of it.
            metadata "metadata" RichMetadata: Map<String, Value>;
            /// Links.
            uris "uris" Resources: Vec<Link>;
            /// Who made it.
            agent "agent" VersionControl: Agent;
            /// Who changed it last.
            last_modified_by "lastModifiedBy" VersionControl: Agent;
            /// What was changed.
            change_log "changeLog" VersionControl: Vec<Change>;
            /// How often it was changed.
            sequence "sequence" VersionControl: Count;
            /// What it was copied from.
            fork "fork" Forking: Fork;
            /// What was learned.
            playbook "playbook" Playbooks: Playbook;
        }
    }
}

entity! {
    /// One thing to do.
    TodoItem {
        required {
            /// What, in a few words.
            title "title" Core: Name;
            /// How far it is.
            status "status" Core: ItemStatus;
        }
        optional {
            /// What it is called in its list.
            id "id" Identifiers: Name;
            /// What it is called everywhere.
            uid "uid" VersionControl: Name;
            /// What it is about, by titles.
            narrative "narrative" RichMetadata: BTreeMap<String, String>;
            /// How much it matters.
            priority "priority" RichMetadata: Priority;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
            /// Whatever else is to be said of it.
            metadata "metadata" RichMetadata: Map<String, Value>;
            /// When it was made.
            created "created" Timestamps: DateTime;
            /// When it was last changed.
            updated "updated" Timestamps: DateTime;
            /// When it was done.
            completed "completed" Workflow: DateTime;
            /// When it has to be done.
            due_date "dueDate" Workflow: DateTime;
            /// How much of it is done.
            percent_complete "percentComplete" Workflow: Percent;
            /// The time zone that its times are to be shown in.
            timezone "timezone" Workflow: TimeZone;
            /// The items, by `id`, that have to be done before it.
            dependencies "dependencies" Hierarchical: Vec<String>;
            /// Who takes part.
            participants "participants" Participants: Vec<Participant>;
            /// Comments elsewhere.
            related_comments "relatedComments" Participants: Vec<String>;
            /// Links.
            uris "uris" Resources: Vec<Link>;
            /// When it comes again.
            recurrence "recurrence" Recurring: Recurrence;
            /// When somebody is reminded of it.
            reminders "reminders" Recurring: Vec<Reminder>;
            /// Who may see it.
            classification "classification" Security: Classification;
            /// How often it was changed.
            sequence "sequence" VersionControl: Count;
            /// Who changed it last.
            last_modified_by "lastModifiedBy" VersionControl: Agent;
            /// Who works on it.
            locked_by "lockedBy" Forking: Lock;
        }
    }
}
