use super::*;
use crate::policy::{Kind, Limits};

fn facts() -> Facts {
    Facts {
        namespaces: Namespaces::Work {
            bwrap: "/usr/bin/bwrap".into(),
        },
        landlock: 7,
        seccomp: true,
        system: vec![
            SystemPath::Folder("/usr".into()),
            SystemPath::Link {
                path: "/bin".into(),
                target: "usr/bin".into(),
            },
            SystemPath::Optional("/etc/ld.so.cache".into()),
        ],
        ..Facts::nothing()
    }
}

fn policy() -> Policy {
    Policy {
        kind: Kind::Worker,
        program: "/opt/pm/pm-worker".into(),
        args: vec!["--tool".into(), "t".into()],
        cwd: "/home/u/.pm/toolbox/t".into(),
        env: vec![("HOME".into(), "/home/u".into())],
        mounts: vec![
            Mount::read_write("/home/u/.pm/toolbox/t/data"),
            Mount::read_only("/home/u"),
            Mount::read_only("/home/u/.pm/toolbox/t"),
        ],
        masked: vec!["/home/u/.pm".into()],
        limits: Limits {
            scratch: 1 << 20,
            ..Limits::default()
        },
    }
}

fn code(policy: &Policy, facts: &Facts) -> &'static str {
    base::Coded::code(&prepare(policy, facts).unwrap_err())
}

#[test]
fn the_full_tier_in_words() {
    let prepared = prepare(&policy(), &facts()).unwrap();
    let said = prepared
        .wrapper()
        .unwrap()
        .options
        .iter()
        .map(|word| word.to_str().unwrap());
    let said = said.collect::<Vec<_>>().join(" ").replace(" --", "\n--");
    let expected = "\
--unshare-user
--unshare-ipc
--unshare-pid
--unshare-net
--unshare-uts
--unshare-cgroup
--disable-userns
--cap-drop ALL
--hostname sandbox
--clearenv
--die-with-parent
--setenv HOME /home/u
--ro-bind /usr /usr
--symlink usr/bin /bin
--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache
--proc /proc
--dev-bind /dev/null /dev/null
--dev-bind /dev/zero /dev/zero
--dev-bind /dev/full /dev/full
--dev-bind /dev/random /dev/random
--dev-bind /dev/urandom /dev/urandom
--perms 1777
--size 1048576
--tmpfs /tmp
--ro-bind /home/u /home/u
--size 65536
--tmpfs /home/u/.pm
--ro-bind /opt/pm/pm-worker /opt/pm/pm-worker
--ro-bind /home/u/.pm/toolbox/t /home/u/.pm/toolbox/t
--bind /home/u/.pm/toolbox/t/data /home/u/.pm/toolbox/t/data
--remount-ro /home/u/.pm
--remount-ro /proc
--remount-ro /
--chdir /home/u/.pm/toolbox/t";
    assert_eq!(said, expected);
    assert_eq!(
        prepared,
        prepare(&policy(), &facts()).unwrap(),
        "the same every time"
    );
}

#[test]
fn the_reduced_tier_has_no_wrapper_and_the_same_grants_inside() {
    let reduced = facts().only(Tier::Reduced);
    assert_eq!(
        code(&policy(), &reduced),
        "sandbox_masked",
        "/home/u would uncover the data home"
    );
    let mut narrow = policy();
    narrow.mounts.remove(1);
    let prepared = prepare(&narrow, &reduced).unwrap();
    assert_eq!(prepared.wrapper(), None);
    assert_eq!(prepared.tier(), Tier::Reduced);
    let full = prepare(&narrow, &facts()).unwrap();
    assert_eq!(full.confinement().grants, prepared.confinement().grants);
    let granted: Vec<_> = prepared
        .confinement()
        .grants
        .iter()
        .map(|grant| &grant.mount)
        .collect();
    let expected = [
        &Mount::read_only("/opt/pm/pm-worker"),
        &Mount::read_only("/home/u/.pm/toolbox/t"),
        &Mount::read_write("/home/u/.pm/toolbox/t/data"),
    ];
    assert_eq!(granted, expected);
}

#[test]
fn without_a_wall_there_is_no_process() {
    for (facts, missing) in [
        (Facts::nothing(), "seccomp"),
        (facts().only(Tier::None), "seccomp"),
        (
            Facts {
                landlock: 0,
                namespaces: Namespaces::NoBwrap,
                ..facts()
            },
            "bubblewrap, Landlock",
        ),
    ] {
        let error = prepare(&policy(), &facts).unwrap_err();
        assert_eq!(base::Coded::code(&error), "sandbox_unavailable");
        assert_eq!(base::Coded::args(&error)["missing"], missing);
    }
}

#[test]
fn what_acts_before_the_inner_wall_is_refused() {
    for name in [
        "LD_PRELOAD",
        "LD_AUDIT",
        "GLIBC_TUNABLES",
        "LOCPATH",
        "MALLOC_TRACE",
        "",
        "A=B",
        "A\0",
    ] {
        let mut policy = policy();
        policy.env.push((name.into(), "x".into()));
        assert_eq!(code(&policy, &facts()), "sandbox_environment", "{name:?}");
    }
    let mut harmless = policy();
    harmless.env.push(("OLD_LD_PRELOAD".into(), "x".into()));
    assert!(prepare(&harmless, &facts()).is_ok());
    let mut zero = policy();
    zero.args.push("a\0b".into());
    assert_eq!(code(&zero, &facts()), "sandbox_argument");
}

#[test]
fn the_working_folder_lies_in_a_mount() {
    for (cwd, expected) in [
        ("/home/u/.pm", "sandbox_cwd"),
        ("/home/u/.pm/toolbox/other", "sandbox_cwd"),
        ("/srv", "sandbox_cwd"),
        ("relative", "sandbox_path_invalid"),
    ] {
        let policy = Policy {
            cwd: cwd.into(),
            ..policy()
        };
        assert_eq!(code(&policy, &facts()), expected, "{cwd}");
    }
    for cwd in ["/", "/home/u/x", "/home/u/.pm/toolbox/t/data"] {
        assert!(
            prepare(
                &Policy {
                    cwd: cwd.into(),
                    ..policy()
                },
                &facts()
            )
            .is_ok(),
            "{cwd}"
        );
    }
}
