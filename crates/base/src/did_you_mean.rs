/// Maximum length of the names to compare, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// Returns the candidate most similar to `given`, if it is similar enough.
///
/// The limit is an edit distance (with transpositions) of a third of the length; names of one or two letters
/// only match in another case. Ties go to the first candidate. A name of more than 256 bytes matches nothing.
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
            // Lower bound of the distance: the difference in length.
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
