use crate::tool;
use base::{Coded, DataHome};
use proptest::prelude::*;
use std::path::{Component, Path, PathBuf};
use toolbox::directories::{Origin, allowed, normalised};

fn home() -> DataHome {
    DataHome::at("/data/pm").unwrap()
}

fn from_variable(text: &str) -> Result<Vec<PathBuf>, &'static str> {
    match allowed(&home(), &tool("x"), Some(text), &["/never".to_owned()]) {
        Ok(list) => {
            assert_eq!(list.origin, Origin::Environment);
            Ok(list.paths)
        }
        Err(error) => Err(error.code()),
    }
}

#[test]
fn it_is_a_chain() {
    let declared = [
        "~/.prompt-manager/toolbox/{toolname}/data".to_owned(),
        "~/.prompt-manager/shared".to_owned(),
    ];
    let list = allowed(&home(), &tool("x"), Some("/a"), &declared).unwrap();
    assert_eq!(
        (list.origin, list.paths),
        (Origin::Environment, vec![PathBuf::from("/a")])
    );
    for configured in [None, Some(""), Some("  ")] {
        let list = allowed(&home(), &tool("x"), configured, &declared).unwrap();
        assert_eq!(list.origin, Origin::RuntimeConfig);
        assert_eq!(
            list.paths,
            [Path::new("/data/pm/toolbox/x/data"), Path::new("/data/pm/shared")]
        );
    }
    let list = allowed(&home(), &tool("x"), None, &[]).unwrap();
    assert_eq!(
        (list.origin, list.paths),
        (Origin::Data, vec![PathBuf::from("/data/pm/toolbox/x/data")])
    );
}

#[test]
fn all_ways_to_write_a_list() {
    let expected = vec![PathBuf::from("/data/pm"), PathBuf::from("/tmp/b c")];
    for text in [
        "[\"~/.prompt-manager\", \"/tmp/b c\"]",
        "[~/.prompt-manager, /tmp/b c]",
        "['~/.prompt-manager', '/tmp/b c']",
        "- ~/.prompt-manager\n- /tmp/b c",
        "~/.prompt-manager,/tmp/b c",
        " ~/.prompt-manager , \"/tmp/b c\" ",
        "~/.prompt-manager/../pm/x/..,/tmp/./b c/, /tmp/b c"
            .replace("/../pm/x/..", "/x/..")
            .as_str(),
    ] {
        assert_eq!(from_variable(text), Ok(expected.clone()), "{text:?}");
    }
    assert_eq!(from_variable("/one path"), Ok(vec![PathBuf::from("/one path")]));
    let user = base::home::user_home().unwrap();
    assert_eq!(from_variable("~/docs"), Ok(vec![user.join("docs")]));
    assert_eq!(from_variable("~"), Ok(vec![user]));
    assert_eq!(
        from_variable("/a/../../.."),
        Ok(vec![PathBuf::from("/")]),
        "above the root is the root"
    );
}

#[test]
fn doubtful_entries_are_refused() {
    for (text, code) in [
        ("relative", "directory_relative"),
        ("/a, relative", "directory_relative"),
        ("./a", "directory_relative"),
        ("~other/a", "directory_relative"),
        ("[\"/a\", \"\"]", "directory_empty"),
        ("/a,,/b", "directory_empty"),
        ("/a,", "directory_empty"),
        ("[]", "directory_empty"),
        ("/a\0b", "directory_nul"),
        ("[\"/a\"", "directory_relative"),
    ] {
        assert_eq!(from_variable(text), Err(code), "{text:?}");
    }
    let many = (0..65).map(|n| format!("/d{n}")).collect::<Vec<_>>().join(",");
    assert_eq!(from_variable(&many), Err("directory_too_many"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_list_is_absolute_normalised_and_without_repetitions(text in "[/a.~,\\[\\]\"' -]{0,30}|\\PC{0,20}") {
        if let Ok(paths) = from_variable_or_none(&text) {
            prop_assert!(!paths.is_empty());
            for (index, path) in paths.iter().enumerate() {
                prop_assert!(path.is_absolute());
                prop_assert!(path.components().skip(1).all(|part| matches!(part, Component::Normal(_))));
                prop_assert_eq!(&normalised(path), path);
                prop_assert!(!paths[..index].contains(path));
            }
        }
    }
}

fn from_variable_or_none(text: &str) -> Result<Vec<PathBuf>, &'static str> {
    allowed(&home(), &tool("x"), Some(text), &[])
        .map(|list| list.paths)
        .map_err(|error| error.code())
}
