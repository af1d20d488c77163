use crate::printed::table::TABLE;

#[test]
fn table_is_read_and_patterns_compile() {
    assert!(!TABLE.programs.is_empty() && !TABLE.words.is_empty());
    for rule in TABLE.programs.iter().flat_map(|it| &it.rules) {
        for pattern in rule.patterns() {
            assert!(pattern.is_valid(), "{pattern:?}");
        }
    }
}
