use super::*;
use proptest::prelude::*;

fn code(result: Result<Vec<Step>, SandboxError>) -> &'static str {
    base::Coded::code(&result.unwrap_err())
}

#[test]
fn paths_that_can_never_be_mounted() {
    let one = |mount: Mount| code(layout(&[], &[mount], &[], Tier::Full));
    for path in ["a/b", "", ".", "/a/../b", "/..", "/a\0b"] {
        assert_eq!(one(Mount::read_only(path)), "sandbox_path_invalid", "{path:?}");
    }
    let not_text = std::ffi::OsStr::from_bytes(b"/a\xff");
    assert_eq!(one(Mount::read_only(not_text)), "sandbox_path_invalid");
    for path in [
        "/",
        "//",
        "/./",
        "/proc",
        "/proc/self/root/home",
        "/sys/fs",
        "/dev",
        "/dev/sda",
    ] {
        assert_eq!(one(Mount::read_only(path)), "sandbox_path_forbidden", "{path}");
    }
    for path in ["/usr", "/usr/local/share/x", "/etc", "/lib64", "/boot"] {
        assert_eq!(one(Mount::read_write(path)), "sandbox_path_forbidden", "{path}");
        assert!(layout(&[], &[Mount::read_only(path)], &[], Tier::Full).is_ok());
    }
    assert!(layout(&[], &[Mount::read_write("/usr2")], &[], Tier::Full).is_ok());
    assert_eq!(
        code(layout(&[], &[], &["x".into()], Tier::Full)),
        "sandbox_path_invalid"
    );
}

#[test]
fn the_data_home_opens_only_where_something_below_it_is_mounted() {
    let home: PathBuf = "/home/u/.prompt-manager".into();
    let tool = Mount::read_only("/home/u/.prompt-manager/toolbox/t");
    let data = Mount::read_write("/home/u/.prompt-manager/toolbox/t/data");
    let user = Mount::read_write("/home//u/./");
    let steps = layout(
        &[],
        &[data.clone(), user, tool.clone(), tool.clone()],
        std::slice::from_ref(&home),
        Tier::Full,
    )
    .unwrap();
    let expected = [
        Step::Show(Mount::read_write("/home/u")),
        Step::Hide(home.clone()),
        Step::Show(tool.clone()),
        Step::Show(data.clone()),
    ];
    assert_eq!(steps, expected);
    let alone = layout(
        &[],
        &[tool.clone(), data.clone()],
        std::slice::from_ref(&home),
        Tier::Full,
    )
    .unwrap();
    assert_eq!(
        alone,
        [Step::Show(tool), Step::Show(data)],
        "nothing shows the home: nothing to hide"
    );
}

#[test]
fn what_cannot_be_promised_is_refused() {
    let home: Vec<PathBuf> = vec!["/home/u/.pm".into()];
    for tier in [Tier::Full, Tier::Reduced] {
        assert_eq!(
            code(layout(&[], &[Mount::read_only("/home/u/.pm")], &home, tier)),
            "sandbox_masked"
        );
        let twice = [Mount::read_only("/a"), Mount::read_write("/a")];
        assert_eq!(code(layout(&[], &twice, &[], tier)), "sandbox_conflict");
    }
    let above = [Mount::read_only("/home")];
    assert!(layout(&[], &above, &home, Tier::Full).is_ok());
    assert_eq!(code(layout(&[], &above, &home, Tier::Reduced)), "sandbox_masked");
    let in_system: Vec<PathBuf> = vec!["/usr/share/pm".into()];
    assert_eq!(
        code(layout(&[Path::new("/usr")], &[], &in_system, Tier::Reduced)),
        "sandbox_masked"
    );
    let hidden = layout(&[Path::new("/usr")], &[], &in_system, Tier::Full).unwrap();
    assert_eq!(hidden, [Step::Hide("/usr/share/pm".into())]);
    let nested = [Mount::read_write("/w"), Mount::read_only("/w/.git")];
    assert!(layout(&[], &nested, &[], Tier::Full).is_ok());
    assert_eq!(code(layout(&[], &nested, &[], Tier::Reduced)), "sandbox_conflict");
}

/// What a sequence of binds and empty folders leaves visible, computed as the kernel does:
/// a later step replaces the whole subtree at its path.
fn visible(steps: &[Step], path: &Path) -> Option<Access> {
    steps
        .iter()
        .rev()
        .find(|step| path.starts_with(step.path()))
        .and_then(|step| match step {
            Step::Show(mount) => Some(mount.access),
            Step::Hide(_) => None,
        })
}

fn some_path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..5)
        .prop_map(|parts| Path::new("/r").join(parts.join("/")))
}

fn some_mount() -> impl Strategy<Value = Mount> {
    (some_path(), any::<bool>()).prop_map(|(path, write)| match write {
        true => Mount::read_write(path),
        false => Mount::read_only(path),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever is asked for: a path is seen exactly when the deepest mount or mask above it is a
    /// mount, with that mount's access.
    #[test]
    fn the_deepest_word_counts(
        mounts in prop::collection::vec(some_mount(), 0..6),
        masked in prop::collection::vec(some_path(), 0..4),
        looked_at in prop::collection::vec(some_path(), 20),
        full in any::<bool>(),
    ) {
        let tier = if full { Tier::Full } else { Tier::Reduced };
        let Ok(steps) = layout(&[], &mounts, &masked, tier) else { return Ok(()) };
        for path in looked_at {
            let mount = mounts.iter().filter(|mount| path.starts_with(&mount.path))
                .max_by_key(|mount| mount.path.components().count());
            let mask = masked.iter().filter(|mask| path.starts_with(mask))
                .max_by_key(|mask| mask.components().count());
            let expected = match (mount, mask) {
                (None, _) => None,
                (Some(mount), Some(mask)) if mask.starts_with(&mount.path) => None,
                (Some(mount), _) => Some(mount.access),
            };
            prop_assert_eq!(visible(&steps, &path), expected, "{:?} in {:?}", path, steps);
        }
    }

    /// The reduced tier accepts only what plain addition of rights already gets right.
    #[test]
    fn without_namespaces_nothing_has_to_be_hidden(
        mounts in prop::collection::vec(some_mount(), 0..6),
        masked in prop::collection::vec(some_path(), 0..4),
    ) {
        let Ok(steps) = layout(&[], &mounts, &masked, Tier::Reduced) else { return Ok(()) };
        prop_assert!(steps.iter().all(|step| matches!(step, Step::Show(_))));
    }
}
