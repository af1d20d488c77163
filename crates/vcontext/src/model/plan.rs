use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::forking::{Fork, Lock};
use super::parts::{
    Agent, Change, Classification, Link, Location, Participant, Reference, Reminder,
};
use super::playbook::Playbook;
use super::scalars::{Count, DateTime, Name, Percent, TimeZone};
use super::todo::{ItemStatus, TodoList};
use super::{choice, entity};

choice! {
    /// How far a plan is.
    PlanStatus {
        /// It is being written.
        Draft "draft",
        /// Others are asked.
        Proposed "proposed",
        /// Others agreed.
        Approved "approved",
        /// It is being carried out.
        InProgress "inProgress",
        /// It was.
        Completed "completed",
        /// It will not be.
        Cancelled "cancelled",
    }
}

entity! {
    /// How to go about something, and why.
    Plan {
        required {
            /// What it is called by people.
            title "title" Core: Name;
            /// How far it is.
            status "status" Core: PlanStatus;
            /// What is proposed, and whatever else is to be said of it.
            narratives "narratives" Core: Narratives;
        }
        optional {
            /// The stages, in order.
            items "items" Core: Vec<PlanItem>;
            /// What it is called by others.
            id "id" Identifiers: Name;
            /// What it is called everywhere, also in copies.
            uid "uid" VersionControl: Name;
            /// Who wrote it.
            author "author" RichMetadata: String;
            /// Who is asked.
            reviewers "reviewers" RichMetadata: Vec<String>;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
            /// Whatever else is to be said of it.
            metadata "metadata" RichMetadata: Map<String, Value>;
            /// Links.
            uris "uris" Resources: Vec<Link>;
            /// Links to vContext documents.
            references "references" Resources: Vec<Reference>;
            /// When it was made.
            created "created" Timestamps: DateTime;
            /// When it was last changed.
            updated "updated" Timestamps: DateTime;
            /// The time zone that its times are to be shown in.
            timezone "timezone" Timestamps: TimeZone;
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
    /// What is said of a plan. Others than these are allowed.
    Narratives {
        required {
            /// What is proposed.
            proposal "proposal" Core: Name;
        }
        optional {
            /// A summary.
            overview "overview" RichMetadata: String;
            /// What there is today.
            background "background" RichMetadata: String;
            /// What needs fixing.
            problem "problem" RichMetadata: String;
            /// What has to hold.
            constraint "constraint" RichMetadata: String;
            /// What is assumed, and can be tested.
            hypothesis "hypothesis" RichMetadata: String;
            /// What else was thought of.
            alternative "alternative" RichMetadata: String;
            /// What may go wrong.
            risk "risk" RichMetadata: String;
            /// How it will be validated.
            test "test" RichMetadata: String;
            /// How it will be carried out.
            action "action" RichMetadata: String;
            /// What was seen while doing so.
            observation "observation" RichMetadata: String;
            /// What came of it.
            result "result" RichMetadata: String;
            /// What was learned about the work itself.
            reflection "reflection" RichMetadata: String;
            /// Whatever else.
            custom "custom" RichMetadata: Vec<String>;
        }
    }
}

entity! {
    /// A stage of a plan.
    PlanItem {
        required {
            /// What it is called by people.
            title "title" Core: Name;
            /// How far it is.
            status "status" Core: ItemStatus;
        }
        optional {
            /// What it is called in its plan.
            id "id" Identifiers: Name;
            /// What it is called everywhere.
            uid "uid" VersionControl: Name;
            /// What it is about, by titles.
            narrative "narrative" RichMetadata: BTreeMap<String, String>;
            /// Labels to find it by.
            tags "tags" RichMetadata: Vec<String>;
            /// Whatever else is to be said of it.
            metadata "metadata" RichMetadata: Map<String, Value>;
            /// When it was made.
            created "created" Timestamps: DateTime;
            /// When it was last changed.
            updated "updated" Timestamps: DateTime;
            /// The items, by `id`, that have to be done before it.
            dependencies "dependencies" Hierarchical: Vec<String>;
            /// The stages it consists of.
            sub_items "subItems" Hierarchical: Vec<PlanItem>;
            /// What there is to do in it.
            todo_list "todoList" Hierarchical: Box<TodoList>;
            /// Who takes part.
            participants "participants" Participants: Vec<Participant>;
            /// Where it takes place.
            location "location" Resources: Location;
            /// Links.
            uris "uris" Resources: Vec<Link>;
            /// When somebody is reminded of it.
            reminders "reminders" Recurring: Vec<Reminder>;
            /// Who may see it.
            classification "classification" Security: Classification;
            /// When it begins.
            start_date "startDate" Workflow: DateTime;
            /// When it ends.
            end_date "endDate" Workflow: DateTime;
            /// How much of it is done.
            percent_complete "percentComplete" Workflow: Percent;
            /// The time zone that its times are to be shown in.
            timezone "timezone" Workflow: TimeZone;
            /// How often it was changed.
            sequence "sequence" VersionControl: Count;
            /// Who changed it last.
            last_modified_by "lastModifiedBy" VersionControl: Agent;
            /// Who works on it.
            locked_by "lockedBy" Forking: Lock;
        }
    }
}
