//! What the machine must have before anything can be built. On Debian and its children missing
//! packages are installed; elsewhere they are named, exactly, and nothing is touched.

use crate::{Outcome, nats, proc};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

/// Why something is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Any Rust build.
    Build,
    /// The window.
    Desktop,
    /// Workers and commands in full isolation.
    Sandbox,
    /// Formatting, lints, and the Python client of the tests.
    Test,
    /// The web page in a real browser.
    Browser,
    /// The real window: a screen, a session bus, WebKit's driver, a tray of our own.
    Window,
    /// A bare system to try a package on.
    Bare,
    /// What a peer of the canvas is built from.
    Peers,
}

/// Everything: what `test` needs.
pub const ALL: &[Need] = &[
    Need::Build,
    Need::Desktop,
    Need::Sandbox,
    Need::Test,
    Need::Browser,
    Need::Window,
];
/// What `dist` needs.
pub const DIST: &[Need] = &[Need::Build, Need::Desktop, Need::Sandbox];
/// What `dist --try` needs besides.
pub const BARE: &[Need] = &[Need::Bare];
/// What `bench canvas` needs besides.
pub const PEERS: &[Need] = &[Need::Peers];
/// Pictures of the web page.
pub const PICTURES: &[Need] = &[Need::Build, Need::Sandbox, Need::Browser];
/// What `pm serve` alone needs.
pub const HEADLESS: &[Need] = &[Need::Build, Need::Sandbox];
/// What the desktop needs.
pub const DESKTOP: &[Need] = &[Need::Build, Need::Desktop, Need::Sandbox];

/// The oldest Node that the UI's tools run on: major, minor.
const NODE_OLDEST: (u32, u32) = (20, 19);

/// One thing and what it is called where.
struct Part {
    need: Need,
    debian: &'static str,
    fedora: &'static str,
    arch: &'static str,
    /// How to see that it is there where there is no dpkg.
    probe: Probe,
}

enum Probe {
    Program(&'static [&'static str]),
    Module(&'static str),
    /// Came with another part, or leaves no trace to look for.
    Assumed,
}

const PARTS: &[Part] = &[
    Part {
        need: Need::Build,
        debian: "build-essential",
        fedora: "gcc-c++",
        arch: "base-devel",
        probe: Probe::Program(&["cc", "--version"]),
    },
    Part {
        need: Need::Build,
        debian: "pkg-config",
        fedora: "pkgconf-pkg-config",
        arch: "pkgconf",
        probe: Probe::Program(&["pkg-config", "--version"]),
    },
    Part {
        need: Need::Desktop,
        debian: "libwebkit2gtk-4.1-dev",
        fedora: "webkit2gtk4.1-devel",
        arch: "webkit2gtk-4.1",
        probe: Probe::Module("webkit2gtk-4.1"),
    },
    Part {
        need: Need::Desktop,
        debian: "libayatana-appindicator3-dev",
        fedora: "libayatana-appindicator-gtk3-devel",
        arch: "libayatana-appindicator",
        probe: Probe::Module("ayatana-appindicator3-0.1"),
    },
    Part {
        need: Need::Desktop,
        debian: "librsvg2-dev",
        fedora: "librsvg2-devel",
        arch: "librsvg",
        probe: Probe::Module("librsvg-2.0"),
    },
    Part {
        need: Need::Desktop,
        debian: "libxdo-dev",
        fedora: "libxdo-devel",
        arch: "xdotool",
        probe: Probe::Assumed,
    },
    Part {
        need: Need::Sandbox,
        debian: "bubblewrap",
        fedora: "bubblewrap",
        arch: "bubblewrap",
        probe: Probe::Program(&["bwrap", "--version"]),
    },
    Part {
        need: Need::Test,
        debian: "python3-venv",
        fedora: "python3",
        arch: "python",
        probe: Probe::Program(&["python3", "-c", "import venv, ensurepip"]),
    },
    Part {
        need: Need::Browser,
        debian: "chromium",
        fedora: "chromium",
        arch: "chromium",
        probe: Probe::Program(&["chromium", "--version"]),
    },
    Part {
        need: Need::Browser,
        debian: "fonts-noto-color-emoji",
        fedora: "google-noto-color-emoji-fonts",
        arch: "noto-fonts-emoji",
        probe: Probe::Assumed,
    },
    Part {
        need: Need::Browser,
        debian: "fonts-noto-cjk",
        fedora: "google-noto-sans-cjk-fonts",
        arch: "noto-fonts-cjk",
        probe: Probe::Assumed,
    },
    Part {
        need: Need::Window,
        debian: "webkit2gtk-driver",
        fedora: "webkit2gtk-driver",
        arch: "webkit2gtk-4.1",
        probe: Probe::Program(&["WebKitWebDriver", "--version"]),
    },
    Part {
        need: Need::Window,
        debian: "xvfb",
        fedora: "xorg-x11-server-Xvfb",
        arch: "xorg-server-xvfb",
        probe: Probe::Program(&["Xvfb", "-help"]),
    },
    Part {
        need: Need::Window,
        debian: "dbus",
        fedora: "dbus-daemon",
        arch: "dbus",
        probe: Probe::Program(&["dbus-run-session", "--version"]),
    },
    Part {
        need: Need::Window,
        debian: "python3-gi",
        fedora: "python3-gobject",
        arch: "python-gobject",
        probe: Probe::Program(&["/usr/bin/python3", "-c", "import gi"]),
    },
    // A peer of tests alone: a Secret Service as persons have it.
    Part {
        need: Need::Window,
        debian: "gnome-keyring",
        fedora: "gnome-keyring",
        arch: "gnome-keyring",
        probe: Probe::Program(&["gnome-keyring-daemon", "--version"]),
    },
    Part {
        need: Need::Bare,
        debian: "debootstrap",
        fedora: "debootstrap",
        arch: "debootstrap",
        probe: Probe::Program(&["debootstrap", "--version"]),
    },
    Part {
        need: Need::Peers,
        debian: "libcairo2-dev",
        fedora: "cairo-devel",
        arch: "cairo",
        probe: Probe::Module("cairo"),
    },
    Part {
        need: Need::Peers,
        debian: "libpango1.0-dev",
        fedora: "pango-devel",
        arch: "pango",
        probe: Probe::Module("pangocairo"),
    },
    Part {
        need: Need::Peers,
        debian: "libjpeg-dev",
        fedora: "libjpeg-turbo-devel",
        arch: "libjpeg-turbo",
        probe: Probe::Module("libjpeg"),
    },
    Part {
        need: Need::Peers,
        debian: "librsvg2-dev",
        fedora: "librsvg2-devel",
        arch: "librsvg",
        probe: Probe::Module("librsvg-2.0"),
    },
    Part {
        need: Need::Peers,
        debian: "libgif-dev",
        fedora: "giflib-devel",
        arch: "giflib",
        probe: Probe::Assumed,
    },
];

/// Makes sure of the system's packages and of Node.
pub fn ensure(needs: &[Need]) -> Outcome {
    if cfg!(target_os = "linux") {
        let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
        match family(&release) {
            Family::Debian => debian(needs)?,
            other => elsewhere(needs, other)?,
        }
    }
    if needs.contains(&Need::Test) {
        components()?;
        nats::program()?;
    }
    node()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Debian,
    Fedora,
    Arch,
    Unknown,
}

fn family(os_release: &str) -> Family {
    let names: BTreeSet<&str> = os_release
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(key, _)| matches!(*key, "ID" | "ID_LIKE"))
        .flat_map(|(_, value)| value.trim_matches(['"', '\'']).split_whitespace())
        .collect();
    if names.contains("debian") || names.contains("ubuntu") {
        Family::Debian
    } else if names.contains("fedora") || names.contains("rhel") {
        Family::Fedora
    } else if names.contains("arch") {
        Family::Arch
    } else {
        Family::Unknown
    }
}

fn debian(needs: &[Need]) -> Outcome {
    let wanted: Vec<&str> = wanted(needs).map(|part| part.debian).collect();
    let missing = debian_missing(&wanted);
    if missing.is_empty() {
        return Ok(());
    }
    println!("missing system packages: {}", missing.join(" "));
    let failed = |error: Box<dyn std::error::Error>| -> Box<dyn std::error::Error> {
        format!(
            "{error}\nInstall them yourself and start again:\n  sudo apt-get install {}",
            missing.join(" ")
        )
        .into()
    };
    proc::run(apt().arg("update")).map_err(failed)?;
    proc::run(
        apt()
            .args(["install", "-y", "--no-install-recommends"])
            .args(&missing),
    )
    .map_err(failed)?;
    match debian_missing(&wanted).as_slice() {
        [] => Ok(()),
        still => Err(format!("apt-get installed no {}", still.join(" ")).into()),
    }
}

fn debian_missing<'a>(wanted: &[&'a str]) -> Vec<&'a str> {
    // dpkg-query fails as soon as it does not know one of the names; what it prints is still right.
    let listing = proc::program("dpkg-query")
        .args(["-W", "-f=${db:Status-Abbrev}\t${Package}\n"])
        .args(wanted)
        .stderr(std::process::Stdio::null())
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    let installed = installed(&listing);
    wanted
        .iter()
        .copied()
        .filter(|name| !installed.contains(*name))
        .collect()
}

fn installed(listing: &str) -> BTreeSet<&str> {
    listing
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(state, _)| state.starts_with("ii"))
        .map(|(_, name)| name)
        .collect()
}

fn apt() -> std::process::Command {
    let mut command = proc::as_root("env");
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
    command
}

fn elsewhere(needs: &[Need], family: Family) -> Outcome {
    let missing: Vec<&Part> = wanted(needs).filter(|part| !is_there(&part.probe)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(advice(&missing, family).into())
}

fn advice(missing: &[&Part], family: Family) -> String {
    let names = |pick: fn(&Part) -> &'static str| {
        missing
            .iter()
            .map(|part| pick(part))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut text = "system packages are missing. Install them and start again:".to_owned();
    let rows = [
        (
            Family::Debian,
            "Debian, Ubuntu: sudo apt-get install",
            names(|part| part.debian),
        ),
        (
            Family::Fedora,
            "Fedora: sudo dnf install",
            names(|part| part.fedora),
        ),
        (
            Family::Arch,
            "Arch: sudo pacman -S --needed",
            names(|part| part.arch),
        ),
    ];
    for (of, command, names) in rows {
        if family == of || family == Family::Unknown {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n  {command} {names}");
        }
    }
    text
}

fn wanted(needs: &[Need]) -> impl Iterator<Item = &'static Part> {
    PARTS.iter().filter(move |part| needs.contains(&part.need))
}

fn is_there(probe: &Probe) -> bool {
    match probe {
        Probe::Program([name, arguments @ ..]) => proc::ask(proc::program(name).args(arguments)).is_some(),
        Probe::Module(name) => proc::ask(proc::program("pkg-config").args(["--exists", name])).is_some(),
        Probe::Program([]) | Probe::Assumed => true,
    }
}

/// Toolchains of the minimal profile come without these.
fn components() -> Outcome {
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(command, _)| proc::ask(proc::cargo().args([command, "--version"])).is_none())
        .map(|(_, component)| component)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    proc::run(proc::program("rustup").args(["component", "add"]).args(&missing))
        .map_err(|error| format!("{error}\nThe toolchain has no {}", missing.join(", ")).into())
}

fn node() -> Outcome {
    let (major, minor) = NODE_OLDEST;
    let advice =
        format!("The web page is built with Node {major}.{minor} or newer and npm: https://nodejs.org");
    let Some(found) = proc::ask(proc::program("node").arg("--version")) else {
        return Err(format!("node was not found. {advice}").into());
    };
    if version(&found).is_none_or(|version| version < NODE_OLDEST) {
        return Err(format!("node is {found}. {advice}").into());
    }
    match proc::ask(crate::node::npm().arg("--version")) {
        Some(_) => Ok(()),
        None => Err(format!("npm was not found. {advice}").into()),
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_read_from_os_release() {
        assert_eq!(family("NAME=\"Debian GNU/Linux\"\nID=debian\n"), Family::Debian);
        assert_eq!(
            family("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"),
            Family::Debian
        );
        assert_eq!(family("ID=fedora\n"), Family::Fedora);
        assert_eq!(family("ID=manjaro\nID_LIKE=arch\n"), Family::Arch);
        assert_eq!(family("PRETTY_NAME=\"not debian\"\nID=void\n"), Family::Unknown);
    }

    #[test]
    fn only_fully_installed_packages_count() {
        let listing = "ii \tbubblewrap\nrc \tlibxdo-dev\nun \tpkg-config\n";
        assert_eq!(installed(listing), BTreeSet::from(["bubblewrap"]));
    }

    #[test]
    fn advice_names_what_is_missing_for_the_family_and_all_when_unknown() {
        let missing: Vec<&Part> = wanted(&[Need::Sandbox, Need::Desktop]).collect();
        let fedora = advice(&missing, Family::Fedora);
        assert!(fedora.contains("dnf install webkit2gtk4.1-devel") && fedora.contains("bubblewrap"));
        assert!(!fedora.contains("apt-get"));
        let unknown = advice(&missing, Family::Unknown);
        assert!(unknown.contains("apt-get") && unknown.contains("dnf") && unknown.contains("pacman"));
    }

    #[test]
    fn headless_needs_no_window_libraries() {
        assert!(wanted(HEADLESS).all(|part| !part.debian.contains("webkit")));
        assert!(wanted(ALL).any(|part| part.debian.contains("webkit")));
    }

    #[test]
    fn node_versions_are_compared_by_number() {
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert!(version("v9.30.0") < Some(NODE_OLDEST) && version("v20.9.0") < Some(NODE_OLDEST));
        assert!(version("v22.1.0") >= Some(NODE_OLDEST));
        assert_eq!(version("what"), None);
    }
}
