//! Usual documents of a repository.

use windlass_packs::context::Priority;

/// File name without ending, priority and role of the usual documents.
pub(super) const USUAL: [(&str, Priority, &str); 7] = [
    ("plan", Priority::High, "it is the plan"),
    ("acceptance", Priority::High, "it says what is accepted"),
    (
        "architecture",
        Priority::High,
        "it says how things are built",
    ),
    ("overview", Priority::Medium, "it is the overview"),
    ("decisions", Priority::Medium, "it says what was decided"),
    ("runbook", Priority::Medium, "it says how things are run"),
    ("readme", Priority::Low, "it introduces the repository"),
];

/// Returns the roles of the usual documents.
pub(super) fn usual_reasons() -> impl Iterator<Item = &'static str> {
    USUAL.iter().map(|(_, _, why)| *why)
}
