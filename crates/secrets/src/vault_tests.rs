//! Over a keychain of the test's own: the system's is tried in the stage `window`.

#![allow(clippy::disallowed_methods, reason = "spoils and compares files")]

use super::*;
use crate::keychain::Entries;
use base::Coded;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

const VALUE: &str = "sk-live-7f3b\"line\n第二行";

/// What a keychain holds, for the test to look at.
type Held = Arc<Mutex<BTreeMap<String, String>>>;

struct Own {
    held: Held,
    /// Every change first takes one of these.
    leave: Option<Receiver<()>>,
}

impl Entries for Own {
    fn set(&self, name: &str, value: &str) -> Result<(), Trouble> {
        if let Some(leave) = &self.leave {
            leave.recv().map_err(|_| Trouble::Other("closed".to_owned()))?;
        }
        locked(&self.held).insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn get(&self, name: &str) -> Result<String, Trouble> {
        locked(&self.held).get(name).cloned().ok_or(Trouble::Missing)
    }

    fn remove(&self, name: &str) -> Result<(), Trouble> {
        locked(&self.held).remove(name).map(drop).ok_or(Trouble::Missing)
    }
}

fn keychain(held: &Held, leave: Option<Receiver<()>>) -> Keychain {
    let held = held.clone();
    Keychain::new(Box::new(move || {
        Ok(Box::new(Own { held, leave }) as Box<dyn Entries>)
    }))
}

fn absent() -> Keychain {
    Keychain::new(Box::new(|| Err(Trouble::Absent("none here".to_owned()))))
}

fn vault(folder: &Path, setting: SecretsIn, held: &Held) -> Vault {
    Vault::with(folder.to_owned(), setting, keychain(held, None))
}

fn token() -> Owner {
    Owner::variable("github", "API_TOKEN")
}

/// All bytes of a folder's files.
fn bytes(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        all.extend(fs::read(entry.unwrap().path()).unwrap());
    }
    all
}

fn holds(folder: &Path, value: &str) -> bool {
    bytes(folder)
        .windows(value.len())
        .any(|part| part == value.as_bytes())
}

#[test]
fn a_value_is_read_back_by_its_owner_alone_after_a_restart() {
    for setting in [SecretsIn::Auto, SecretsIn::Keychain, SecretsIn::File] {
        let dir = tempfile::tempdir().unwrap();
        let held = Held::default();
        let kept = vault(dir.path(), setting, &held)
            .keep(&token(), VALUE)
            .unwrap()
            .unwrap();
        let in_file = setting == SecretsIn::File;
        assert_eq!(kept.place() == Place::File, in_file);
        assert_eq!(locked(&held).len(), usize::from(!in_file));
        assert!(!holds(dir.path(), "sk-live"), "{setting:?}");
        let again = vault(dir.path(), setting, &held);
        assert_eq!(again.known(), Vec::<String>::new());
        let at_once = again.read(&token(), &kept, Patience::Never);
        assert_eq!(at_once.is_ok(), in_file, "a keychain is not asked");
        assert_eq!(again.read(&token(), &kept, Patience::Short).unwrap(), VALUE);
        assert_eq!(
            again.read(&token(), &kept, Patience::Never).unwrap(),
            VALUE,
            "known by now"
        );
        assert_eq!(again.known(), [VALUE]);
        for other in [
            Owner::variable("github", "OTHER_TOKEN"),
            Owner::variable("attacker", "API_TOKEN"),
            Owner::model("tool/github/API_TOKEN"),
        ] {
            // Known by now, and from the disk.
            for asked in [&again, &vault(dir.path(), setting, &held)] {
                let refused = asked.read(&other, &kept, Patience::Short).unwrap_err();
                assert_eq!(refused.code(), "secret_missing", "{other:?}");
            }
        }
    }
}

#[test]
fn without_a_keychain_the_file_is_used_unless_a_person_wants_the_keychain() {
    let dir = tempfile::tempdir().unwrap();
    let auto = Vault::with(dir.path().to_owned(), SecretsIn::Auto, absent());
    assert_eq!(auto.place(), Some(Place::File));
    let kept = auto.keep(&token(), VALUE).unwrap().unwrap();
    assert_eq!(kept.place(), Place::File);
    auto.follow(SecretsIn::Keychain);
    let refused = auto.keep(&token(), VALUE).unwrap_err();
    assert_eq!(refused.code(), "secret_no_keychain");
    auto.follow(SecretsIn::Env);
    assert_eq!(auto.keep(&token(), VALUE).unwrap(), None);
    // What was kept is there whatever is chosen for the next.
    assert_eq!(auto.read(&token(), &kept, Patience::Short).unwrap(), VALUE);
    let elsewhere = "pm-secret:keychain/0123456789abcdef0123456789abcdef"
        .parse()
        .unwrap();
    let lost = auto.read(&token(), &elsewhere, Patience::Short).unwrap_err();
    assert_eq!(lost.code(), "secret_unavailable");
}

#[test]
fn a_keychain_that_does_not_answer_holds_up_one_and_then_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let held = Held::default();
    let (let_go, leave): (Sender<()>, _) = channel();
    let slow = keychain(&held, Some(leave));
    let stuck = Trouble::Other("the keychain does not answer".to_owned());
    // It waits for a person, longer than whoever asks next has patience.
    std::thread::scope(|scope| {
        let first = scope.spawn(|| slow.set("a".to_owned(), "1".to_owned()));
        let waited = loop {
            // Until the first one's job has been taken, this one's is done.
            match slow.get("a".to_owned(), Patience::Short) {
                Err(Trouble::Missing) => std::thread::yield_now(),
                other => break other,
            }
        };
        assert_eq!(waited, Err(stuck.clone()));
        let before = std::time::Instant::now();
        assert_eq!(slow.get("a".to_owned(), Patience::Person), Err(stuck.clone()));
        assert!(before.elapsed() < Patience::Short.limit(), "told at once");
        let_go.send(()).unwrap();
        first.join().unwrap().unwrap();
    });
    // The one that was given up is done before this one, which has the answer.
    let answer = loop {
        match slow.get("a".to_owned(), Patience::Person) {
            Err(trouble) if trouble == stuck => std::thread::yield_now(),
            other => break other,
        }
    };
    assert_eq!(answer, Ok("1".to_owned()));
    drop(dir);
}

#[test]
fn what_nobody_names_is_swept_and_what_is_named_stays() {
    let dir = tempfile::tempdir().unwrap();
    let held = Held::default();
    let vault = vault(dir.path(), SecretsIn::Keychain, &held);
    let named = vault.keep(&token(), "first-value").unwrap().unwrap();
    // Killed after the keychain was written, and before the reference was.
    vault.keep(&token(), "second-value").unwrap().unwrap();
    vault.follow(SecretsIn::File);
    vault.keep(&token(), "third-value").unwrap().unwrap();
    let used = HashSet::from([named.clone()]);
    assert_eq!(vault.sweep(&used, 0).unwrap(), 0, "younger than that");
    let now = clock::now_ms() + 1;
    assert_eq!(vault.sweep(&used, now).unwrap(), 2);
    assert_eq!(locked(&held).len(), 1);
    assert_eq!(
        vault.read(&token(), &named, Patience::Short).unwrap(),
        "first-value"
    );
    let stranger = Owner::variable("other", "API_TOKEN");
    vault.forget(&[(stranger, named.clone())]).unwrap();
    assert_eq!(locked(&held).len(), 1, "not its to forget");
    vault.forget(&[(token(), named)]).unwrap();
    assert!(locked(&held).is_empty());
    assert!(vault.files.read().unwrap().rows.is_empty());
}

#[test]
fn an_entry_that_cannot_be_removed_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let held = Held::default();
    vault(dir.path(), SecretsIn::Keychain, &held)
        .keep(&token(), VALUE)
        .unwrap();
    let now = clock::now_ms() + 1;
    let without = Vault::with(dir.path().to_owned(), SecretsIn::Auto, absent());
    assert_eq!(without.sweep(&HashSet::new(), now).unwrap(), 0);
    assert_eq!(
        vault(dir.path(), SecretsIn::Auto, &held)
            .sweep(&HashSet::new(), now)
            .unwrap(),
        1
    );
    assert!(locked(&held).is_empty());
}

#[test]
fn a_broken_file_or_a_lost_key_is_said_and_nothing_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let held = Held::default();
    let kept = vault(dir.path(), SecretsIn::File, &held)
        .keep(&token(), VALUE)
        .unwrap()
        .unwrap();
    let other = Owner::variable("github", "OTHER_KEY");
    let index = dir.path().join("kept.json");
    let key = dir.path().join("key");
    let whole = fs::read_to_string(&index).unwrap();
    let bytes_of_key = fs::read(&key).unwrap();
    let again = || vault(dir.path(), SecretsIn::File, &held);
    let refused = |what: &str| {
        let read = again().read(&token(), &kept, Patience::Short).unwrap_err();
        assert_eq!(read.code(), "secret_store_invalid", "{what}");
    };
    fs::remove_file(&key).unwrap();
    refused("the key is gone");
    assert_eq!(
        again().keep(&other, "x-value").unwrap_err().code(),
        "secret_store_invalid"
    );
    assert!(!key.exists(), "no other key");
    fs::write(&key, "c2hvcnQ=\n").unwrap();
    refused("no key");
    fs::write(&key, &bytes_of_key).unwrap();
    for text in ["{", "[]", "{\"form\": 2, \"rows\": {}}"] {
        fs::write(&index, text).unwrap();
        refused(text);
        assert_eq!(
            again().keep(&other, "x-value").unwrap_err().code(),
            "secret_store_invalid"
        );
        assert_eq!(fs::read_to_string(&index).unwrap(), text);
    }
    // A row that is another's by hand does not open.
    fs::write(
        &index,
        whole.replace("tool/github/API_TOKEN", "tool/github/OTHER_KEY"),
    )
    .unwrap();
    let moved = again().read(&other, &kept, Patience::Short).unwrap_err();
    assert_eq!(moved.code(), "secret_store_invalid");
    fs::write(&index, whole).unwrap();
    assert_eq!(again().read(&token(), &kept, Patience::Short).unwrap(), VALUE);
}

#[test]
fn files_are_for_their_person_alone_and_a_value_has_a_limit() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let vault = Vault::with(dir.path().to_owned(), SecretsIn::Auto, absent());
    let most = "x".repeat(LONGEST);
    let kept = vault.keep(&token(), &most).unwrap().unwrap();
    assert_eq!(vault.read(&token(), &kept, Patience::Short).unwrap(), most);
    assert_eq!(
        vault.keep(&token(), &format!("{most}x")).unwrap_err().code(),
        "secret_too_long"
    );
    for name in ["key", "kept.json"] {
        let mode = fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whatever the value: it comes back the same, and stands in no file.
    #[test]
    fn every_value_comes_back(value in "(?s)[a-zäß第\\n\\r\"'#$ ]{8,40}") {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::with(dir.path().to_owned(), SecretsIn::File, absent());
        let kept = vault.keep(&token(), &value).unwrap().unwrap();
        let again = Vault::with(dir.path().to_owned(), SecretsIn::File, absent());
        prop_assert_eq!(again.read(&token(), &kept, Patience::Short).unwrap(), value.clone());
        prop_assert!(!holds(dir.path(), &value));
        prop_assert_eq!(kept.to_string().parse::<Reference>(), Ok(kept));
    }
}
