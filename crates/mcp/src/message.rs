//! Errors that answer input which is not a message of the protocol.

use serde_json::{Value, json};

// Error codes of JSON-RPC. The specification calls them "Parse error", "Invalid Request" and
// "Invalid params".
pub(crate) const NO_JSON: i32 = -32700;
pub(crate) const NO_REQUEST: i32 = -32600;
const NO_PARAMS: i32 = -32602;

/// Maximum size of a batch for which we answer each request. A larger one gets a single answer.
const MAX_ANSWERED: usize = 64;

pub(crate) fn mistake(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The errors that answer an invalid message. A valid one has none.
pub(crate) fn mistakes(message: &Value) -> Vec<Value> {
    let Value::Array(batch) = message else {
        return Vec::from_iter(mistake_of(message));
    };
    let why = "batches are not supported: send each message by itself";
    if batch.len() > MAX_ANSWERED {
        return vec![mistake(&Value::Null, NO_REQUEST, why)];
    }
    // The client waits for an answer to each request of the batch.
    let ids = batch.iter().map(id_of).filter(|id| !id.is_null());
    let mut all: Vec<Value> = ids.map(|id| mistake(&id, NO_REQUEST, why)).collect();
    if all.is_empty() {
        all.push(mistake(&Value::Null, NO_REQUEST, why));
    }
    all
}

/// The `id` of a request, or null if it has no valid one.
pub(crate) fn id_of(message: &Value) -> Value {
    match message.get("id") {
        Some(id) if id.is_string() || id.is_number() => id.clone(),
        _ => Value::Null,
    }
}

fn mistake_of(message: &Value) -> Option<Value> {
    let Value::Object(fields) = message else {
        let why = "a message must be an object with `jsonrpc` and `method`";
        return Some(mistake(&Value::Null, NO_REQUEST, why));
    };
    let is_answer = fields.contains_key("result") || fields.contains_key("error");
    let why = if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        "`jsonrpc` must be \"2.0\""
    } else if fields
        .get("method")
        .is_some_and(|method| !method.is_string())
    {
        "`method` must be a string"
    } else if !fields.contains_key("method") && !is_answer {
        "`method` is missing"
    } else if fields
        .get("id")
        .is_some_and(|id| !id.is_string() && !id.is_i64())
        && !is_answer
    {
        "`id` must be a string or an integer"
    } else {
        let is_odd = fields
            .get("params")
            .is_some_and(|params| !params.is_object());
        let why = "`params` must be an object";
        return is_odd.then(|| mistake(&id_of(message), NO_PARAMS, why));
    };
    Some(mistake(&id_of(message), NO_REQUEST, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistake_carries_the_id_of_its_request() {
        for (message, id, code) in [
            (json!({ "id": 7, "method": "ping" }), json!(7), NO_REQUEST),
            (
                json!({ "jsonrpc": "1.0", "id": "a", "method": "ping" }),
                json!("a"),
                NO_REQUEST,
            ),
            (
                json!({ "jsonrpc": 2.0, "id": 7, "method": "ping" }),
                json!(7),
                NO_REQUEST,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": 7, "method": 1 }),
                json!(7),
                NO_REQUEST,
            ),
            (json!({ "jsonrpc": "2.0", "id": 7 }), json!(7), NO_REQUEST),
            (
                json!({ "jsonrpc": "2.0", "id": [7], "method": "ping" }),
                json!(null),
                NO_REQUEST,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }),
                json!(null),
                NO_REQUEST,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": 7, "method": "ping", "params": [] }),
                json!(7),
                NO_PARAMS,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": 7, "method": "ping", "params": "x" }),
                json!(7),
                NO_PARAMS,
            ),
            (
                json!([{ "jsonrpc": "2.0", "id": 7, "method": "ping" }, 1]),
                json!(7),
                NO_REQUEST,
            ),
            (json!([]), json!(null), NO_REQUEST),
            (json!("x"), json!(null), NO_REQUEST),
            (json!(null), json!(null), NO_REQUEST),
            (
                json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
                json!(1.5),
                NO_REQUEST,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": u64::MAX, "method": "ping" }),
                json!(u64::MAX),
                NO_REQUEST,
            ),
        ] {
            let found = mistakes(&message);
            assert_eq!(found.len(), 1, "{message}");
            assert_eq!(found[0]["id"], id, "{message}");
            assert_eq!(found[0]["error"]["code"], code, "{message}");
        }
    }

    #[test]
    fn batch_above_the_limit_is_refused_as_a_whole() {
        let batch = |count: usize| Value::from(vec![json!({ "id": 7 }); count]);
        assert_eq!(mistakes(&batch(MAX_ANSWERED)).len(), MAX_ANSWERED);
        let found = mistakes(&batch(MAX_ANSWERED + 1));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["id"], Value::Null);
    }

    #[test]
    fn valid_message_has_no_mistakes() {
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {} }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": "x" } }),
        ] {
            assert_eq!(mistakes(&message), Vec::<Value>::new(), "{message}");
        }
    }
}
