//! Tests of choosing a data directory and of what may be trusted in it.

use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;
use crate::fake::{TOKEN, write_home};

fn empty() -> (TempDir, Environment) {
    let user = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(user.path().into()), ..Environment::default() };
    (user, environment)
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_first_that_applies_is_chosen() {
    let (user, plain) = empty();
    let anet = user.path().join(".anet");
    fs::create_dir(&anet).unwrap();
    let chosen = |environment: &Environment| {
        let home = Home::choose(environment).unwrap();
        (home.data_dir().to_owned(), home.reason().clone(), home.is_strict())
    };
    assert_eq!(chosen(&plain), (anet.clone(), Reason::Default, false));

    fs::write(anet.join("current"), "work\n").unwrap();
    assert_eq!(chosen(&plain), (anet.join("ids/work"), Reason::CurrentFile("work".to_owned()), true));

    let data = Environment { anet_data_dir: Some("/data".into()), ..plain.clone() };
    assert_eq!(chosen(&data), (PathBuf::from("/data"), Reason::DataDirVariable, true));

    let id = Environment { anet_id: Some("a.b".into()), ..data.clone() };
    assert_eq!(chosen(&id), (anet.join("ids/a.b"), Reason::IdVariable("a.b".to_owned()), true));

    let flag = Environment { id: Some("c".to_owned()), anet_home: Some("/h".into()), ..id };
    assert_eq!(chosen(&flag), (PathBuf::from("/h/ids/c"), Reason::Flag("c".to_owned()), true));

    let home = Environment { anet_home: Some("/h".into()), ..plain };
    assert_eq!(chosen(&home), (PathBuf::from("/h"), Reason::HomeVariable, true));
    assert_eq!(chosen(&Environment::default()), (PathBuf::from(".anet"), Reason::Default, false));
}

#[test]
fn a_current_file_without_a_name_means_the_default() {
    let (user, plain) = empty();
    let anet = user.path().join(".anet");
    fs::create_dir(&anet).unwrap();
    for content in ["", "ids", "../x", "a/b", "-a", "a b", &"a".repeat(65)] {
        fs::write(anet.join("current"), content).unwrap();
        assert_eq!(*Home::choose(&plain).unwrap().reason(), Reason::Default, "{content:?}");
    }
}

#[test]
fn a_name_that_is_none_is_refused() {
    for name in ["ids", "../x", "", ".x", &"a".repeat(65)] {
        let environment = Environment { id: Some(name.to_owned()), ..Environment::default() };
        assert!(matches!(Home::choose(&environment), Err(HomeError::Name { from: "--id", .. })), "{name:?}");
    }
}

#[test]
fn only_loopback_addresses_are_addresses() {
    for good in ["127.0.0.1:1", "127.8.9.10:39811", "localhost:39811", "LocalHost:39811", "[::1]:39811"] {
        ControlAddress::parse(good).unwrap();
    }
    for bad in [
        "",
        "127.0.0.1",
        "127.0.0.1:0",
        "127.0.0.1:70000",
        "0.0.0.0:1",
        "10.0.0.1:1",
        "example.org:1",
        "127.0.0.1.nip.io:1",
        "localhost.evil:1",
        "::1:39811",
        "[::]:1",
        "[::ffff:127.0.0.1]:1",
        "user@127.0.0.1:1",
        "http://127.0.0.1:1",
        "127.1:1",
        "2130706433:1",
    ] {
        assert!(matches!(ControlAddress::parse(bad), Err(HomeError::NotLoopback { .. })), "{bad}");
    }
    assert_eq!(ControlAddress::parse(" LocalHost:39811 ").unwrap().to_string(), "localhost:39811");
    assert_eq!(ControlAddress::parse("[::1]:39811").unwrap().to_string(), "[::1]:39811");
}

#[test]
fn a_data_directory_is_read_anew_each_time() {
    let data = tempfile::tempdir().unwrap();
    let home = Home::at(data.path());
    assert!(matches!(home.endpoints(), Err(HomeError::NoConfig { .. })));
    fs::write(data.path().join("config.json"), "{\"control_addr\":\"127.0.0.1:1\"}").unwrap();
    let error = home.endpoints().unwrap_err();
    assert!(matches!(error, HomeError::NoToken { .. }));
    assert!(error.to_string().contains("127.0.0.1:1") && error.to_string().contains("`anet up`"), "{error}");
    write_home(data.path(), "127.0.0.1:39811", TOKEN);
    assert_eq!(home.endpoints().unwrap()[0].address.to_string(), "127.0.0.1:39811");
    write_home(data.path(), "127.0.0.1:39812", TOKEN);
    assert_eq!(home.endpoints().unwrap()[0].address.to_string(), "127.0.0.1:39812");
    let mut files: Vec<_> = fs::read_dir(data.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["config.json", "control_token.txt"], "reading creates nothing");
}

#[test]
fn what_a_daemon_would_not_write_is_refused_with_a_sentence() {
    let data = tempfile::tempdir().unwrap();
    let home = Home::at(data.path());
    write_home(data.path(), "127.0.0.1:1", TOKEN);
    for (config, expected) in
        [("nonsense", "configuration in JSON"), ("{}", "control_addr"), ("{\"control_addr\":\" \"}", "control_addr")]
    {
        fs::write(data.path().join("config.json"), config).unwrap();
        let error = home.endpoints().unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("`anet up`"), "{error}");
    }
    write_home(data.path(), "192.168.0.1:1", TOKEN);
    fs::remove_file(data.path().join("control_token.txt")).unwrap();
    let error = home.endpoints().unwrap_err();
    assert!(matches!(error, HomeError::NotLoopback { .. }), "the address is judged before the token is read: {error}");
    for token in ["", "two words", "ünicode"] {
        write_home(data.path(), "127.0.0.1:1", token);
        assert!(matches!(home.endpoints(), Err(HomeError::BadToken { .. })), "{token:?}");
    }
}

#[test]
fn a_token_never_shows_itself() {
    let token = Token::parse(TOKEN).unwrap();
    assert!(!format!("{token:?}").contains("0123"));
    let endpoint = Endpoint { address: ControlAddress::parse("127.0.0.1:1").unwrap(), token, data_dir: PathBuf::new() };
    assert!(!format!("{endpoint:?}").contains("0123"));
}

#[test]
fn a_pointer_is_followed_only_through_private_places() {
    let (user, plain) = empty();
    let runtime = user.path().join("runtime");
    let directory = runtime.join("anet");
    let data = user.path().join("elsewhere");
    fs::create_dir_all(&directory).unwrap();
    mode(&runtime, 0o700);
    mode(&directory, 0o700);
    write_home(&data, "127.0.0.1:7", TOKEN);
    let pointer = directory.join("daemon.json");
    let text = format!("{{\"control_addr\":\"127.0.0.1:7\",\"data_dir\":\"{}\"}}", data.display());
    fs::write(&pointer, &text).unwrap();
    mode(&pointer, 0o600);
    let environment = Environment { xdg_runtime_dir: Some(runtime.clone().into()), ..plain };
    let home = Home::choose(&environment).unwrap();
    let found = || home.endpoints().is_ok_and(|found| found.iter().any(|endpoint| endpoint.data_dir == data));
    assert!(found());

    for path in [&runtime, &directory] {
        mode(path, 0o750);
        assert!(!found(), "{}", path.display());
        mode(path, 0o700);
    }
    mode(&pointer, 0o622);
    assert!(!found());
    mode(&pointer, 0o600);
    for bad in [
        "{}".to_owned(),
        text.replace("127.0.0.1", "10.0.0.1"),
        text.replace("127.0.0.1:7", ""),
        "{\"control_addr\":\"127.0.0.1:7\",\"data_dir\":\"\"}".to_owned(),
        "{\"control_addr\":\"127.0.0.1:7\",\"data_dir\":\"elsewhere\"}".to_owned(),
    ] {
        fs::write(&pointer, &bad).unwrap();
        assert!(!found(), "{bad}");
    }
    fs::write(&pointer, &text).unwrap();
    assert!(found());

    let real = user.path().join("real");
    fs::rename(&directory, &real).unwrap();
    std::os::unix::fs::symlink(&real, &directory).unwrap();
    assert!(!found(), "a link is not a directory of one's own");

    let strict = Environment { anet_home: Some(user.path().join("h").into()), ..environment };
    assert!(Home::choose(&strict).unwrap().endpoints().is_err(), "strict mode follows no pointer");
}

#[test]
fn a_pointer_counts_only_without_a_daemon_of_ones_own() {
    let (user, plain) = empty();
    let directory = user.path().join("anet");
    fs::create_dir(&directory).unwrap();
    mode(user.path(), 0o700);
    mode(&directory, 0o700);
    let data = user.path().join("elsewhere");
    write_home(&data, "127.0.0.1:7", TOKEN);
    write_home(&user.path().join(".anet"), "127.0.0.1:8", TOKEN);
    let pointer = directory.join("daemon.json");
    fs::write(&pointer, format!("{{\"control_addr\":\"127.0.0.1:7\",\"data_dir\":\"{}\"}}", data.display())).unwrap();
    mode(&pointer, 0o600);
    let environment = Environment { xdg_runtime_dir: Some(user.path().into()), ..plain };
    let home = Home::choose(&environment).unwrap();
    let ports = || -> Vec<u16> { home.endpoints().unwrap().iter().map(|found| found.address.port()).collect() };
    assert_eq!(ports(), [8], "another identity does not step in for one that is down");
    fs::remove_file(user.path().join(".anet/control_token.txt")).unwrap();
    assert_eq!(ports()[0], 7);
}
