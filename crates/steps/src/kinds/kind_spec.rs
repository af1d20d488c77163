//! Creates the specifications of step kinds.

use std::collections::BTreeSet;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;
use windlass_plan::{Effects, InputReading, KindSpec, LazySchema};

/// Creates a kind's specification. The schemas are generated from the input and output types,
/// including their doc comments.
pub(crate) fn kind<Input: JsonSchema, Output: JsonSchema>(
    name: &str,
    summary: &str,
    main: Option<&str>,
    effects: Effects,
) -> KindSpec {
    KindSpec {
        name: name.to_owned(),
        summary: summary.to_owned(),
        input_schema: schema::<Input>(SchemaSettings::draft2020_12()),
        // We only ever serialize outputs, and fields that are skipped then must not be required.
        output_schema: LazySchema::new(|| {
            schema::<Output>(SchemaSettings::draft2020_12().for_serialize())
        }),
        main: main.map(str::to_owned),
        effects,
        asks: BTreeSet::new(),
        worst_first: false,
        reads: InputReading::default(),
    }
}

/// Generates a schema with all subschemas inlined, so that code can follow a JSON pointer through
/// the schema without resolving references.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// Effects of a kind that only reads files: the same files give the same output.
pub(crate) const READS_FILES: Effects = Effects {
    reads_files: true,
    runs_processes: false,
    nested: false,
    reproducible: true,
};

pub(crate) const PURE: Effects = Effects {
    reads_files: false,
    runs_processes: false,
    nested: false,
    reproducible: true,
};
