//! Write a step of a Windlass runbook in Rust.
//!
//! ```ignore
//! use windlass_step::{Failure, Plugin, Purity, export, schemars::JsonSchema, serde::{Deserialize, Serialize}};
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(crate = "windlass_step::serde", deny_unknown_fields)]
//! #[schemars(crate = "windlass_step::schemars")]
//! struct Input {
//!     /// Who is greeted.
//!     name: String,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! #[serde(crate = "windlass_step::serde")]
//! #[schemars(crate = "windlass_step::schemars")]
//! struct Output {
//!     greeting: String,
//! }
//!
//! struct Greet;
//!
//! impl Plugin for Greet {
//!     type Input = Input;
//!     type Output = Output;
//!     const NAME: &str = "greet";
//!     const VERSION: &str = "1.0.0";
//!     const PURPOSE: &str = "greet somebody";
//!     const PURITY: Purity = Purity::Pure;
//!
//!     fn run(input: Input) -> Result<Output, Failure> {
//!         Ok(Output { greeting: format!("Hello {}", input.name) })
//!     }
//! }
//!
//! export!(Greet);
//! ```
//!
//! The input's and the output's schemas are made from their types; comments on fields become descriptions. What the
//! plugin imports is what it uses of [`host`], and that is what it asks for. A panic is written to the log with its place.

#[cfg(target_arch = "wasm32")]
mod arena;
pub mod host;

#[doc(hidden)]
#[allow(missing_docs, clippy::all, reason = "generated")]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../wit",
        world: "plugin",
        pub_export_macro: true,
        export_macro_name: "export_component",
        default_bindings_module: "windlass_step::bindings",
    });
}

use std::marker::PhantomData;

use bindings::exports::windlass::step::handler;
pub use {schemars, serde, serde_json};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Serialize, de::DeserializeOwned};

/// What the output of a plugin depends on. It may import nothing that this rules out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purity {
    /// The input alone. Results are kept.
    Pure,
    /// The input, and what is read of the repository and the notebook.
    Reads,
    /// Also time or chance.
    Free,
}

/// Why there is no output.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    sort: Sort,
    message: String,
    details: serde_json::Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Invalid,
    Transient,
    Failed,
}

impl Failure {
    /// The input cannot be worked with. One sentence, lower case, no full stop.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Sort::Invalid, message)
    }

    /// It may work another time.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(Sort::Transient, message)
    }

    /// It would fail again.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Sort::Failed, message)
    }

    /// Shows what was seen before.
    #[must_use]
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.details = details;
        self
    }

    /// What happened.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    fn new(sort: Sort, message: impl Into<String>) -> Self {
        Self {
            sort,
            message: message.into(),
            details: serde_json::Value::Null,
        }
    }
}

/// A kind of step.
pub trait Plugin {
    /// What stands under `with`, its references resolved.
    type Input: DeserializeOwned + JsonSchema;
    /// What it finds.
    type Output: Serialize + JsonSchema;

    /// Lower-case letters, digits and `-`.
    const NAME: &'static str;
    /// A semantic version; runbooks name its major part.
    const VERSION: &'static str;
    /// What it does, in one line.
    const PURPOSE: &'static str;
    /// What its output depends on.
    const PURITY: Purity;
    /// The field of the output that holds its main list, which a section shows that selects nothing.
    const MAIN: Option<&'static str> = None;

    /// Does the work of one attempt, in an instance of its own.
    ///
    /// # Errors
    /// Why there is no output.
    fn run(input: Self::Input) -> Result<Self::Output, Failure>;
}

/// Makes a component of a [`Plugin`].
#[macro_export]
macro_rules! export {
    ($plugin:ty) => {
        #[doc(hidden)]
        type __WindlassPlugin = $crate::Exported<$plugin>;
        $crate::bindings::export_component!(__WindlassPlugin with_types_in $crate::bindings);
    };
}

/// What [`export!`] exports.
#[doc(hidden)]
pub struct Exported<P>(PhantomData<P>);

impl<P: Plugin> handler::Guest for Exported<P> {
    fn describe() -> handler::Description {
        let main = P::MAIN.map(|main| ("main".to_owned(), main.to_owned()));
        handler::Description {
            name: P::NAME.to_owned(),
            version: P::VERSION.to_owned(),
            purpose: P::PURPOSE.to_owned(),
            input_schema: schema_of::<P::Input>(),
            output_schema: schema_of::<P::Output>(),
            purity: match P::PURITY {
                Purity::Pure => handler::Purity::Pure,
                Purity::Reads => handler::Purity::Reads,
                Purity::Free => handler::Purity::Free,
            },
            more: main.into_iter().collect(),
        }
    }

    fn run(input: String) -> Result<String, handler::StepError> {
        host::log_panics();
        run_json::<P>(&input).map_err(|failure| {
            let told = handler::Failure {
                message: failure.message,
                details: match failure.details {
                    serde_json::Value::Null => String::new(),
                    details => details.to_string(),
                },
            };
            match failure.sort {
                Sort::Invalid => handler::StepError::Invalid(told),
                Sort::Transient => handler::StepError::Transient(told),
                Sort::Failed => handler::StepError::Failed(told),
            }
        })
    }
}

/// Runs a plugin as it is run in Windlass, from JSON text to JSON text: for tests.
///
/// # Errors
/// As [`Plugin::run`]; also when the text does not fit the input.
pub fn run_json<P: Plugin>(input: &str) -> Result<String, Failure> {
    let input = serde_json::from_str(input)
        .map_err(|error| Failure::invalid(format!("the input does not fit: {error}")))?;
    let output = P::run(input)?;
    serde_json::to_string(&output)
        .map_err(|error| Failure::failed(format!("the output has no JSON form: {error}")))
}

/// The JSON Schema of a type, with everything in one place, so that references can be followed through it.
fn schema_of<T: JsonSchema>() -> String {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    serde_json::to_string(&schema).unwrap_or_default()
}
