//! Tests building and opening an index.

use super::{feedback, project};
use crate::recall::{Query, RecallIndex, build_index};

#[test]
fn index_is_deterministic_and_survives_damage() {
    let memory = project().memory();
    let shown = |record: &crate::Record| record.source().text().to_owned();
    let bytes = build_index(&memory, &shown, 1);
    assert_eq!(bytes, build_index(&memory, &shown, 8));
    let asked = Query::of("settings release database");
    for at in 0..bytes.len().min(4_000) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        if let Some(index) = RecallIndex::open(damaged) {
            let _ = index.recall(&asked, 3);
        }
        assert!(RecallIndex::open(bytes[..at].to_vec()).is_none());
    }
}

#[test]
fn index_has_no_secret_of_feedback() {
    let token = ["gh", "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"].concat();
    let log = "memory/recall-feedback.jsonl";
    let sample = project()
        .with(log, "", &feedback(&token, "helpful", "no-database"))
        .with(log, "", &feedback("quagga", "helpful", "no-database"));
    let shown = |record: &crate::Record| record.source().text().to_owned();
    let bytes = build_index(&sample.memory(), &shown, 1);
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    assert!(text.contains("quagga") && !text.contains(&token.to_lowercase()));
}
