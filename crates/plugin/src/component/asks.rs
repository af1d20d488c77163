use std::collections::BTreeSet;

use serde::Serialize;
use windlass_plan::Capability;

use crate::PluginError;

/// The package whose interfaces plugins may import.
const PACKAGE: &str = "windlass:step/";

/// An interface that a component imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Import {
    /// As the component names it: `windlass:step/evidence@1.0.0`.
    pub name: String,
    /// What has to be granted for it; nothing for what every plugin has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Capability>,
}

/// What a component imports: what it asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Asks(Vec<Import>);

impl Asks {
    /// Looks up what the imports called `names` are.
    ///
    /// # Errors
    /// [`PluginError::ForeignImport`], naming the first that no plugin is given.
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

    /// The imports, sorted by name.
    #[must_use]
    pub fn imports(&self) -> &[Import] {
        &self.0
    }

    /// What has to be granted.
    #[must_use]
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        self.0.iter().filter_map(|import| import.needs).collect()
    }

    /// The first import that `granted` does not cover.
    #[must_use]
    pub fn refused(&self, granted: &BTreeSet<Capability>) -> Option<&Import> {
        let is_refused = |import: &&Import| import.needs.is_some_and(|one| !granted.contains(&one));
        self.0.iter().find(is_refused)
    }
}

/// What the import called `name` needs; `None` where it is none of ours.
#[expect(
    clippy::option_option,
    reason = "no import of ours, one that needs nothing, one that needs something"
)]
fn capability(name: &str) -> Option<Option<Capability>> {
    let (interface, version) = name.strip_prefix(PACKAGE)?.split_once('@')?;
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
    fn imports_are_what_a_plugin_asks_for() {
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
    fn what_no_plugin_is_given_is_refused_by_name() {
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
