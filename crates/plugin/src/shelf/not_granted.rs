use std::collections::BTreeSet;

use windlass_base::shell_word;
use windlass_plan::Capability;

/// Capabilities that a plugin requests and that are not granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotGranted {
    /// The plugin, as in the field `uses` of a step.
    pub uses: String,
    /// The missing capabilities, of which there is at least one.
    pub missing: BTreeSet<Capability>,
}

impl NotGranted {
    /// Formats the reason why a step cannot run the plugin.
    #[must_use]
    pub fn why(&self) -> String {
        let missing: Vec<&str> = self.missing.iter().map(|one| one.as_str()).collect();
        format!(
            "it requests `{}`, which is not granted",
            missing.join("`, `")
        )
    }

    /// Formats advice on how to grant the capabilities.
    #[must_use]
    pub fn help(&self) -> String {
        format!(
            "run `windlass trust {} --dry-run` to see the imports",
            shell_word(&self.uses)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_the_plugin_whatever_its_path() {
        let lacks = NotGranted {
            uses: "plugin:./a: b.wasm".to_owned(),
            missing: Capability::ALL.into_iter().take(2).collect(),
        };
        let missing: Vec<&str> = lacks.missing.iter().map(|one| one.as_str()).collect();
        let [one, two] = missing[..] else {
            panic!("{missing:?}")
        };
        assert_eq!(
            lacks.why(),
            format!("it requests `{one}`, `{two}`, which is not granted")
        );
        assert_eq!(
            lacks.help(),
            "run `windlass trust 'plugin:./a: b.wasm' --dry-run` to see the imports"
        );
    }
}
