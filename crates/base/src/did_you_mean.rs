/// The longest names that are compared, in bytes.
const LONGEST: usize = 256;

/// The candidate nearest to `given`, if it is near enough to be what was meant.
///
/// Near enough is an edit distance (with transpositions) of at most a third of the length; of one
/// or two letters nothing is near but the same in another case. Ties go to the candidate that comes first. To a name of more
/// than 256 bytes nothing is near.
pub fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if given.len() > LONGEST {
        return None;
    }
    let given = given.to_lowercase();
    let length = given.chars().count();
    let allowed = length / 3;
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            // So many letters have to be put in or taken out at least.
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
    fn near_names_only() {
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
