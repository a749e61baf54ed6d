use super::*;
use crate::command::toolchains::HomeLink;
use crate::command::{Proxy, Toolchains};
use base::Coded;

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
        ],
        ..Facts::nothing()
    }
}

fn policy() -> CommandPolicy {
    let mut policy = CommandPolicy::new("/opt/pm/pm-worker", "/home/u/ws", Run::Shell("make".into()));
    policy.cwd = "src".into();
    policy.masked = vec!["/home/u/ws/.prompt-manager".into()];
    policy.mounts = vec![Mount::read_only("/home/u/docs")];
    policy.toolchains = Toolchains {
        folders: vec!["/home/u/.cargo/bin".into()],
        path: vec!["/home/u/.cargo/bin".into()],
        links: vec![HomeLink {
            name: ".cargo/registry".into(),
            target: "/home/u/.cargo/registry".into(),
        }],
        ..Toolchains::default()
    };
    policy
}

fn said(prepared: &PreparedCommand) -> String {
    let words = prepared
        .wrapper()
        .unwrap()
        .options
        .iter()
        .map(|word| word.to_str().unwrap());
    words.collect::<Vec<_>>().join(" ").replace(" --", "\n--")
}

fn code(policy: &CommandPolicy, facts: &Facts) -> &'static str {
    prepare_command(policy, facts).unwrap_err().code()
}

#[test]
fn the_full_tier_in_words() {
    let prepared = prepare_command(&policy(), &facts()).unwrap();
    insta::assert_snapshot!("command_full", said(&prepared));
}

#[test]
fn the_confinement_in_words() {
    let full = prepare_command(&policy(), &facts()).unwrap();
    let mut policy = policy();
    policy.masked.clear();
    let reduced = prepare_command(&policy, &facts().only(Tier::Reduced)).unwrap();
    assert!(reduced.wrapper().is_none());
    let both = [full, reduced].map(|prepared| format!("{:#?}", prepared.confinement()));
    insta::assert_snapshot!("command_confinement", both.join("\n"));
}

#[test]
fn networks_are_unshared_relayed_or_open() {
    let mut policy = policy();
    assert!(said(&prepare_command(&policy, &facts()).unwrap()).contains("--unshare-net"));
    policy.network = Network::Proxy(Proxy {
        socket: "/run/pm/proxy".into(),
        port: 3128,
    });
    let proxied = said(&prepare_command(&policy, &facts()).unwrap());
    assert!(proxied.contains("--unshare-net") && proxied.contains("--bind /run/pm/proxy /run/proxy.sock"));
    assert!(proxied.contains("--setenv HTTPS_PROXY http://127.0.0.1:3128"));
    assert_eq!(
        code(&policy, &facts().only(Tier::Reduced)),
        "sandbox_network_needs_full"
    );
    policy.network = Network::Open;
    let open = said(&prepare_command(&policy, &facts()).unwrap());
    assert!(!open.contains("--unshare-net") && open.contains("/etc/resolv.conf"));
}

#[test]
fn what_is_refused() {
    assert_eq!(code(&policy(), &facts().only(Tier::None)), "sandbox_unavailable");
    let with = |change: fn(&mut CommandPolicy)| {
        let mut policy = policy();
        change(&mut policy);
        code(&policy, &facts())
    };
    assert_eq!(with(|p| p.cwd = "../x".into()), "sandbox_path_invalid");
    assert_eq!(with(|p| p.cwd = "/etc".into()), "sandbox_cwd");
    assert_eq!(with(|p| p.workspace = "ws".into()), "sandbox_path_invalid");
    assert_eq!(with(|p| p.workspace = "/".into()), "sandbox_path_forbidden");
    assert_eq!(with(|p| p.workspace = "/etc".into()), "sandbox_path_forbidden");
    assert_eq!(with(|p| p.workspace = "/proc/x".into()), "sandbox_path_forbidden");
    assert_eq!(with(|p| p.masked.push("/home/u/ws".into())), "sandbox_masked");
    assert_eq!(
        with(|p| p.mounts.push(Mount::read_only("/tmp"))),
        "sandbox_path_forbidden"
    );
    assert_eq!(
        with(|p| p.mounts.push(Mount::read_write("/workspace/x"))),
        "sandbox_path_forbidden"
    );
    assert_eq!(
        with(|p| p.env.push(("LD_PRELOAD".into(), "x".into()))),
        "sandbox_environment"
    );
    assert_eq!(with(|p| p.run = Run::Shell("a\0b".into())), "sandbox_argument");
    assert_eq!(with(|p| p.run = Run::Program(Vec::new())), "sandbox_argument");
    assert_eq!(code(&policy(), &facts().only(Tier::Reduced)), "sandbox_masked");
}

#[test]
fn git_is_bound_behind_the_workspace() {
    let parts = [
        GitPart {
            name: ".git".into(),
            guard: GitGuard::Keep,
        },
        GitPart {
            name: ".git/hooks".into(),
            guard: GitGuard::Empty,
        },
        GitPart {
            name: ".git/config".into(),
            guard: GitGuard::ReadOnly,
        },
    ];
    let words = git_options(Path::new("/ws"), &parts);
    let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(
        words.join(" "),
        "--bind /ws/.git /workspace/.git --size 65536 --tmpfs /workspace/.git/hooks \
         --remount-ro /workspace/.git/hooks --ro-bind /ws/.git/config /workspace/.git/config"
    );
}
