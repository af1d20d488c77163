use serde_json::Value;
use windlass_plan::Capability;

use crate::PluginError;
use crate::card::{Card, MAX_NAME, Purity, major_of};
use crate::guest_words::{MAX_SAID, line};
use crate::imports::Asks;
use crate::plugin::value_schema::check_schema;
use crate::v1::{Description, GuestPurity};

/// The maximum length of a plugin's purpose, in characters.
const MAX_PURPOSE: usize = 300;
/// The maximum size of a schema, in bytes.
const MAX_SCHEMA: usize = 256 << 10;

impl Card {
    /// Validates the description that a component gives of itself.
    ///
    /// It must not contradict the component's imports (`asks`).
    pub(crate) fn of(description: Description, asks: &Asks) -> Result<Self, PluginError> {
        let Description {
            name,
            version,
            purpose,
            input_schema,
            output_schema,
            purity,
            more,
        } = description;
        let bad = |why: String| Err(PluginError::BadDescription(why));
        if !is_name(&name) {
            return bad(format!(
                "`{}` is not a valid name: use lower-case letters, digits and `-`, at most {MAX_NAME}",
                name.escape_debug().take(MAX_NAME).collect::<String>()
            ));
        }
        if major_of(&version).is_none() {
            let version: String = version.escape_debug().take(40).collect();
            return bad(format!(
                "`{version}` is not a valid version: write it like `1.2.3`"
            ));
        }
        let purpose = purpose.trim().to_owned();
        let is_line = !purpose.is_empty() && !purpose.contains(char::is_control);
        if !is_line || purpose.chars().count() > MAX_PURPOSE {
            return bad(format!(
                "its purpose has to be one line of 1 to {MAX_PURPOSE} characters"
            ));
        }
        let purity = match purity {
            GuestPurity::Pure => Purity::Pure,
            GuestPurity::Reads => Purity::Reads,
            GuestPurity::Free => Purity::Free,
        };
        if let Some(import) = ruled_out(purity, asks) {
            return bad(format!(
                "it declares itself `{}`, but imports `{import}`",
                purity.as_str()
            ));
        }
        let main = more.into_iter().find(|(key, _)| key == "main");
        Ok(Self {
            name,
            version,
            purpose,
            purity,
            main: main.map(|(_, field)| field),
            input_schema: schema("input", &input_schema)?,
            output_schema: schema("output", &output_schema)?,
        })
    }

    /// True if this cached card may belong to a component with the imports `asks`.
    pub(crate) fn is_sound(&self, asks: &Asks) -> bool {
        is_name(&self.name)
            && major_of(&self.version).is_some()
            && ruled_out(self.purity, asks).is_none()
    }
}

/// Finds the first import that contradicts the purity that the plugin declares.
fn ruled_out(purity: Purity, asks: &Asks) -> Option<&str> {
    let may = |needs| match purity {
        Purity::Pure => false,
        Purity::Reads => !matches!(needs, Capability::Time | Capability::Random),
        Purity::Free => true,
    };
    let mut imports = asks.imports().iter();
    let import = imports.find(|import| import.needs.is_some_and(|needs| !may(needs)))?;
    Some(&import.name)
}

fn schema(of: &str, text: &str) -> Result<Value, PluginError> {
    let bad = |why: String| {
        let why = line(&why, MAX_SAID);
        PluginError::BadDescription(format!("the schema of its {of}: {why}"))
    };
    if text.len() > MAX_SCHEMA {
        return Err(bad(format!("it has more than {MAX_SCHEMA} bytes")));
    }
    let schema: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    check_schema(&schema).map_err(bad)?;
    Ok(schema)
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let edges = !name.starts_with('-') && !name.ends_with('-');
    !name.is_empty() && name.len() <= MAX_NAME && edges && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> Description {
        Description {
            name: "count-lines".to_owned(),
            version: "1.2.3-beta.1".to_owned(),
            purpose: "count lines".to_owned(),
            input_schema: "{\"type\":\"object\"}".to_owned(),
            output_schema: "true".to_owned(),
            purity: GuestPurity::Reads,
            more: vec![
                ("main".to_owned(), "items".to_owned()),
                ("later".to_owned(), String::new()),
            ],
        }
    }

    fn refused(change: impl FnOnce(&mut Description), imports: &[&str]) -> String {
        let mut changed = description();
        change(&mut changed);
        let asks = Asks::of(imports.iter().copied()).unwrap();
        Card::of(changed, &asks).unwrap_err().to_string()
    }

    #[test]
    fn card_of_valid_description() {
        let asks = Asks::of(["windlass:step/evidence@1.0.0"].into_iter()).unwrap();
        let card = Card::of(description(), &asks).unwrap();
        assert_eq!((card.major(), card.main.as_deref()), (1, Some("items")));
        let forged = Card {
            purity: Purity::Pure,
            ..card.clone()
        };
        assert!(card.is_sound(&asks) && !forged.is_sound(&asks));
        let text = serde_json::to_string(&card).unwrap();
        assert_eq!(serde_json::from_str::<Card>(&text).unwrap(), card);
    }

    #[test]
    fn card_invalid_field_is_refused() {
        for name in ["", "Count", "a b", "-a", "a/b", &"a".repeat(65)] {
            assert!(refused(|it| it.name = name.to_owned(), &[]).contains("is not a valid name"));
        }
        for version in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "1.-2.3", "1.2.x"] {
            let said = refused(|it| it.version = version.to_owned(), &[]);
            assert!(said.contains("is not a valid version"), "{version}");
        }
        assert!(refused(|it| it.purpose = "a\nb".to_owned(), &[]).contains("one line"));
        assert!(refused(|it| it.input_schema = "{".to_owned(), &[]).contains("its input"));
        let said = refused(|it| it.output_schema = "{\"type\":7}".to_owned(), &[]);
        assert!(said.contains("the schema of its output"), "{said}");
    }

    #[test]
    fn card_import_against_purity_is_refused() {
        let reads = ["windlass:step/evidence@1.0.0"];
        let said = refused(|it| it.purity = GuestPurity::Pure, &reads);
        assert!(
            said.ends_with("`pure`, but imports `windlass:step/evidence@1.0.0`"),
            "{said}"
        );
        let free = ["windlass:step/files@1.0.0", "windlass:step/clock@1.0.0"];
        let said = refused(|_| {}, &free);
        assert!(
            said.ends_with("`reads`, but imports `windlass:step/clock@1.0.0`"),
            "{said}"
        );
    }
}
