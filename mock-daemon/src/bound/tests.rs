//! The check values of control-plane 4.7 and the cases of 4.6.

use super::*;
use crate::decode::first_value;
use crate::project::shape::{Role, TaskState, TaskStatus};

fn message(id: &str, role: Role, text: &str) -> Message {
    Message {
        message_id: id.to_owned(),
        context_id: String::new(),
        extensions: Vec::new(),
        metadata: Metadata::new(),
        parts: vec![Part::text(text)],
        reference_task_ids: Vec::new(),
        role,
        task_id: String::new(),
    }
}

fn metadata(members: &[(&str, Json)]) -> Metadata {
    members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn task(history: Vec<Message>) -> Task {
    Task {
        id: "t".to_owned(),
        artifacts: Vec::new(),
        context_id: "c".to_owned(),
        history,
        metadata: metadata(&[("anet.peer_aid", "x".into())]),
        status: TaskStatus {
            message: None,
            state: TaskState::Working,
            timestamp: "2026-10-12T08:21:36.44Z".to_owned(),
        },
    }
}

fn length(task: &Task) -> usize {
    encode::compact(&task.json()).len()
}

fn notice_size(metadata: &Metadata) -> Option<i64> {
    metadata.get("anet.size").and_then(Json::as_i64)
}

#[test]
fn the_estimates_are_those_of_the_contract() {
    assert_eq!(part_size(&Part::text("hello")), 109);
    assert_eq!(message_size(&message("a", Role::Agent, "hello")), 294);
    assert_eq!(message_size(&message("a", Role::Agent, "<<<")), 307);
    let artifact = Artifact::new("anet.reply", "anet.reply", vec![Part::text("hello")]);
    assert_eq!(artifact_size(&artifact), 267);
    let own =
        metadata(&[("anet.peer_aid", "x".into()), ("anet.role", "requester".into()), ("anet.state_seq", 7_i64.into())]);
    assert_eq!(metadata_size(&own), 88);
}

#[test]
fn the_estimate_of_a_string_is_what_is_written() {
    for text in [
        "plain",
        "\"quoted\" \\",
        "<a href='x'>&</a>",
        "\u{0}\u{1}\u{8}\u{c}\u{1f}\n\r\t",
        "漢字 é",
        "😀",
        "\u{2028}\u{2029}",
        "\u{fffd}",
        "",
    ] {
        let written = encode::compact(&Json::from(text)).len();
        assert_eq!(text_size(text), as_size(written), "{text:?}");
    }
}

#[test]
fn digits_count_in_data_and_24_elsewhere() {
    let data = Part::data(first_value(b"{\"n\":1}").unwrap());
    // 96, no name, "application/json", no metadata, {"n":1} by its length and a separator.
    assert_eq!(part_size(&data), 96 + 2 + 18 + 2 + (2 + 3 + 1 + 1 + 1));
    assert_eq!(value_size(&Json::from(1_i64), false), 24);
}

#[test]
fn a_small_task_comes_back_equal() {
    let small = task(vec![message("a", Role::User, "hello")]);
    assert_eq!(task_within(&small, 8192), small);
    assert_eq!(task_read_within(&small, 24_576), small);
    assert_eq!(task_read_within(&small, 0), small);
}

#[test]
fn the_edge_is_where_the_contract_has_it() {
    let whole = task(vec![message("h", Role::User, &"x".repeat(7620))]);
    assert_eq!(task_within(&whole, 8192), whole);
    let cut = task_within(&task(vec![message("h", Role::User, &"x".repeat(7621))]), 8192);
    assert_eq!(cut.history.len(), 1);
    assert!(notice_size(&cut.history[0].metadata).is_some());
    assert_eq!(cut.metadata.get(MARK), Some(&Json::from(true)));
}

#[test]
fn the_newest_messages_stay_and_the_older_go() {
    let three = ["h0", "h1", "h2"].map(|id| message(id, Role::User, &"x".repeat(3000)));
    let cut = task_within(&task(three.to_vec()), 8192);
    let kept: Vec<_> = cut.history.iter().map(|message| message.message_id.as_str()).collect();
    assert_eq!(kept, ["h1", "h2"]);
    assert!(cut.history.iter().all(|message| notice_size(&message.metadata).is_none()));
    assert_eq!(cut.metadata.get(MARK), Some(&Json::from(true)));
}

#[test]
fn three_mebibytes_of_markup_become_a_notice() {
    let mut newest = message("new", Role::Agent, &"<".repeat(3 << 20));
    newest.metadata = metadata(&[("anet.state", "working".into())]);
    assert_eq!(message_size(&newest), 18_874_682);
    let original = task(vec![message("old", Role::User, "hi"), newest]);
    for (bound, held) in [(8192, 8192), (1, 1024)] {
        let cut = task_read_within(&original, bound);
        assert!(length(&cut) <= held, "{} at {bound}", length(&cut));
        assert_eq!(cut.history.len(), 1);
        let notice = &cut.history[0];
        assert_eq!(notice.message_id, "new");
        assert_eq!(notice.metadata.get("anet.state"), Some(&Json::from("working")));
        assert_eq!(notice_size(&notice.metadata), Some(18_874_682));
        assert_eq!(notice_size(&notice.parts[0].metadata), Some(18_874_682));
    }
    assert_eq!(original.history.len(), 2);
    let Content::Text(listed) = &task_within(&original, 8192).history[0].parts[0].content else {
        panic!("a notice is text")
    };
    assert_eq!(listed, "(18874682 bytes, not in this list; use GetTask or get_task)");
}

#[test]
fn a_mebi_of_cjk_fits_after_the_cut() {
    let cjk = "漢".repeat(1 << 20);
    let mut big = task(vec![message("h", Role::Agent, &cjk)]);
    big.artifacts = vec![Artifact::new("anet.reply", "anet.reply", vec![Part::text(&cjk)])];
    let cut = task_read_within(&big, 24_576);
    assert!(length(&cut) <= 24_576);
    assert_eq!(cut.artifacts[0].name, "anet.reply");
    assert!(notice_size(&cut.artifacts[0].metadata) > Some(3 << 20));
    assert!(notice_size(&cut.history[0].metadata) > Some(3 << 20));
}

#[test]
fn only_plain_ids_are_named_in_a_notice() {
    let long = "a".repeat(129);
    let fits = "a".repeat(128);
    for (id, named) in [
        ("ix_0123abcd", true),
        (fits.as_str(), true),
        (long.as_str(), false),
        ("x; rm -rf ~ #", false),
        ("--help", false),
        ("", false),
        ("_a", false),
        (".a", false),
        ("a\nb", false),
        ("a`b", false),
    ] {
        let mut big = task(vec![message("h", Role::Agent, &"y".repeat(30_000))]);
        big.id = id.to_owned();
        let cut = task_read_within(&big, 24_576);
        let Content::Text(notice) = &cut.history[0].parts[0].content else { panic!("a notice is text") };
        let shown = if named { id } else { "<task id>" };
        assert!(notice.contains(&format!("`anet task get {shown} --full`")), "{notice}");
        assert!(notice.contains(&format!("`anet pull {shown}`")), "{notice}");
    }
}

#[test]
fn the_nodes_own_statements_survive_a_cut_of_metadata() {
    let claims: Vec<Json> = (0..400).map(|n: i64| Json::object([("transaction", Json::from(n))])).collect();
    let mut big = task(vec![message("h", Role::User, "hi")]);
    big.metadata = metadata(&[
        ("anet.effect_status", "UNVERIFIED".into()),
        ("anet.peer_aid", "x".into()),
        ("anet.reason", "r".repeat(40_960).into()),
        ("anet.receipt_verified", "unverified".into()),
        ("anet.role", "provider".into()),
        ("anet.skill", "lab.notes.append".into()),
        ("anet.state_seq", 7_i64.into()),
        ("anet.trust", "peer".into()),
        ("anet.unverified_receipts", claims.into()),
        ("zoo", "small".into()),
    ]);
    for bound in [24_576, 8192, 1024] {
        let cut = task_read_within(&big, bound);
        assert!(length(&cut) <= bound, "{} at {bound}", length(&cut));
        for kept in ["anet.effect_status", "anet.role", "anet.peer_aid", "anet.state_seq", "anet.receipt_verified"] {
            assert_eq!(cut.metadata.get(kept), big.metadata.get(kept), "{kept} at {bound}");
        }
        for gone in ["anet.reason", "anet.unverified_receipts"] {
            assert!(!cut.metadata.contains_key(gone), "{gone} at {bound}");
        }
    }
    let cut = task_read_within(&big, 24_576);
    for kept in ["anet.skill", "anet.trust", "zoo"] {
        assert!(cut.metadata.contains_key(kept), "{kept}");
    }
}

#[test]
fn a_value_of_512_stays_and_one_of_513_goes() {
    let mut big = task(Vec::new());
    big.metadata =
        metadata(&[("a", "x".repeat(510).into()), ("b", "x".repeat(511).into()), ("c", "x".repeat(30_000).into())]);
    let cut = task_read_within(&big, 24_576);
    assert_eq!(cut.metadata.keys().collect::<Vec<_>>(), ["a", MARK]);
    assert!(cut.history.is_empty());
}

#[test]
fn a_notice_keeps_metadata_of_4096_and_drops_4097() {
    // {"k":"…"} counts 2 + 3 + 1 + (n + 2) + 1.
    for (characters, kept) in [(4096 - 9, true), (4096 - 8, false)] {
        let mut big = message("h", Role::Agent, &"y".repeat(60_000));
        big.metadata = metadata(&[("k", "m".repeat(characters).into())]);
        assert_eq!(metadata_size(&big.metadata), if kept { 4096 } else { 4097 });
        let cut = task_read_within(&task(vec![big]), 24_576);
        assert_eq!(cut.history[0].metadata.contains_key("k"), kept);
    }
}

#[test]
fn a_first_fit_that_is_too_long_is_fitted_again() {
    let heavy = |id: &str, role| {
        let mut heavy = message(id, role, &"z".repeat(100_000));
        heavy.metadata = metadata(&[("note", "m".repeat(3900).into())]);
        heavy
    };
    let mut big = task(vec![heavy("old", Role::User), heavy("new", Role::Agent)]);
    big.status.message = Some(heavy("status", Role::Agent));
    big.metadata = metadata(&[
        ("anet.effect_status", "UNVERIFIED".into()),
        ("anet.reason", "r".repeat(22_528).into()),
        ("anet.role", "requester".into()),
    ]);
    let first = fit(&big, 24_576, &|size| format!("({size} bytes)"));
    assert!(length(&first) > 30_000, "{}", length(&first));
    let (cut, room) = read_within(&big, 24_576);
    assert!(length(&cut) <= 24_576);
    // The contract's own room is 18127, for a notice of another length than ours.
    assert!((17_000..19_000).contains(&room), "{room}");
    assert_eq!(cut.metadata.keys().collect::<Vec<_>>(), ["anet.effect_status", "anet.role", MARK]);
}

#[test]
fn bounds_below_the_smallest_are_the_smallest() {
    let big = task(vec![message("h", Role::User, &"x".repeat(5000))]);
    assert_eq!(task_within(&big, 1), task_within(&big, 1024));
    assert_eq!(task_within(&big, 1023), task_within(&big, 1024));
    // From `n` on the message fits: 1024 - 256 - 3 - 3 - 22 - 288.
    let edge = |n: usize, bound| task_within(&task(vec![message("h", Role::User, &"x".repeat(n))]), bound);
    assert!(!edge(452, 1024).metadata.contains_key(MARK));
    assert!(edge(453, 1024).metadata.contains_key(MARK));
    assert!(!edge(453, 1025).metadata.contains_key(MARK));
}

#[test]
fn many_small_artifacts_are_noticed_when_the_room_is_gone() {
    let mut many = task(Vec::new());
    many.artifacts = (0..200).map(|n| Artifact::new(&format!("a{n}"), "", vec![Part::text("x".repeat(100))])).collect();
    let cut = task_within(&many, 8192);
    assert_eq!(cut.artifacts.len(), 200);
    assert!(notice_size(&cut.artifacts[0].metadata).is_none());
    assert!(notice_size(&cut.artifacts[199].metadata).is_some());
}
