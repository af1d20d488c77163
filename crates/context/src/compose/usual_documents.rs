//! Documents that many repositories have, and that we include without being asked.

use windlass_packs::context::Priority;

/// Lower-case stem, priority and role of each.
pub(super) const USUAL: [(&str, Priority, &str); 7] = [
    ("plan", Priority::High, "it is the plan"),
    (
        "acceptance",
        Priority::High,
        "it states the acceptance criteria",
    ),
    (
        "architecture",
        Priority::High,
        "it describes the architecture",
    ),
    ("overview", Priority::Medium, "it is the overview"),
    ("decisions", Priority::Medium, "it records decisions"),
    ("runbook", Priority::Medium, "it describes operations"),
    ("readme", Priority::Low, "it introduces the repository"),
];
