/// Maximum length of names we compare, in bytes. Comparing takes quadratic time, and a longer name
/// isn't a typing error.
const MAX_NAME_BYTES: usize = 256;

/// Returns the candidate most similar to `given`, if it's similar enough.
///
/// That means an edit distance (with transpositions) of at most a third of the length. `serach` is
/// close enough to `search`, for example, while a name of one or two letters only matches itself in
/// another case. In a tie, the first candidate wins. A name of more than 256 bytes matches nothing.
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
            // The edit distance is at least the difference in length, which rules out most
            // candidates without a comparison.
            let least = lower.chars().count().abs_diff(length);
            (least <= allowed).then(|| (strsim::osa_distance(&given, &lower), candidate))
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
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
