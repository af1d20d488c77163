use std::collections::BTreeSet;

use serde::Serialize;
use windlass_plan::Capability;

use crate::PluginError;

/// The plugin interface as WIT text: the package `windlass:step`, version 1.
pub const INTERFACE: &str = include_str!("../../../plugins/wit/step.wit");

/// Package of the interfaces that plugins can have.
const PACKAGE: &str = "windlass:step/";

/// An interface that a component imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Import {
    /// Name in the component, e.g. `windlass:step/evidence@1.0.0`.
    pub name: String,
    /// The capability that the interface requires. There's none for an interface that every plugin
    /// can have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Capability>,
}

/// The imports of a component, and thereby the capabilities it asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Asks(Vec<Import>);

impl Asks {
    /// Looks up the capabilities that the imports `names` require.
    ///
    /// # Errors
    /// Returns [`PluginError::ForeignImport`] for the first import that plugins can't have.
    pub(crate) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, PluginError> {
        let import = |name: &str| match capability(name) {
            Some(needs) => Ok(Import {
                name: name.to_owned(),
                needs,
            }),
            None => Err(PluginError::ForeignImport {
                import: name.to_owned(),
            }),
        };
        let mut imports: Vec<Import> = names.map(import).collect::<Result<_, _>>()?;
        imports.sort();
        Ok(Self(imports))
    }

    /// All imports, sorted by name. That includes those that don't require a capability.
    #[must_use]
    pub fn imports(&self) -> &[Import] {
        &self.0
    }

    /// The capabilities that these imports require.
    #[must_use]
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        self.0.iter().filter_map(|import| import.needs).collect()
    }

    /// The first import that `granted` doesn't cover, if there's one.
    #[must_use]
    pub fn refused(&self, granted: &BTreeSet<Capability>) -> Option<&Import> {
        let is_refused = |import: &&Import| import.needs.is_some_and(|one| !granted.contains(&one));
        self.0.iter().find(is_refused)
    }
}

/// Looks up the capability that an import requires.
///
/// The outer `Option` is `None` for an interface that plugins can never have, and the inner one for
/// an interface that they can always have.
#[expect(
    clippy::option_option,
    reason = "a foreign import, one without and one with a capability"
)]
fn capability(name: &str) -> Option<Option<Capability>> {
    let (interface, version) = name.strip_prefix(PACKAGE)?.split_once('@')?;
    // Minor versions only add functions, so any version 1 will do. The linker finds out if we have
    // those functions.
    if version.split('.').next() != Some("1") {
        return None;
    }
    Some(match interface {
        "types" | "log" | "progress" => None,
        "evidence" => Some(Capability::Read),
        "search" => Some(Capability::Search),
        "files" => Some(Capability::List),
        "anchors" => Some(Capability::Anchors),
        "clock" => Some(Capability::Time),
        "random" => Some(Capability::Random),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_list_required_capabilities() {
        let names = [
            "windlass:step/log@1.0.0",
            "windlass:step/types@1.0.0",
            "windlass:step/random@1.2.0",
            "windlass:step/evidence@1.0.0",
        ];
        let asks = Asks::of(names.into_iter()).unwrap();
        let wanted = BTreeSet::from([Capability::Read, Capability::Random]);
        assert_eq!(asks.capabilities(), wanted);
        assert_eq!(asks.refused(&wanted), None);
        let refused = asks.refused(&BTreeSet::from([Capability::Random])).unwrap();
        assert_eq!(refused.name, "windlass:step/evidence@1.0.0");
    }

    #[test]
    fn foreign_import_is_refused() {
        for name in [
            "wasi:cli/environment@0.2.0",
            "windlass:step/evidence@2.0.0",
            "windlass:step/sockets@1.0.0",
            "windlass:step/evidence",
            "evidence",
        ] {
            let names = ["windlass:step/log@1.0.0", name];
            let error = Asks::of(names.into_iter()).unwrap_err();
            assert_eq!(
                error,
                PluginError::ForeignImport {
                    import: name.to_owned()
                }
            );
        }
    }
}
