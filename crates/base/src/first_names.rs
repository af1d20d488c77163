use std::fmt::Display;

/// Joins the first `max` names, and counts the others after `and`, such as `a, b and 3 more` for
/// `" and "`.
pub fn first_names<I>(names: I, max: usize, and: &str) -> String
where
    I: IntoIterator<Item: Display, IntoIter: ExactSizeIterator>,
{
    let names = names.into_iter();
    let more = names.len().saturating_sub(max);
    let shown: Vec<String> = names.take(max).map(|name| name.to_string()).collect();
    let shown = shown.join(", ");
    match more {
        0 => shown,
        _ => format!("{shown}{and}{more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_names_counts_the_others() {
        assert_eq!(first_names(["a", "b"], 2, ", "), "a, b");
        assert_eq!(first_names(["a", "b", "c"], 2, " and "), "a, b and 1 more");
        assert_eq!(first_names([""; 0], 2, ", "), "");
    }
}
