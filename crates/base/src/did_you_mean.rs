use std::fmt::Display;

/// Maximum length of a name to compare, in bytes. The comparison takes quadratic time, and a longer
/// name is not a typo.
const MAX_NAME_BYTES: usize = 256;

/// Returns the most similar candidate to `given`, if any is similar enough.
///
/// The edit distance (with transpositions) must be at most a third of the length. So `serach`
/// matches `search`, but a name of one or two letters only matches itself, regardless of case. Of
/// several equally similar candidates, the first one wins. A name of more than 256 bytes matches
/// nothing.
pub fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if given.len() > MAX_NAME_BYTES {
        return None;
    }
    let given = given.to_lowercase();
    let length = given.chars().count();
    let allowed = length / 3;
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_NAME_BYTES)
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            // The edit distance is at least the difference in length. This rules out most
            // candidates without comparing them.
            let least = lower.chars().count().abs_diff(length);
            (least <= allowed).then(|| (strsim::osa_distance(&given, &lower), candidate))
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the end of a message that suggests a similar name, e.g. "; did you mean `search`?". It's
/// empty if there is none.
pub fn similar_hint(similar: Option<impl Display>) -> String {
    similar
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn did_you_mean_suggests_similar_only() {
        let kinds = ["anchors", "search", "files"];
        assert_eq!(did_you_mean("serach", kinds), Some("search"));
        assert_eq!(did_you_mean("Anchor", kinds), Some("anchors"));
        assert_eq!(did_you_mean("docker", kinds), None);
        assert_eq!(did_you_mean("c", ["a", "C"]), Some("C"));
        let long = "x".repeat(1 << 20);
        assert_eq!(did_you_mean(&long, [long.as_str(), "files"]), None);
        assert_eq!(
            did_you_mean("file", [long.as_str(), "files"]),
            Some("files")
        );
    }
}
