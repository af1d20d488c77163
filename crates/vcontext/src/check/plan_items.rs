//! Checks names, derived statuses and links of plan items, in versions that have rules for them.

use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use super::findings::Findings;
use crate::Node;
use crate::items::{Item, Items};
use crate::parts::parts_of;
use crate::status::AUTO;

/// Names of consumers that the specification reserves for itself.
const RESERVED: [&str; 4] = ["xbrief", "core", "spec", "internal"];

pub(super) fn check<'d>(plan: Node<'d>, items: &Items<'d>, found: &mut Findings) {
    found.extend(plan.get("id").and_then(id_form));
    found.extend(extension_names(plan));
    let references = plan
        .items_of("references")
        .filter_map(|one| one.get("type"));
    found.extend(references.filter_map(reference_type));
    let ids: BTreeSet<&str> = items
        .all
        .iter()
        .filter_map(|item| item.node.text_of("id"))
        .collect();
    for item in &items.all {
        found.extend(item.node.get("id").and_then(id_form));
        found.extend(id_path(items, item));
        found.extend(derived_status(item.node));
        found.extend(two_lists(item.node));
        found.extend(extension_names(item.node));
        found.extend(plan_refs(item.node).filter_map(|link| plan_ref(link, &ids)));
    }
}

pub(super) fn plan_refs(item: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let has = |name: &str| item.version().shape("PlanItem").field(name).is_some();
    let one = item.get("planRef").filter(|_| has("planRef"));
    let many = item.get("planRefs").filter(|_| has("planRefs"));
    one.into_iter()
        .chain(many.into_iter().flat_map(Node::items))
}

fn is_word(text: &str) -> bool {
    let is_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && text.chars().all(is_char)
}

/// True for words with dots between them.
fn is_id(id: &str) -> bool {
    id.split('.').all(is_word)
}

fn id_form(id: Node<'_>) -> Option<Diagnostic> {
    let text = id.text().filter(|text| !is_id(text))?;
    let shown: String = text.chars().take(60).collect();
    let message =
        format!("the `id` `{shown}` has other characters than letters, digits, `_`, `-` and `.`");
    let finding = Diagnostic::warning("item-id", message).at(id.place());
    Some(finding.help("write words with dots between them: `setup.auth`"))
}

/// Checks that the `id` of a part begins with the `id` of the item around it.
fn id_path(items: &Items<'_>, item: &Item<'_>) -> Option<Diagnostic> {
    let id = item.node.get("id")?;
    let outer = items.all.get(item.parent?)?.node.text_of("id")?;
    let own = id.text()?;
    let is_below = own
        .strip_prefix(outer)
        .is_some_and(|rest| rest.starts_with('.'));
    if is_below {
        return None;
    }
    let message =
        format!("`{own}` is a part of `{outer}`, but its `id` does not begin with `{outer}.`");
    let finding = Diagnostic::warning("item-id-path", message).at(id.place());
    Some(finding.help(format!("write `{outer}.{own}`, also in edges and links")))
}

/// Reports an item with the status `auto`, but nothing to derive it from.
fn derived_status(item: Node<'_>) -> Option<Diagnostic> {
    let status = item
        .get("status")
        .filter(|status| status.text() == Some(AUTO))?;
    // This rule belongs to the versions in which items have a type.
    item.version().shape("PlanItem").field("type")?;
    let message = match item.text_of("type").unwrap_or("task") {
        "task" => "the status `auto` is for items of type `group`, `milestone` or `epic`",
        _ if parts_of(item).next().is_none() && plan_refs(item).next().is_none() => {
            "the status `auto` has no parts to be derived from"
        }
        _ => return None,
    };
    let finding = Diagnostic::error("auto-status", message).at(status.place());
    Some(finding.help("write the status itself: `pending`, `running`, `completed` …"))
}

/// Reports a list of parts that isn't read, because another one takes precedence. Two equal lists
/// do no harm: older programs may need the second one.
fn two_lists(item: Node<'_>) -> Option<Diagnostic> {
    let mut lists = item.version().parts.iter();
    let mut lists = lists
        .by_ref()
        .filter_map(|name| Some((name, item.get(name)?)));
    let (first, second) = (lists.next()?, lists.next()?);
    if first.1.value() == second.1.value() {
        return None;
    }
    let message = format!("`{}` differs from `{}`, and is not read", second.0, first.0);
    let finding = Diagnostic::warning("two-names", message).at(second.1.key_place());
    Some(finding.help("merge them, and remove the older one"))
}

fn plan_ref(link: Node<'_>, ids: &BTreeSet<&str>) -> Option<Diagnostic> {
    let text = link.text()?;
    if let Some(id) = text.strip_prefix('#') {
        let message = format!("no item `{id}` in this plan");
        let finding = Diagnostic::warning("link-fragment", message).at(link.place());
        return (!ids.contains(id)).then(|| finding.help("use the `id` of an item of the plan"));
    }
    let is_link = ["file://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    let finding = Diagnostic::error("plan-ref", "the link to a plan has no known form");
    (!is_link).then(|| {
        finding
            .at(link.place())
            .help("write `#ID`, `file://PATH` or `https://…`")
    })
}

fn reference_type(kind: Node<'_>) -> Option<Diagnostic> {
    let text = kind.text()?;
    let consumer = text
        .strip_prefix("x-")
        .and_then(|rest| rest.split_once('/'));
    if consumer.is_some_and(|(consumer, kind)| is_word(consumer) && !kind.is_empty()) {
        return None;
    }
    let shown: String = text.chars().take(60).collect();
    let finding = Diagnostic::error(
        "reference-type",
        format!("`{shown}` is not a type of references"),
    );
    Some(
        finding
            .at(kind.place())
            .help("write `x-xbrief/plan`, or `x-CONSUMER/KIND`"),
    )
}

fn extension_names(node: Node<'_>) -> impl Iterator<Item = Diagnostic> {
    node.members().filter_map(|(key, member)| {
        let (consumer, _) = key.strip_prefix("x-")?.split_once('/')?;
        let is_token = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let message = match consumer {
            _ if RESERVED.contains(&consumer) => {
                format!("`x-{consumer}/` is reserved by the specification")
            }
            "" => "an extension property without the name of its consumer".to_owned(),
            _ if !consumer.chars().all(is_token) => {
                format!("`{consumer}` has other characters than lower-case letters, digits and `-`")
            }
            _ => return None,
        };
        let finding = Diagnostic::warning("extension-name", message).at(member.key_place());
        Some(finding.help("name it `x-CONSUMER/NAME`"))
    })
}
