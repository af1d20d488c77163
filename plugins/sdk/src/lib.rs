//! Write a step of a Windlass runbook in Rust.
//!
//! ```ignore
//! use windlass_step::{Failure, Plugin, Purity, export, schemars::JsonSchema, serde::{Deserialize, Serialize}};
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(crate = "windlass_step::serde", deny_unknown_fields)]
//! #[schemars(crate = "windlass_step::schemars")]
//! struct Input {
//!     /// Name of the greeted person.
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
//!     const PURPOSE: &str = "greet a person";
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
//! The schemas of input and output follow from their types; comments on fields become descriptions. The functions of
//! [`host`] that a plugin uses are the permissions it requests. A panic is written to the log with its location.

#[cfg(target_arch = "wasm32")]
mod arena;
pub mod host;

#[doc(hidden)]
#[allow(missing_docs, clippy::all, reason = "generated")]
pub mod bindings {
    wit_bindgen::generate!({
        path: "wit",
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

/// Inputs that a plugin's output depends on. The plugin may not import functions that contradict it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purity {
    /// Only the input. Results are cached.
    Pure,
    /// The input, and contents of the repository and the notebook.
    Reads,
    /// Also time or randomness.
    Free,
}

/// Reason why there's no output.
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
    /// Creates a failure for invalid input. `message` is one sentence in lower case, without a full stop.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Sort::Invalid, message)
    }

    /// Creates a failure for an error that may not occur again, so that a retry may succeed.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::new(Sort::Transient, message)
    }

    /// Creates a failure for an error that would occur again.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Sort::Failed, message)
    }

    /// Adds details: data seen before the failure.
    #[must_use]
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.details = details;
        self
    }

    /// Returns the message.
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
    /// The contents of `with`, with references resolved.
    type Input: DeserializeOwned + JsonSchema;
    /// The step's output, described by a JSON Schema.
    type Output: Serialize + JsonSchema;

    /// The name: lower-case letters, digits and `-`.
    const NAME: &'static str;
    /// The semantic version. Runbooks refer to its major part.
    const VERSION: &'static str;
    /// The purpose in one line.
    const PURPOSE: &'static str;
    /// Dependencies of the output.
    const PURITY: Purity;
    /// The output field with the main list, shown by sections that select nothing.
    const MAIN: Option<&'static str> = None;

    /// Executes one attempt, in a separate instance.
    ///
    /// # Errors The reason why there is no output.
    fn run(input: Self::Input) -> Result<Self::Output, Failure>;
}

/// Exports a [`Plugin`] as a component.
#[macro_export]
macro_rules! export {
    ($plugin:ty) => {
        #[doc(hidden)]
        type __WindlassPlugin = $crate::Exported<$plugin>;
        $crate::bindings::export_component!(__WindlassPlugin with_types_in $crate::bindings);
    };
}

/// Implementation of [`export!`].
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
            let inner = handler::Failure {
                message: failure.message,
                details: match failure.details {
                    serde_json::Value::Null => String::new(),
                    details => details.to_string(),
                },
            };
            match failure.sort {
                Sort::Invalid => handler::StepError::Invalid(inner),
                Sort::Transient => handler::StepError::Transient(inner),
                Sort::Failed => handler::StepError::Failed(inner),
            }
        })
    }
}

/// Runs a plugin like Windlass does, from JSON text to JSON text, for tests.
///
/// # Errors See [`Plugin::run`]; also if the text does not match the input type.
pub fn run_json<P: Plugin>(input: &str) -> Result<String, Failure> {
    let input = serde_json::from_str(input)
        .map_err(|error| Failure::invalid(format!("the input does not fit: {error}")))?;
    let output = P::run(input)?;
    serde_json::to_string(&output)
        .map_err(|error| Failure::failed(format!("the output has no JSON form: {error}")))
}

/// Returns a type's JSON Schema. Subschemas are inlined, so that references can be checked against it.
fn schema_of<T: JsonSchema>() -> String {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    serde_json::to_string(&schema).unwrap_or_default()
}
