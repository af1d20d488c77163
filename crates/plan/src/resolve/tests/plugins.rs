//! Tests step kinds that come from a source.

use insta::assert_snapshot;

use super::*;

/// Two plugins, of which only one needs capabilities.
#[derive(Debug)]
struct Plugins;

impl crate::KindSource for Plugins {
    fn kind(&self, name: &str) -> Option<Result<std::sync::Arc<KindSpec>, crate::Problem>> {
        let plugin = name.strip_prefix("plugin:")?;
        let mut kind = kind(
            name,
            json!({ "type": "object", "required": ["n"] }),
            json!(true),
        );
        kind.asks = match plugin {
            "pure@1" => BTreeSet::new(),
            "reader@1" => [crate::Capability::Read, crate::Capability::List].into(),
            _ => {
                let message = format!("there is no plugin `{plugin}`");
                let (at, help) = (String::new(), Some("look again".to_owned()));
                return Some(Err(crate::Problem { at, message, help }));
            }
        };
        Some(Ok(std::sync::Arc::new(kind)))
    }
}

#[test]
fn plugin_kinds_and_permissions_checked() {
    let runbook = "schema_version: 1
id: r
permissions:
  plugins:
    reader: [read]
    nobody: [time]
steps:
  - { id: a, uses: 'plugin:pure@1' }
  - { id: b, uses: 'plugin:reader@1', with: { n: 1 } }
  - { id: c, uses: 'plugin:none@2' }
outputs:
  - { id: a, title: A, from: a }
";
    let catalog = catalog().with_source(std::sync::Arc::new(Plugins));
    let found = load_runbook("r.yaml", runbook.as_bytes(), &catalog).unwrap_err();
    assert_snapshot!(shown(&found), @"
    r.yaml:6:13: warning[unused-permission]: no step uses the plugin `nobody`
      help: remove unused permissions
    r.yaml:8:14: error[missing-field]: `plugin:pure@1`: the field `n` is missing
      help: add `n: …`
    r.yaml:9:11: warning[unused-step]: nothing uses the output of step `b`
      help: show it in `outputs`, refer to it, or remove the step
    r.yaml:9:20: error[not-permitted]: `plugin:reader@1` requires permissions that the runbook does not grant: list
      help: to grant them, add at the top: `permissions: { plugins: { 'reader': [read, list] } }`
    r.yaml:10:20: error[unusable-step-kind]: there is no plugin `none@2`
      help: look again
    ");
    let allowed = runbook
        .replace("[read]", "[list, read]")
        .replace("pure@1'", "pure@1', with: { n: 1 }")
        .replace("  - { id: c, uses: 'plugin:none@2' }\n", "");
    let (plan, found) = load_runbook("r.yaml", allowed.as_bytes(), &catalog).unwrap();
    let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["unused-permission", "unused-step"]);
    let of = |uses: &str| plan.permissions().of_kind(uses).len();
    assert_eq!(
        (of("plugin:reader@1"), of("plugin:pure@1"), of("reader")),
        (2, 0, 0)
    );
}
