//! `recall`: answers a question from memory, notebook and playbooks.

use serde_json::json;
use windlass::{AlsoSource, RecallFormat, RecallRequest};

use crate::answer::{Answer, Answered, USUAL};
use crate::tool::{Effect, Tool};
use crate::tool_call::Call;
use crate::tool_failure::Failure;
use crate::tool_schema::declare_arguments;

const USUAL_MATCHES: usize = 5;

pub(crate) const TOOL: Tool = Tool {
    name: "recall",
    title: "Recall what was learned",
    about: "Ask memory, notebook and playbooks together what is known: decisions, lessons, rules, anchors, with their places \
            and how sure. Ask before you decide what may have been decided.",
    effect: Effect::Reads,
    actions: &[],
    fields: Arguments::fields,
    required: &["query"],
    call,
};

declare_arguments! {
    query: String: "in your own words",
    matches: Option<i64> => json!({ "type": "integer", "minimum": 1 }),
}

impl Arguments {
    /// Returns the maximum number of matches. At least one is required, as on the command line.
    fn matches(&self) -> Result<usize, Failure> {
        let Some(asked) = self.matches else {
            return Ok(USUAL_MATCHES);
        };
        let matches = usize::try_from(asked).ok().filter(|matches| *matches > 0);
        matches.ok_or_else(|| {
            Failure::Meaningless(format!("`matches` is {asked}: expected at least 1"))
        })
    }
}

fn call(call: &Call<'_>) -> Answered {
    let asked: Arguments = call.read()?;
    let matches = asked.matches()?;
    let request = RecallRequest {
        query: asked.query,
        matches,
        explain: false,
        also: AlsoSource::ALL.to_vec(),
        limit: Some(call.limit.unwrap_or(USUAL)),
        format: RecallFormat::Json,
    };
    let recaller = call.workspace.memory().recaller_of_all()?;
    // Search once, and print the result in both formats.
    let found = recaller.answer(&request);
    let data = found.printed_as(RecallFormat::Json)?;
    let text = found.printed_as(RecallFormat::Text)?;
    let mut answer = Answer::printed(&data.printed.into(), Some(&text.printed.into()))?;
    answer.note(call.workspace.site().take_troubles(), call.limit);
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_matches_are_refused() {
        let schema = TOOL.schema(true);
        let least = schema["properties"]["matches"]["minimum"].as_i64().unwrap();
        let asked = |matches| Arguments {
            query: String::new(),
            matches: Some(matches),
        };
        assert_eq!(asked(least).matches().ok(), Some(1));
        assert!(asked(least - 1).matches().is_err());
    }
}
