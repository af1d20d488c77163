//! The functions `match` and `search` of RFC 9535.
//!
//! The library that reads JSONPaths has them as well, but takes other expressions than the standard's, and compiles
//! them anew for each value.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;
use serde_json_path::functions::{LogicalType, ValueType};

use super::iregexp::{Reach, compile};

/// How many compiled expressions a thread keeps; a path seldom has more than one.
const KEPT: usize = 8;

/// What a pattern came to; nothing where it is no I-Regexp.
type Compiled = Option<Rc<regex::Regex>>;

thread_local! {
    /// The last expressions used, the newest last.
    static CACHE: RefCell<Vec<(Reach, String, Compiled)>> = const { RefCell::new(Vec::new()) };
}

#[serde_json_path::function(name = "match")]
fn match_function(text: ValueType<'_>, pattern: ValueType<'_>) -> LogicalType {
    holds(&text, &pattern, Reach::Whole).into()
}

#[serde_json_path::function(name = "search")]
fn search_function(text: ValueType<'_>, pattern: ValueType<'_>) -> LogicalType {
    holds(&text, &pattern, Reach::Part).into()
}

/// False also where one of them is no text, or the pattern no I-Regexp.
fn holds(text: &ValueType<'_>, pattern: &ValueType<'_>, reach: Reach) -> bool {
    let (Some(Value::String(text)), Some(Value::String(pattern))) =
        (text.as_value(), pattern.as_value())
    else {
        return false;
    };
    compiled(pattern, reach).is_some_and(|expression| expression.is_match(text))
}

fn compiled(pattern: &str, reach: Reach) -> Compiled {
    CACHE.with_borrow_mut(|cache| {
        let known = cache
            .iter()
            .find(|(kind, text, _)| *kind == reach && text == pattern);
        if let Some((_, _, known)) = known {
            return known.clone();
        }
        let new = compile(pattern, reach).ok().map(Rc::new);
        if cache.len() == KEPT {
            cache.remove(0);
        }
        cache.push((reach, pattern.to_owned(), new.clone()));
        new
    })
}
