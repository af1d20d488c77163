//! Tests documents with very many parts, where the time must grow linearly rather than
//! quadratically.

use std::time::{Duration, Instant};

use windlass_vcontext::{CheckOptions, check, differences};

use crate::merge::{NONE, merged};
use crate::support::document;

const MANY: usize = 20_000;

/// Quadratic work takes a minute and more, while a busy machine may be ten times slower than usual.
const LONG: Duration = Duration::from_secs(25);

#[expect(
    clippy::disallowed_methods,
    reason = "how long it takes is what is tested"
)]
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    let took = start.elapsed();
    assert!(took < LONG, "{what}: {took:?}");
    done
}

fn list(items: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..MANY).map(items).collect();
    format!(
        r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"items":[{}]}}}}"#,
        items.join(",")
    )
}

#[test]
fn many_items_merge_in_linear_time() {
    let item = |status: &str| {
        let status = status.to_owned();
        move |at: usize| {
            let name = if at.is_multiple_of(2) {
                format!(r#""id":"i{at}","#)
            } else {
                String::new()
            };
            format!(r#"{{{name}"title":"t{at}","status":"{status}","z":{at}}}"#)
        }
    };
    let (base, ours) = (list(item("pending")), list(item("completed")));
    let theirs = base.replace(r#""z":"#, r#""y":"#);
    let want = ours.replace(r#""z":"#, r#""y":"#);
    let (text, conflicts) = timed("merge", || merged(&base, &ours, &theirs));
    assert_eq!(conflicts, NONE);
    assert!(text == want);
    let document = document(&ours);
    let value = windlass_vcontext::Value::parse(&text).unwrap().into_owned();
    assert!(timed("rewrite", || document.rewritten(&value)) == want);
}

#[test]
fn many_fields_merge_in_linear_time() {
    let tags = |more: &str| {
        let tags: Vec<String> = (0..MANY).map(|at| format!("\"t{at}{more}\"")).collect();
        format!(r#"{{"tags":[{}]}}"#, tags.join(","))
    };
    let (_, conflicts) = timed("tags", || merged(&tags(""), &tags("a"), &tags("b")));
    assert_eq!(conflicts, NONE);
    let fields = |says: &str| {
        let fields: Vec<String> = (0..MANY)
            .map(|at| format!("\"unknown{at}\":{says}"))
            .collect();
        let all = fields.join(",");
        format!(r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"items":[],{all}}}}}"#)
    };
    let (one, two) = (document(&fields("1")), document(&fields("2")));
    assert!(!timed("check", || check(&one, &CheckOptions::default())).has_errors());
    let found = timed("differences", || differences(one.value(), two.value()));
    assert_eq!(found.len(), MANY);
    let text = timed("rewrite", || one.rewritten(two.value()));
    assert!(text == fields("2"));
    let (text, _) = timed("fields", || {
        merged(&fields("1"), &fields("1"), &fields("2"))
    });
    assert!(text == fields("2"));
}
