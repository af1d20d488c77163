//! Documents found in many repositories, such as a plan.

use windlass_packs::context::Priority;

/// Usual documents: file name without extension, priority and role.
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

/// Returns the usual documents' roles.
pub(super) fn usual_reasons() -> impl Iterator<Item = &'static str> {
    USUAL.iter().map(|(_, _, why)| *why)
}
