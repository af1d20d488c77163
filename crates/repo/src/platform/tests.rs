use std::io::Read as _;

use super::*;

#[test]
fn root_file_follows_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(path.join("root/a/b")).unwrap();
    std::fs::create_dir_all(path.join("outside")).unwrap();
    for file in ["root/a/b/c", "outside/c"] {
        std::fs::write(path.join(file), file).unwrap();
    }
    let root = path.join("root");
    for (to, link) in [
        (path.join("outside"), "out"),
        (root.join("a"), "in"),
        (root.join("a/b/c"), "file"),
    ] {
        std::os::unix::fs::symlink(to, root.join(link)).unwrap();
    }
    let root = Root::open(&root).unwrap();
    type Open = fn(&Root, &Path) -> io::Result<File>;
    // Both ways must agree, since it depends on the kernel which one is used.
    for open in [Root::file as Open, Root::file_part_by_part] {
        let mut text = String::new();
        let mut file = open(&root, Path::new("a/b/c")).unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "root/a/b/c");
        let outside = path.join("outside/c");
        for wrong in [
            Path::new("out/c"),
            Path::new("in/b/c"),
            Path::new("file"),
            Path::new("../outside/c"),
            Path::new("a/../../outside/c"),
            Path::new(""),
            &outside,
        ] {
            assert!(open(&root, wrong).is_err(), "{}", wrong.display());
        }
    }
}
