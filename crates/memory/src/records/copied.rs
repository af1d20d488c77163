//! Titles and names of records, for use in other files.
//!
//! A record may contain a secret that its author is not aware of. If we copied the title into the
//! index or into an impression, the secret would be in several files, and removing it from the
//! record would not be enough.

use serde_json::json;
use windlass_redact::redact_text;

use crate::records::record::Record;

/// The start of the placeholder that redaction leaves in place of a secret.
const MARK: &str = "[redacted:";

/// The title without secrets. If redaction still finds something in the result, we use the file
/// name instead.
pub(crate) fn copied_title(record: &Record) -> String {
    let (shown, _) = redact_text(record.title());
    let title = shown.as_str();
    match is_secret(title) || is_secret(&format!("- [{}](x.md)", link_text(title))) {
        true => file_stem(record).to_owned(),
        false => title.to_owned(),
    }
}

/// The name of `record` for use in other files: its ID, or the path if there is no ID or it is a
/// secret.
pub(crate) fn copied_name(record: &Record) -> &str {
    let id = record.id().filter(|id| !is_secret(id));
    id.unwrap_or(record.path.as_str())
}

pub(crate) fn file_stem(record: &Record) -> &str {
    record.path.file_name().trim_end_matches(".md")
}

/// True if `text` contains a secret. Some secrets are only detected inside of quotes, as they would
/// be in a JSON line, so we try that as well.
pub(crate) fn is_secret(text: &str) -> bool {
    let quoted = || json!({ "title": text }).to_string();
    !redact_text(text).1.is_empty() || !redact_text(&quoted()).1.is_empty()
}

/// Escapes a title for use as the text of a link. We do not escape the placeholders of redaction,
/// because it would not recognize them afterwards.
pub(crate) fn link_text(title: &str) -> String {
    let mut text = String::new();
    let (mut rest, mut open) = (title, false);
    while let Some(c) = rest.chars().next() {
        let is_mark = rest.starts_with(MARK) && rest.contains(']');
        let is_own = is_mark || (open && c == ']');
        open = is_mark || (open && c != ']');
        if matches!(c, '[' | ']' | '\\') && !is_own {
            text.push('\\');
        }
        text.push(if c.is_control() { ' ' } else { c });
        rest = &rest[c.len_utf8()..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::draft::Draft;
    use crate::index_file::index_all;
    use crate::records::kind::RecordKind;
    use crate::remember::{NewRecord, remember, supersede, update};
    use crate::state::memory::Memory;
    use crate::testing::Sample;

    const DAY: &str = "2026-03-01";

    fn token() -> String {
        ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat()
    }

    fn leaking(title: &str, id: &str) -> Sample {
        let record = format!(
            "---\nid: {id}\ntitle: {title}\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\ndate: 2026-02-01\n---\n\n# Leak\n\n## Decision\n\nquokka\n"
        );
        Sample::new().with("memory/decisions/leak.md", "", &record)
    }

    /// The files changed by `work`, except for the record itself.
    fn written(
        sample: &Sample,
        work: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>),
    ) -> Vec<String> {
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        work(&memory, &mut draft);
        let changes = draft.changes().unwrap();
        let others = changes
            .into_iter()
            .filter(|one| !one.path.as_str().ends_with("leak.md"));
        others.map(|one| one.text).collect()
    }

    fn new(title: &str) -> NewRecord {
        NewRecord {
            kind: Some(RecordKind::Decision),
            title: title.to_owned(),
            text: Some("So it is.".to_owned()),
            ..NewRecord::default()
        }
    }

    #[test]
    fn secret_title_never_copied() {
        let token = token();
        let titles = [
            format!("Token {token} of the bot"),
            "'password: \"hunter2-hunter3\" of \\\\ [the] bot'".to_owned(),
            "password=Zx81-quokka-Kp77".to_owned(),
        ];
        for title in titles {
            let sample = leaking(&title, "leak");
            let mut all = written(&sample, |memory, draft| {
                index_all(memory, draft, DAY).unwrap();
            });
            assert_eq!(all.len(), 2, "index and summary");
            all.extend(written(&sample, |memory, draft| {
                let related = NewRecord {
                    related: vec!["leak".to_owned()],
                    ..new("Beside it")
                };
                remember(memory, draft, &related, DAY).unwrap();
            }));
            all.extend(written(&sample, |memory, draft| {
                let newer = NewRecord {
                    supersedes: Some("leak".to_owned()),
                    ..new("Instead of it")
                };
                remember(memory, draft, &newer, DAY).unwrap();
            }));
            all.extend(written(&sample, |memory, draft| {
                supersede(memory, draft, "settings-store", "leak", DAY).unwrap();
            }));
            // The record has no impression yet, so the update adds one.
            all.extend(written(&sample, |memory, draft| {
                let more = NewRecord {
                    text: Some("wombat".to_owned()),
                    ..NewRecord::default()
                };
                update(memory, draft, "leak", &more, DAY).unwrap();
            }));
            assert!(all.iter().any(|text| text.contains("leak.md")));
            for text in all {
                assert!(redact_text(&text).1.is_empty(), "{text}");
                for value in [token.as_str(), "hunter3", "quokka-Kp77"] {
                    assert!(!text.contains(value), "{text}");
                }
            }
        }
    }

    #[test]
    fn redacted_link_keeps_target() {
        let sample = leaking(&format!("Token {} of [it]", token()), "leak");
        let index = written(&sample, |memory, draft| {
            index_all(memory, draft, DAY).unwrap();
        });
        let link = "- [Token [redacted:github-token] of \\[it\\]](decisions/leak.md)";
        assert!(index[0].contains(link), "{}", index[0]);
        let mut after = sample;
        after
            .0
            .insert("memory/index.md".to_owned(), index[0].clone());
        let memory = after.memory();
        let found = check(&memory);
        let unlinked = found.iter().filter(|one| one.rule == "index-link");
        assert_eq!(unlinked.count(), 0);
        // The new title replaces the old one in every list.
        let retitled = written(&after, |memory, draft| {
            let retitled = NewRecord {
                title: "The bot".to_owned(),
                ..NewRecord::default()
            };
            update(memory, draft, "leak", &retitled, DAY).unwrap();
        });
        let listed = |text: &&String| text.contains("- [The bot](decisions/leak.md)");
        assert_eq!(retitled.iter().filter(listed).count(), 1);
    }

    #[test]
    fn secret_id_never_copied() {
        let token = token();
        let sample = leaking("Leak", &token);
        let mut all = written(&sample, |memory, draft| {
            let newer = NewRecord {
                supersedes: Some("memory/decisions/leak.md".to_owned()),
                ..new("Instead of it")
            };
            remember(memory, draft, &newer, DAY).unwrap();
        });
        all.extend(written(&sample, |memory, draft| {
            supersede(memory, draft, "settings-store", &token, DAY).unwrap();
        }));
        let named = all.iter().filter(|text| {
            text.contains("supersedes: memory/decisions/leak.md")
                || text.contains("superseded_by: memory/decisions/leak.md")
        });
        assert_eq!(named.count(), 2);
        assert!(all.iter().all(|text| !text.contains(&token)));
    }
}
