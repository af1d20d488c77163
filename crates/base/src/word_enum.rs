/// Defines an enumeration whose variants are written as words. It gets a list of all variants,
/// parsing, `Display`, serde support and a JSON Schema. An optional function normalises the text
/// before we parse it.
#[macro_export]
macro_rules! word_enum {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $crate::word_enum! { $(#[$doc])* $name, $what, str::to_owned { $($(#[$vdoc])* $variant = $word,)* } }
    };
    ($(#[$doc:meta])* $name:ident, $what:literal, $plain:path { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, $crate::schemars::JsonSchema)]
        #[schemars(crate = "windlass_base::schemars")]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All variants, in order of declaration.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant,)*];

            /// Returns the word.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Parses a word. Returns `None` if it's not one of these.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                let plain: fn(&str) -> String = $plain;
                let word = plain(word);
                Self::ALL.into_iter().find(|known| known.as_str() == word)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::from_word(text).ok_or_else(|| {
                    let known = Self::ALL.map(Self::as_str).join(", ");
                    format!("there is no {} `{text}`; expected {known}", $what)
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
