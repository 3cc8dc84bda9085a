//! Tests of validation: every kind of value, right and wrong.

use proptest::prelude::*;

use super::*;

const PARAMS: &[Param] = &[
    Param::optional("name", Kind::Text, ""),
    Param::optional("role", Kind::Choice { of: &["requester", "provider"], default: None }, ""),
    Param::optional("limit", Kind::Integer { least: 1, most: Some(100), default: None }, ""),
    Param::optional("since", Kind::Integer { least: 0, most: None, default: None }, ""),
    Param::optional("flag", Kind::Flag, ""),
    Param::optional("args", Kind::Object, ""),
    Param::optional("files", Kind::Files, ""),
];
const REQUIRED: &[Param] = &[Param::required("task_id", Kind::Text, "")];

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

fn read(text: &str) -> Result<Arguments<'_>, ArgumentError> {
    Arguments::read("tool", Some(raw(text)), PARAMS)
}

fn refusal(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn absent_null_and_empty_are_the_same() {
    for none in [
        None,
        Some(raw("null")),
        Some(raw("{}")),
        Some(raw(r#"{"name":null,"limit":null,"files":null,"flag":null,"args":null}"#)),
    ] {
        let arguments = Arguments::read("tool", none, PARAMS).unwrap();
        assert!(arguments.given.is_empty());
        let error = Arguments::read("tool", none.filter(|raw| raw.get().len() < 5), REQUIRED).unwrap_err();
        assert_eq!(error.to_string(), "tool: task_id is missing; it takes a string that is not blank.");
        assert!(error.misses("task_id"));
    }
    let empty = read(r#"{"name":"","role":"","files":[]}"#).unwrap();
    assert_eq!((empty.text("name"), empty.text("role"), empty.files().len()), (None, None, 0));
}

#[test]
fn a_required_string_is_not_blank_and_not_trimmed() {
    for blank in [r#"{"task_id":""}"#, r#"{"task_id":" \t\n"}"#, r#"{"task_id":null}"#] {
        assert!(Arguments::read("tool", Some(raw(blank)), REQUIRED).unwrap_err().misses("task_id"), "{blank}");
    }
    let arguments = Arguments::read("tool", Some(raw(r#"{"task_id":" x "}"#)), REQUIRED).unwrap();
    assert_eq!(arguments.text("task_id"), Some(" x "));
}

#[test]
fn whole_numbers_are_whole_however_they_are_spelled() {
    for (spelling, value) in
        [("5", 5), ("5.0", 5), ("5.000", 5), ("5e0", 5), ("50e-1", 5), ("0.5e1", 5), ("1E+2", 100), ("100", 100)]
    {
        let text = format!("{{\"limit\":{spelling}}}");
        assert_eq!(read(&text).unwrap().integer("limit").unwrap().value(), value, "{spelling}");
    }
    for big in ["9007199254740993", "18446744073709551615", "9007199254740993.0"] {
        let text = format!("{{\"since\":{big}}}");
        let digits = read(&text).unwrap().integer("since").unwrap().value().to_string();
        assert_eq!(digits, big.trim_end_matches(".0"));
    }
    for zero in ["0", "-0", "0.0", "0e9", "-0.0e-5"] {
        assert_eq!(read(&format!("{{\"since\":{zero}}}")).unwrap().integer("since").unwrap().value(), 0);
    }
}

#[test]
fn other_numbers_and_types_are_refused_by_name() {
    for bad in ["5.5", "\"5\"", "true", "[5]", "{}", "1e-1", "5.0000000001", "1e-999999999999999999999"] {
        let sentence = refusal(&format!("{{\"limit\":{bad}}}"));
        assert!(sentence.starts_with("tool: limit takes a whole number from 1 to 100, not "), "{sentence}");
    }
    for outside in ["0", "101", "-1", "1e3", "-5.0", "18446744073709551616", "1e400", "1e999999999999999999999"] {
        let sentence = refusal(&format!("{{\"limit\":{outside}}}"));
        assert_eq!(sentence, "tool: limit takes a whole number from 1 to 100; the number given is outside.");
    }
    assert!(refusal(r#"{"since":-1}"#).contains("since takes a whole number that is at least 0"));
}

#[test]
fn each_kind_refuses_the_others() {
    let values = ["\"x\"", "5", "true", "[]", "{}"];
    for (name, good) in [("name", "\"x\""), ("flag", "true"), ("args", "{}"), ("files", "[]")] {
        for value in values {
            let text = format!("{{\"{name}\":{value}}}");
            match read(&text) {
                Ok(_) => assert_eq!(value, good, "{name}"),
                Err(error) => {
                    assert_ne!(value, good);
                    assert!(error.to_string().starts_with(&format!("tool: {name} takes ")), "{error}");
                }
            }
        }
    }
    assert_eq!(refusal(r#"{"role":"boss"}"#), "tool: role takes one of requester, provider.");
    assert!(refusal("{\"name\":\"\\ud800\"}").contains("not valid Unicode"));
}

#[test]
fn unknown_and_repeated_arguments_are_refused_by_name() {
    assert_eq!(
        refusal(r#"{"message_id":"x"}"#),
        "tool: there is no argument named \"message_id\"; it takes name, role, limit, since, flag, args, files."
    );
    assert!(refusal(r#"{"名字":1}"#).is_ascii(), "what a caller made up is shown in ASCII");
    assert!(refusal(&format!("{{\"{}\":1}}", "a".repeat(10_000))).len() < 300);
    assert_eq!(refusal(r#"{"limit":1,"limit":2}"#), "tool: limit was given twice; give it once.");
    assert!(refusal("{\"\\ud800\":1}").contains("not valid Unicode"));
    let none = Arguments::read("tool", Some(raw(r#"{"x":1}"#)), &[]).unwrap_err();
    assert_eq!(none.to_string(), "tool: there is no argument named \"x\"; it takes no arguments.");
}

#[test]
fn objects_keep_their_bytes() {
    let text = r#"{"args":{"n":9007199254740993, "f":1.0,"d":1,"d":2}}"#;
    assert_eq!(read(text).unwrap().object("args").unwrap().get(), r#"{"n":9007199254740993, "f":1.0,"d":1,"d":2}"#);
}

#[test]
fn files_have_a_name_and_strict_base64() {
    let text = r#"{"files":[{"name":"a","content_base64":"+/8=","media_type":"text/plain"},{"name":"b","content_base64":"","media_type":null}]}"#;
    let arguments = read(text).unwrap();
    assert_eq!(
        arguments.files(),
        [
            FileArgument {
                name: "a".to_owned(),
                content: "+/8=".to_owned(),
                media_type: Some("text/plain".to_owned())
            },
            FileArgument { name: "b".to_owned(), content: String::new(), media_type: None },
        ]
    );
    for bad in ["-_8=", "+/8", "+/8==", "+/\\n8=", " +/8=", "+/8= ", "a", "====", "+/9=", "世"] {
        let sentence = refusal(&format!("{{\"files\":[{{\"name\":\"a\",\"content_base64\":\"{bad}\"}}]}}"));
        assert!(
            sentence.starts_with("tool: files[0].content_base64 takes the file's content in base64"),
            "{bad}: {sentence}"
        );
    }
    for (file, expected) in [
        ("5", "files[0] takes an object"),
        (r#"{"content_base64":""}"#, "files[0].name is missing"),
        (r#"{"name":" ","content_base64":""}"#, "files[0].name is missing"),
        (r#"{"name":5,"content_base64":""}"#, "files[0].name takes a string"),
        (r#"{"name":"a"}"#, "files[0].content_base64 is missing"),
        (r#"{"name":"a","content_base64":5}"#, "files[0].content_base64 takes a string"),
        (r#"{"name":"a","content_base64":"","media_type":5}"#, "files[0].media_type takes a string"),
        (r#"{"name":"a","content_base64":"","path":"/etc/passwd"}"#, "files[0] has a member \"path\""),
        (r#"{"name":"a","name":"b","content_base64":""}"#, "files[0].name was given twice"),
    ] {
        let sentence = refusal(&format!("{{\"files\":[{file}]}}"));
        assert!(sentence.contains(expected), "{sentence}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_whole_number_survives_any_shift_of_its_point(number in any::<u64>(), zeros in 0usize..25, shift in 0usize..25) {
        prop_assert_eq!(whole_number(&number.to_string()), Some(Whole::Number(number)));
        prop_assert_eq!(whole_number(&format!("{number}.{}", "0".repeat(zeros + 1))), Some(Whole::Number(number)));
        prop_assert_eq!(whole_number(&format!("{number}{}e-{shift}", "0".repeat(shift))), Some(Whole::Number(number)));
    }

    #[test]
    fn any_arguments_end_in_values_or_in_an_english_sentence(text in "\\{(\"[a-z_]{1,8}\":(null|true|[1-9][0-9]{0,2}(\\.[0-9])?|\"[世a-z]{0,3}\"|\\[\\]|\\{\\}),){0,3}\"limit\":[1-9][0-9]{0,2}\\}") {
        if let Err(error) = read(&text) {
            let sentence = error.to_string();
            prop_assert!(sentence.is_ascii() && sentence.starts_with("tool: ") && sentence.ends_with('.'), "{}", sentence);
        }
    }
}
