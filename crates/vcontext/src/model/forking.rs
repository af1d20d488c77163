//! Copies that are worked on side by side, their conflicts, and locks.

use serde_json::Value;

use super::parts::Agent;
use super::scalars::{Count, DateTime, Name};
use super::{choice, entity};

choice! {
    /// What became of a fork.
    MergeStatus {
        /// Nothing yet.
        Unmerged "unmerged",
        /// It is to be merged.
        MergePending "mergePending",
        /// It is.
        Merged "merged",
        /// It cannot be, as it stands.
        Conflict "conflict",
    }
}

choice! {
    /// How conflicts are decided.
    MergeStrategy {
        /// The parent counts.
        Ours "ours",
        /// The fork counts.
        Theirs "theirs",
        /// By hand.
        Manual "manual",
        /// By what both come from.
        ThreeWayMerge "threeWayMerge",
    }
}

choice! {
    /// What became of a conflict.
    ConflictStatus {
        /// Nothing.
        Unresolved "unresolved",
        /// It is decided.
        Resolved "resolved",
        /// It is left for later.
        Deferred "deferred",
    }
}

entity! {
    /// A place that both sides of a fork changed.
    Conflict {
        required {
            /// Where, as a JSONPath.
            path "path" Forking: Name;
            /// What became of it.
            status "status" Forking: ConflictStatus;
        }
        optional {
            /// What both come from.
            base_value "baseValue" Forking: Value;
            /// What the parent has.
            ours_value "oursValue" Forking: Value;
            /// What the fork has.
            theirs_value "theirsValue" Forking: Value;
            /// What it was decided to be.
            resolution "resolution" Forking: Value;
        }
    }
}

entity! {
    /// How the conflicts of a fork are decided.
    ConflictResolution {
        required {
            /// How.
            strategy "strategy" Forking: MergeStrategy;
        }
        optional {
            /// Which there are.
            conflicts "conflicts" Forking: Vec<Conflict>;
            /// By whom.
            resolved_by "resolvedBy" Forking: Agent;
            /// When.
            resolved_at "resolvedAt" Forking: DateTime;
        }
    }
}

entity! {
    /// What a copy was made from.
    Fork {
        required {
            /// The `uid` of the parent.
            parent_uid "parentUid" Forking: Name;
            /// The sequence of the parent then.
            parent_sequence "parentSequence" Forking: Count;
            /// When.
            forked_at "forkedAt" Forking: DateTime;
        }
        optional {
            /// Why.
            fork_reason "forkReason" Forking: String;
            /// What became of it.
            merge_status "mergeStatus" Forking: MergeStatus;
            /// When it was merged.
            merged_at "mergedAt" Forking: DateTime;
            /// By whom.
            merged_by "mergedBy" Forking: Agent;
            /// How its conflicts were decided.
            conflict_resolution "conflictResolution" Forking: ConflictResolution;
        }
    }
}

choice! {
    /// How binding a lock is.
    LockKind {
        /// Others are asked to wait.
        Soft "soft",
        /// Others have to wait.
        Hard "hard",
    }
}

entity! {
    /// Somebody works on an item.
    Lock {
        required {
            /// Who.
            agent "agent" Forking: Agent;
            /// Since when.
            acquired_at "acquiredAt" Forking: DateTime;
            /// How binding it is.
            kind "type" Forking: LockKind;
        }
        optional {
            /// Until when.
            expires_at "expiresAt" Forking: DateTime;
        }
    }
}
