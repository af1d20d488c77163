//! Groups anchors by folder, for an overview of the repository.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::AnchorReport;

/// Anchors whose first piece of evidence is in the same folder.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorFolder {
    /// The folder, relative to the root. The root itself is the empty string.
    pub folder: String,
    /// Number of pieces of evidence in each state. This includes evidence in other folders, if the
    /// anchor has any.
    pub evidence: BTreeMap<&'static str, usize>,
    /// The reports on these anchors.
    pub anchors: Vec<AnchorReport>,
}

/// Groups reports by the folder of their first piece of evidence, sorted by folder.
#[must_use]
pub fn anchors_by_folder(reports: Vec<AnchorReport>) -> Vec<AnchorFolder> {
    let mut folders: BTreeMap<String, AnchorFolder> = BTreeMap::new();
    for report in reports {
        let first = report.evidence.first();
        let file = first.map_or("", |first| first.pointer.file.as_str());
        let name = file
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned();
        let folder = folders.entry(name.clone()).or_insert_with(|| AnchorFolder {
            folder: name,
            evidence: BTreeMap::new(),
            anchors: Vec::new(),
        });
        for rank in report.ranks() {
            *folder.evidence.entry(rank.as_str()).or_default() += 1;
        }
        folder.anchors.push(report);
    }
    folders.into_values().collect()
}
