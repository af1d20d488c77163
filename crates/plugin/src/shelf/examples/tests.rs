use super::*;

#[cfg(unix)]
#[test]
fn example_link_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let link = dir.path().join("a.files");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let why = ExampleWorld::of(&link).err().unwrap();
    assert!(why.contains("a.files is not a folder"), "{why}");
    assert!(ExampleWorld::of(&outside).is_ok());
    assert!(ExampleWorld::of(&dir.path().join("b.files")).is_ok());
}

#[test]
fn difference_null_is_not_absent() {
    let [with, without] = [serde_json::json!({ "a": null }), serde_json::json!({})];
    assert_eq!(
        difference(&with, &without),
        "at `/a`: got nothing, expected null"
    );
    assert_eq!(
        difference(&without, &with),
        "at `/a`: got null, expected nothing"
    );
    let (old, new) = (serde_json::json!([1, 2]), serde_json::json!([1, 3]));
    assert_eq!(difference(&old, &new), "at `/1`: got 3, expected 2");
}

#[test]
fn example_has_a_time_limit() {
    let endless = |cancel: &Cancel| {
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        Err::<(), _>(StepError::new(ErrorKind::Cancelled, "stopped"))
    };
    let error = in_time(Duration::from_millis(500), endless).unwrap_err();
    assert_eq!(error.message, "it took longer than 0.5 seconds");
    assert_eq!(in_time(TIME, |_| Ok(7)), Ok(7));
}
