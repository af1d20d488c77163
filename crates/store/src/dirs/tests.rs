use super::*;

fn resolve(pairs: &[(&str, &str)]) -> Result<Dirs, DirsError> {
    Dirs::resolve(&|name| {
        pairs
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| OsString::from(value))
    })
}

#[test]
fn resolve_defaults_are_below_home() {
    let dirs = resolve(&[("HOME", "/home/ann")]).unwrap();
    assert_eq!(
        dirs.data.path(),
        Path::new("/home/ann/.local/share/windlass")
    );
    assert_eq!(
        dirs.state.path(),
        Path::new("/home/ann/.local/state/windlass")
    );
    assert_eq!(dirs.cache.path(), Path::new("/home/ann/.cache/windlass"));
}

#[test]
fn resolve_ignores_relative_and_empty() {
    let dirs = resolve(&[
        ("HOME", "/home/ann"),
        ("XDG_DATA_HOME", "/data"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CACHE_HOME", ""),
    ])
    .unwrap();
    assert_eq!(dirs.data.path(), Path::new("/data/windlass"));
    assert_eq!(
        dirs.state.path(),
        Path::new("/home/ann/.local/state/windlass")
    );
    assert_eq!(dirs.cache.path(), Path::new("/home/ann/.cache/windlass"));
}

#[test]
fn resolve_unknown_folder_is_named() {
    let error = resolve(&[("XDG_DATA_HOME", "/d"), ("HOME", "relative")]).unwrap_err();
    assert!(error.to_string().contains("`XDG_STATE_HOME`"), "{error}");
    let all = [
        ("XDG_DATA_HOME", "/d"),
        ("XDG_STATE_HOME", "/s"),
        ("XDG_CACHE_HOME", "/c"),
    ];
    assert!(resolve(&all).is_ok());
}
