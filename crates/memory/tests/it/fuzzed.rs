//! Checks of the fuzz target on a known memory with modified bytes.

use proptest::prelude::*;

use self::mutate::mutated;

#[path = "../../fuzz/checks.rs"]
mod checks;
#[path = "../../../tron/tests/it/mutate.rs"]
mod mutate;

/// Memories, with their files in the order of [`checks::FILES`].
const SEEDS: &[&str] = &[
    concat!(
        "---\nid: summary\ntitle: Summary\nstatus: active\nscope: project:demo\nupdated: 2026-02-03\n---\n\n# Demo\n\n## Linked decisions\n\n- [One store](decisions/a.md)\n\u{1}",
        "---\nid: index\ntitle: Index\nstatus: active\nscope: project:demo\nupdated: 2026-02-03\n---\n\n## Active decisions\n\n- [One store](decisions/a.md)\n\u{1}",
        "{\"schema_version\":1,\"id\":\"a\",\"scope\":\"project:demo\",\"title\":\"One store owns the settings\",\"keywords\":[\"settings\",\"store\",\"sync\"],\"record_path\":\"memory/decisions/a.md\",\"updated\":\"2026-02-01\",\"weight\":0.6}\n\u{1}",
        "{\"schema_version\":1,\"query\":\"settings store\",\"outcome\":\"helpful\",\"matched_id\":\"a\",\"created\":\"2026-02-01\"}\n\u{1}",
        "---\nid: a\ntitle: 'One store owns the settings'\nstatus: superseded\nsuperseded_by: b\nscope: project:demo\nupdated: 2026-02-01\nkeywords: [settings, \"store\"]\n---\n\n# One store owns the settings\n\n## Decision\n\nThe retry_loop writes it.\n\n```\n## no heading\n```\n\u{1}",
        "---\nid: b\ntitle: Finish it\nstatus: active\nscope: project:demo\nupdated: 2026-02-03\nsupersedes:\n  - a\n---\n\nNext trigger\n============\n\nWhen [somebody](../decisions/a.md) touches it.\n",
    ),
    "\u{feff}---\r\nid: summary\r\n...\r\n\u{1}\u{1}not json\n{\"id\": 3}\n\n{\"id\":\"x\",\"record_path\":\"../x\"}\u{1}<<<<<<< ours\n\u{1}# Only a heading\n\u{1}---\n: [\n---\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_never_panic(bytes in mutated(SEEDS)) {
        checks::memory(&bytes);
    }
}
