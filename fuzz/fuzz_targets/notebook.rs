//! Damaged notebooks. Entries in front of the damage are recovered unchanged, and a sound notebook
//! loses nothing.

use serde_json::value::RawValue;
use windlass_notebook::recovered_entries;

const HEAD: &str = r#"{"schema_version":1,"repo":{"repo_id":"r","root_fingerprint":"f"},"revision":5,"runbooks":["#;
const RUNBOOK: &str = r#"{"id":"saved","text":"steps: []\n"}"#;
const BETWEEN: &str = r#"],"anchors":["#;
const ANCHORS: [&str; 3] = [
    r#"{"id":"a","label":"one"}"#,
    r#"{"id":"b","label":"{\"id\": ["}"#,
    r#"{"id":"c","label":""}"#,
];

/// Puts the input into a notebook behind the first anchor. The first byte decides how much of the
/// notebook it replaces.
pub(crate) fn check(bytes: &[u8]) {
    if let Some((entries, _)) = recovered_entries(bytes) {
        for entry in entries {
            // A number may be out of range. That is still JSON, and refused by whoever needs it.
            let _: &RawValue = serde_json::from_str(entry).expect("a recovered entry is JSON");
        }
    }
    let kept = format!("{HEAD}{RUNBOOK}{BETWEEN}{},", ANCHORS[0]);
    let rest = format!("{},{}]}}", ANCHORS[1], ANCHORS[2]);
    let sound = format!("{kept}{rest}");
    let (entries, lost) = recovered_entries(sound.as_bytes()).expect("an owner");
    assert_eq!((entries.len(), lost), (4, 0));
    let Some((cut, damage)) = bytes.split_first() else {
        return;
    };
    let from = usize::from(*cut).min(rest.len());
    let damaged = [kept.as_bytes(), damage, &rest.as_bytes()[from..]].concat();
    let (entries, _) = recovered_entries(&damaged).expect("an owner");
    for entry in [RUNBOOK, ANCHORS[0]] {
        assert!(entries.contains(&entry), "{entry} is lost");
    }
}
