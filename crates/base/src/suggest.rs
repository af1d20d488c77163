/// The candidate nearest to `given`, if it is near enough to be what was meant.
///
/// Near enough is an edit distance (with transpositions) of at most a third of the length; of one
/// or two letters nothing is near but the same in another case. Ties go to the candidate that comes first.
pub fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = given.to_lowercase();
    let allowed = given.chars().count() / 3;
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::osa_distance(&given, &candidate.to_lowercase()),
                candidate,
            )
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
    }
}
