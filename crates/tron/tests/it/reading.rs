use windlass_tron::{Category, DuplicateKeys, Limits, Number, Object, ReadOptions, Value};

#[test]
fn error_has_place_and_expectation() {
    let text = "class A: x\n\n{\"ü\": A(1),\n \"é\": A(1 2)}";
    let error = Value::parse(text).unwrap_err();
    let place = error.place().unwrap();
    assert_eq!((place.line, place.column), (4, 11));
    assert_eq!(&text[place.range.clone()], "2");
    assert_eq!(error.message(), "a number");
    assert_eq!(error.expected(), Some("`,` or `)`"));
    assert_eq!(error.category(), Category::Syntax);
}

#[test]
fn invalid_utf8_has_a_place() {
    let error = windlass_tron::from_slice::<serde_json::Value>(b"{\n\"a\": \"\xff\"}").unwrap_err();
    assert_eq!(error.to_string(), "not UTF-8 at line 2 column 7");
}

#[test]
fn plain_text_is_borrowed() {
    let text = String::from("class A: x\n{\"k\":A(\"plain\"),\"e\":\"\\n\"}");
    let value = Value::parse(&text).unwrap();
    let inside = |part: &str| text.as_bytes().as_ptr_range().contains(&part.as_ptr());
    let x = value.get("k").and_then(|k| k.get("x")).unwrap();
    assert!(inside(x.as_str().unwrap()));
    assert!(!inside(value.get("e").unwrap().as_str().unwrap()));
    let (key, _) = value.as_object().unwrap().iter().next().unwrap();
    assert_eq!(key.borrowed(), Some("k"));
    let owned = value.clone().into_owned();
    assert_eq!(owned, value);
}

#[test]
fn equality_ignores_key_order() {
    let parse = |text| Value::parse(text).unwrap();
    assert_eq!(parse(r#"{"a":1,"b":[2]}"#), parse("b: [2]\na: 1"));
    assert_ne!(parse("[1,2]"), parse("[2,1]"));
    assert_ne!(parse("1"), parse("1.0"));
    assert_ne!(parse(r#"{"a":1}"#), parse(r#"{"a":1,"b":2}"#));
    assert_ne!(parse(r#"{"a":1,"b":2}"#), parse(r#"{"a":1,"c":2}"#));
    assert_ne!(parse("null"), parse("false"));
}

#[test]
fn object_has_unique_keys() {
    let mut object: Object<'_> = [("a", 1), ("b", 2), ("a", 3)].into_iter().collect();
    assert_eq!(object.insert("b", "x"), Some(Value::from(2)));
    assert_eq!(object.insert("c", true), None);
    assert_eq!(
        Value::from(object.clone()).to_string(),
        r#"{"a":3,"b":"x","c":true}"#
    );
    assert_eq!(object.remove("a"), Some(Value::from(3)));
    assert!(!object.contains_key("a"));

    let many: String = (0..100)
        .map(|nr| format!("\"k{}\":{nr},", nr % 50))
        .collect();
    let value = format!("{{{many}}}");
    let value = Value::parse(&value).unwrap();
    assert_eq!(value.as_object().unwrap().len(), 50);
    assert_eq!(value.get("k7"), Some(&Value::from(57)));
}

#[test]
fn numbers_retain_their_text() {
    for text in [
        "0",
        "-0",
        "1.0",
        "1e5",
        "1E+05",
        "340282366920938463463374607431768211456",
    ] {
        let value = Value::parse(text).unwrap();
        assert_eq!(value.as_number().map(Number::as_str), Some(text));
        assert_eq!(value.to_string(), text);
    }
    assert!(Number::new("1.").is_err());
    assert!(Number::new("1 ").is_err());
    assert!(Number::new("x").is_err());
    assert!(Number::from_f64(f64::NAN).is_none());
    assert_eq!(Number::from_f64(0.5).unwrap().as_str(), "0.5");
}

fn with(change: impl Fn(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

#[test]
fn duplicate_keys_can_be_refused() {
    let strict = with(|options| options.duplicate_keys = DuplicateKeys::Refuse);
    let error = strict
        .value(r#"{"a":{"a":1},"b":1,"\u0061":2}"#)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "key `a` is there twice at line 1 column 20"
    );
    assert!(strict.value(r#"[{"a":{"a":1}},{"a":1}]"#).is_ok());
    assert!(strict.value("a: 1\na: 2").is_err());
    assert!(
        strict
            .from_str::<serde_json::Value>(r#"{"a":1,"a":2}"#)
            .is_err()
    );
}

#[test]
fn every_limit_is_enforced() {
    let limited = |change: fn(&mut Limits), text: &str| {
        let options = with(|options| change(&mut options.limits));
        match options.value(text) {
            Ok(_) => String::new(),
            Err(error) => {
                assert_eq!(error.category(), Category::Limit, "{error}");
                error.to_string()
            }
        }
    };
    let refused = |change, text, expected: &str| {
        let error = limited(change, text);
        assert!(error.contains(expected), "{text}: {error}");
    };
    assert_eq!(limited(|limits| limits.bytes = 4, "[12]"), "");
    refused(|limits| limits.bytes = 4, "[123]", "more than 4 bytes");
    assert_eq!(limited(|limits| limits.depth = 2, "a: [1]"), "");
    refused(|limits| limits.depth = 2, "a: [{}]", "more than 2 levels");
    refused(|limits| limits.depth = 0, "[]", "more than 0 levels");
    let classes = "class A: a,b\nclass B(A): c\n\n[A(1,2),B(1,2,3)]";
    assert_eq!(limited(|limits| limits.classes = 2, classes), "");
    refused(|limits| limits.classes = 1, classes, "more than 1 classes");
    assert_eq!(limited(|limits| limits.properties = 5, classes), "");
    refused(
        |limits| limits.properties = 4,
        classes,
        "too many properties",
    );
    assert_eq!(limited(|limits| limits.expanded = 5, classes), "");
    refused(
        |limits| limits.expanded = 4,
        classes,
        "more than 4 bytes of property names",
    );

    let reader = with(|options| options.limits.bytes = 3);
    let error = reader
        .from_reader::<serde_json::Value>(&b"1234"[..])
        .unwrap_err();
    assert_eq!(error.category(), Category::Limit);
}

#[test]
fn deep_values_do_not_overflow() {
    const DEPTH: usize = 100_000;
    let options = with(|options| options.limits = Limits::none());
    for (open, middle, close) in [
        ("[", "1", "]"),
        ("{\"a\":", "1", "}"),
        ("[{\"a\":[", "", "]}]"),
    ] {
        let json = format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let value = options.value(&json).unwrap();
        let copy = value.clone().into_owned();
        assert_eq!(copy, value);
        assert!(copy.to_string() == json);
        assert!(format!("{copy:?}") == json);
    }
    let calls = format!("class A: x\n{}1{}", "A(".repeat(DEPTH), ")".repeat(DEPTH));
    let value = options.value(&calls).unwrap();
    let mut other = value.clone();
    assert_eq!(other, value);
    other.as_object_mut().unwrap().insert("x", 1);
    assert_ne!(other, value);
}

#[test]
fn deserialised_depth_is_limited() {
    let options = with(|options| options.limits = Limits::none());
    for open in ["[", "{\"a\":"] {
        let deep = open.repeat(100_000);
        let error = options.from_str::<serde_json::Value>(&deep).unwrap_err();
        assert_eq!(error.category(), Category::Limit);
        let error = options.from_str::<Value<'_>>(&deep).unwrap_err();
        assert_eq!(error.category(), Category::Limit);
    }
    let depth = windlass_tron::MAX_RECURSION;
    let fits = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(options.from_str::<Value<'_>>(&fits).is_ok());
    assert!(options.from_str::<serde_json::Value>(&fits).is_ok());
    let skipped = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(options.from_str::<serde::de::IgnoredAny>(&skipped).is_ok());
}

#[test]
fn located_covers_every_dialect() {
    let text = "class A: id, more\nitems: [\n  A( \"ü\" , {x: [1 , true]}),\n  A(more=null, id=-1.50)\n]\n\"last\" : A(1, 2) ; e: {}\n";
    let (value, places) = ReadOptions::default().located(text).unwrap();
    let mut found = Vec::new();
    let mut left = vec![(&value, places.root())];
    while let Some((value, at)) = left.pop() {
        let key = places.key(at).map_or("-", |key| &text[key]);
        found.push(format!("{key} {}", &text[places.range(at)]).replace('\n', "|"));
        let parts: Vec<&Value<'_>> = match value {
            Value::Array(array) => array.iter().collect(),
            Value::Object(object) => object.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        for (number, part) in parts.iter().enumerate().rev() {
            left.push((*part, places.part(at, number).unwrap()));
        }
        assert_eq!(places.part(at, parts.len()), None);
    }
    let expected = [
        "- items: [|  A( \"ü\" , {x: [1 , true]}),|  A(more=null, id=-1.50)|]|\"last\" : A(1, 2) ; e: {}",
        "items [|  A( \"ü\" , {x: [1 , true]}),|  A(more=null, id=-1.50)|]",
        "- A( \"ü\" , {x: [1 , true]})",
        "- \"ü\"",
        "- {x: [1 , true]}",
        "x [1 , true]",
        "- 1",
        "- true",
        "- A(more=null, id=-1.50)",
        "more null",
        "id -1.50",
        "\"last\" A(1, 2)",
        "- 1",
        "- 2",
        "e {}",
    ];
    assert_eq!(found, expected);
    assert!(ReadOptions::default().located("{a: 1, a: 2}").is_err());
}
