//! What stands inside of several entities: links, people, changes, locks.

use serde_json::Value;

use super::scalars::{Count, DateTime, Month, MonthDay, Name, Positive, Trigger, Uri};
use super::{choice, entity};

entity! {
    /// A link to anything.
    Link {
        required {
            /// Where it leads: `file://./plan.vcontext.json`, `https://…`.
            uri "uri" Resources: Uri;
        }
        optional {
            /// What it says.
            description "description" Resources: String;
            /// What it is: a media type, or `x-vcontext/todoList`, `x-vcontext/plan`, `x-vcontext/playbook`.
            kind "type" Resources: String;
            /// A short label.
            title "title" Resources: String;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
        }
    }
}

choice! {
    /// What a reference leads to.
    ReferenceKind {
        /// Any vContext document.
        Any "x-vcontext",
        /// A TodoList.
        TodoList "x-vcontext/todoList",
        /// A Plan.
        Plan "x-vcontext/plan",
        /// A Playbook.
        Playbook "x-vcontext/playbook",
    }
}

entity! {
    /// A link to another vContext document.
    Reference {
        required {
            /// Where it leads.
            uri "uri" Resources: Uri;
            /// What is there.
            kind "type" Resources: ReferenceKind;
        }
        optional {
            /// What it says.
            description "description" Resources: String;
            /// A short label.
            title "title" Resources: String;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
        }
    }
}

choice! {
    /// What somebody does in an item.
    ParticipantRole {
        /// Answers for it.
        Owner "owner",
        /// Does it.
        Assignee "assignee",
        /// Looks at it.
        Reviewer "reviewer",
        /// Is told of it.
        Observer "observer",
        /// Helps.
        Contributor "contributor",
    }
}

choice! {
    /// Whether somebody takes part.
    ParticipantStatus {
        /// Does.
        Accepted "accepted",
        /// Does not.
        Declined "declined",
        /// Perhaps.
        Tentative "tentative",
        /// Has not said.
        NeedsAction "needsAction",
    }
}

entity! {
    /// Somebody who takes part in an item.
    Participant {
        required {
            /// Who.
            id "id" Participants: Name;
            /// As what.
            role "role" Participants: ParticipantRole;
        }
        optional {
            /// The name.
            name "name" Participants: String;
            /// The address.
            email "email" Participants: String;
            /// Whether they agreed.
            status "status" Participants: ParticipantStatus;
        }
    }
}

entity! {
    /// Where something takes place.
    Location {
        required {}
        optional {
            /// What it is called.
            name "name" Resources: String;
            /// The postal address.
            address "address" Resources: String;
            /// Latitude and longitude, in degrees.
            geo "geo" Resources: Vec<f64>;
            /// A link to it.
            url "url" Resources: String;
        }
    }
}

choice! {
    /// How often something comes again.
    Frequency {
        /// Each day.
        Daily "daily",
        /// Each week.
        Weekly "weekly",
        /// Each month.
        Monthly "monthly",
        /// Each year.
        Yearly "yearly",
    }
}

choice! {
    /// A day of the week.
    Weekday {
        /// Monday.
        Monday "MO",
        /// Tuesday.
        Tuesday "TU",
        /// Wednesday.
        Wednesday "WE",
        /// Thursday.
        Thursday "TH",
        /// Friday.
        Friday "FR",
        /// Saturday.
        Saturday "SA",
        /// Sunday.
        Sunday "SU",
    }
}

entity! {
    /// When something comes again.
    Recurrence {
        required {
            /// How often.
            frequency "frequency" Recurring: Frequency;
        }
        optional {
            /// Every so many of them.
            interval "interval" Recurring: Positive;
            /// Up to then.
            until "until" Recurring: DateTime;
            /// So many times.
            count "count" Recurring: Positive;
            /// On these days of the week.
            by_day "byDay" Recurring: Vec<Weekday>;
            /// In these months.
            by_month "byMonth" Recurring: Vec<Month>;
            /// On these days of the month.
            by_month_day "byMonthDay" Recurring: Vec<MonthDay>;
        }
    }
}

choice! {
    /// How somebody is reminded.
    ReminderAction {
        /// On a screen.
        Display "display",
        /// By mail.
        Email "email",
        /// By a call of a program.
        Webhook "webhook",
        /// By a sound.
        Audio "audio",
    }
}

entity! {
    /// When and how somebody is reminded.
    Reminder {
        required {
            /// How long before (`-PT15M`) or after it.
            trigger "trigger" Recurring: Trigger;
            /// How.
            action "action" Recurring: ReminderAction;
        }
        optional {
            /// What is said.
            description "description" Recurring: String;
        }
    }
}

choice! {
    /// Who may see something.
    Classification {
        /// Everybody.
        Public "public",
        /// Those who work on it.
        Private "private",
        /// Those who have to.
        Confidential "confidential",
    }
}

choice! {
    /// What sort of actor somebody is.
    AgentKind {
        /// A person.
        Human "human",
        /// An AI agent.
        AiAgent "aiAgent",
        /// A program.
        System "system",
    }
}

entity! {
    /// A person or program that works on a document.
    Agent {
        required {
            /// Who.
            id "id" VersionControl: Name;
            /// What sort of actor.
            kind "type" VersionControl: AgentKind;
        }
        optional {
            /// The name.
            name "name" VersionControl: String;
            /// The address.
            email "email" VersionControl: String;
            /// The model of an AI agent.
            model "model" VersionControl: String;
            /// The version of a program.
            version "version" VersionControl: String;
        }
    }
}

choice! {
    /// What a change was.
    ChangeKind {
        /// Something new.
        Create "create",
        /// Something else.
        Update "update",
        /// Something taken away.
        Delete "delete",
        /// A copy was made.
        Fork "fork",
        /// A copy was brought back.
        Merge "merge",
    }
}

entity! {
    /// A change of a document.
    Change {
        required {
            /// The sequence the document had after it.
            sequence "sequence" VersionControl: Count;
            /// When.
            timestamp "timestamp" VersionControl: DateTime;
            /// By whom.
            agent "agent" VersionControl: Agent;
            /// What.
            operation "operation" VersionControl: ChangeKind;
        }
        optional {
            /// Why.
            reason "reason" VersionControl: String;
            /// Where, as a JSONPath.
            path "path" VersionControl: String;
            /// What stood there before.
            old_value "oldValue" VersionControl: Value;
            /// What stands there now.
            new_value "newValue" VersionControl: Value;
            /// What was done, in words.
            description "description" VersionControl: String;
            /// A copy of the document as it was.
            snapshot_uri "snapshotUri" VersionControl: Uri;
            /// Other changes that belong to it.
            related_changes "relatedChanges" VersionControl: Vec<String>;
        }
    }
}
