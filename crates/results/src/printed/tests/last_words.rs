use crate::printed::read;

#[test]
fn a_bad_end_without_a_reason_is_a_failure() {
    for text in [
        "BUILD FAILED in 2s\n",
        "error: could not compile `a` (lib)\n",
        "make: *** [Makefile:3: test] Error 1\n",
        "[INFO] BUILD FAILURE\n",
        "Found 1 error.\n",
        "Found 3 errors in 2 files (checked 5 source files)\n",
    ] {
        let found = read(text);
        assert_eq!(found.failures.len(), 1, "{text}");
    }
    for text in [
        "[INFO] BUILD SUCCESS\n",
        "Found 0 errors.\n",
        "Found 3 errorful lines\n",
    ] {
        assert!(read(text).failures.is_empty(), "{text}");
    }
    let one = read("src/a.c:3:5: error: no\nmake: *** [a.o] Error 1\n");
    assert_eq!(one.failures.len(), 1, "{one:?}");
}
