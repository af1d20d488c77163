use windlass_base::Diagnostic;

use super::Checker;
use crate::{Container, VContextInfo, VERSION};

impl Checker<'_> {
    /// `vContextInfo`, and that there is exactly one container.
    pub(super) fn head(&mut self) {
        let root = self.document.root();
        match root.get("vContextInfo") {
            None => self.push(
                Diagnostic::error("missing-info", "`vContextInfo` is missing")
                    .at(root.place())
                    .help("a document begins with `\"vContextInfo\": {\"version\": \"0.4\"}`"),
            ),
            Some(info) => {
                self.entity(info, VContextInfo::shape());
                if let Some(version) = info.get("version")
                    && let Some(text) = version.text().filter(|text| *text != VERSION)
                {
                    let text: String = text.chars().take(20).collect();
                    let message = format!("the version is `{text}`, and has to be `{VERSION}`");
                    let finding = Diagnostic::error("wrong-version", message).at(version.place());
                    self.push(
                        finding
                            .help("older documents are brought up to it by `windlass doc migrate`"),
                    );
                }
            }
        }
        let found: Vec<_> = Container::ALL
            .into_iter()
            .filter_map(|one| root.get(one.field()))
            .collect();
        match &found[..] {
            [_] => {}
            [] => self.push(
                Diagnostic::error(
                    "no-container",
                    "there is no `todoList`, `plan` or `playbook`",
                )
                .at(root.place())
                .help("a document holds exactly one of them"),
            ),
            [first, others @ ..] => {
                for other in others {
                    self.push(
                        Diagnostic::error(
                            "several-containers",
                            "a document holds one container, and this is another",
                        )
                        .at(other.key_place())
                        .see(first.key_place(), "the first one")
                        .help("put it into a document of its own, and link it by `uris`"),
                    );
                }
            }
        }
    }
}
