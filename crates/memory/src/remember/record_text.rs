use windlass_base::{RepoPath, one_line};

use super::NewRecord;
use crate::markdown::{goes_by, within_section};
use crate::records::copied::copied_name;
use crate::records::kind::RecordKind;
use crate::records::record::Record;
use crate::records::record_body::NOT_SAID;
use crate::state::memory::Memory;
use crate::texts::day::day_of;
use crate::texts::front_matter::new_front_matter;

/// Required parts stored in a frontmatter field of new records, not in a section.
pub(super) const SHORT: [&str; 3] = ["Date", "Owner", "Opened"];

#[expect(clippy::too_many_arguments, reason = "all that a record says")]
pub(super) fn text_of(
    memory: &Memory,
    new: &NewRecord,
    fields: &[(&'static str, String)],
    kind: RecordKind,
    id: &str,
    path: &RepoPath,
    scope: &str,
    day: &str,
    related: &[&Record],
    old: Option<&Record>,
) -> (String, Vec<String>) {
    let said = |names: &[&str]| {
        // If the caller gave a part twice, join both texts.
        let same = new.sections.iter().filter(|(name, _)| goes_by(name, names));
        let says: Vec<String> = same.map(|(_, says)| within_section(says.trim())).collect();
        let gap = if names.iter().any(|name| SHORT.contains(name)) {
            ", "
        } else {
            "\n\n"
        };
        let says: Vec<String> = says.into_iter().filter(|says| !says.is_empty()).collect();
        (!says.is_empty()).then(|| says.join(gap))
    };
    let title = one_line(&new.title);
    let mut front = vec![
        ("id", id.to_owned()),
        ("title", title.clone()),
        ("status", "active".to_owned()),
        ("scope", scope.to_owned()),
        ("updated", day.to_owned()),
    ];
    let (mut body, mut to_say) = (String::new(), Vec::new());
    for names in kind.parts() {
        let name = names[0];
        let says = match (said(names), name) {
            (Some(says), _) => says,
            (None, "Date" | "Opened") => day_of(day).to_owned(),
            (None, "Related records") => related_list(memory, path, related, old),
            (None, _) => {
                to_say.push(name.to_owned());
                if name == "Owner" {
                    "nobody yet".to_owned()
                } else {
                    NOT_SAID.to_owned()
                }
            }
        };
        match SHORT.contains(&name) {
            true => front.push((
                match name {
                    "Date" => "date",
                    "Owner" => "owner",
                    _ => "opened",
                },
                says,
            )),
            false => body.push_str(&format!("\n## {name}\n\n{says}\n")),
        }
    }
    let fields = fields.iter();
    front.extend(fields.map(|(field, says)| (*field, says.clone())));
    if let Some(old) = old {
        front.push(("supersedes", copied_name(old).to_owned()));
    }
    for (name, says) in &new.sections {
        let is_part = kind.parts().iter().any(|names| goes_by(name, names));
        if !is_part && !says.trim().is_empty() {
            let says = within_section(says.trim());
            body.push_str(&format!("\n## {}\n\n{says}\n", name.trim()));
        }
    }
    let front: Vec<(&str, &str)> = front
        .iter()
        .map(|(key, value)| (*key, value.as_str()))
        .collect();
    let front = new_front_matter(&front);
    (format!("{front}\n# {title}\n{body}"), to_say)
}

/// Links to the related and superseded records, or else to the summary.
fn related_list(
    memory: &Memory,
    from: &RepoPath,
    related: &[&Record],
    old: Option<&Record>,
) -> String {
    let summary = memory
        .summary()
        .filter(|_| related.is_empty() && old.is_none());
    let all = related.iter().copied().chain(old).chain(summary);
    let items: Vec<String> = all.map(|one| crate::index_file::item(from, one)).collect();
    match items.is_empty() {
        true => "None.".to_owned(),
        false => items.join("\n"),
    }
}
