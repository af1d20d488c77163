use super::*;

#[cfg(target_os = "linux")]
#[test]
fn load_uses_the_checked_file() {
    use std::os::fd::AsRawFd as _;
    let bytes = wat::parse_str("(component (instance (export \"windlass:step/handler@1.0.0\")))");
    let component = Component::read(bytes.unwrap()).unwrap();
    let mut config = wasmtime::Config::new();
    config.wasm_component_model(true);
    let engine = Engine::new(&config).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let cache =
        PrivateCache::open(&windlass_store::RootedPath::new(dir.path()).join("plugins")).unwrap();
    let kept = CompiledCode::open(&cache).unwrap();
    compile(&engine, &component, Some(&kept), &|| false).unwrap();
    let code = kept.get(&key(&engine, &component)).unwrap();
    // The open file still works after another file takes its name.
    let file = dir
        .path()
        .join("plugins/code")
        .join(key(&engine, &component));
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, b"\x7fELF").unwrap();
    let file = format!("/proc/self/fd/{}", code.file().as_raw_fd());
    assert!(load_from(&engine, Place::File(&file)).is_ok());
    assert!(load_from(&engine, Place::Bytes(&code.read().unwrap())).is_ok());
}

#[test]
fn code_key_depends_on_settings() {
    let wat = "(component (instance (export \"windlass:step/handler@1.0.0\")))";
    let component = Component::read(wat::parse_str(wat).unwrap()).unwrap();
    let engine = |fuel: bool| {
        let mut config = wasmtime::Config::new();
        config.wasm_component_model(true).consume_fuel(fuel);
        Engine::new(&config).unwrap()
    };
    let (with, without) = (engine(true), engine(false));
    assert_eq!(key(&with, &component), key(&engine(true), &component));
    assert_ne!(key(&with, &component), key(&without, &component));

    let dir = tempfile::tempdir().unwrap();
    let cache =
        PrivateCache::open(&windlass_store::RootedPath::new(dir.path()).join("plugins")).unwrap();
    let kept = CompiledCode::open(&cache).unwrap();
    let root = windlass_store::RootedPath::new(dir.path());
    let names = || windlass_store::files_in(&root.join("plugins/code"), |_| true);
    compile(&with, &component, Some(&kept), &|| false).unwrap();
    compile(&with, &component, Some(&kept), &|| false).unwrap();
    assert_eq!(names().unwrap().len(), 1);
    compile(&without, &component, Some(&kept), &|| false).unwrap();
    assert_eq!(names().unwrap().len(), 2);
    // Code for other settings is compiled again, and so is damaged code.
    let [one, other] = [&with, &without].map(|engine| key(engine, &component));
    let code = kept.get(&one).unwrap();
    assert!(load(&with, &code).is_ok());
    assert!(load(&without, &code).is_err());
    kept.0.put_sealed(&one, b"\x7fELF").unwrap();
    compile(&with, &component, Some(&kept), &|| false).unwrap();
    assert!(load(&with, &kept.get(&one).unwrap()).is_ok());
    // Code that's stored under another key is compiled again.
    let code = dir.path().join("plugins/code");
    std::fs::copy(code.join(&other), code.join(&one)).unwrap();
    assert!(kept.get(&one).is_none());
    assert!(kept.get(&other).is_some());
}
