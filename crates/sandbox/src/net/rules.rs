//! Which hosts are granted. Pure: nothing is resolved here.
//!
//! A rule is a host (`api.example.com`, an address), everything below a name (`*.example.com`,
//! which is not `example.com` itself), or every public host (`*`); each with `:port` or for every
//! port. Loopback is granted by port alone, and a rule cannot open an address that
//! [`super::check_address`] refuses.

use super::address::{Range, range};
use super::error::NetError;
use super::host::{Host, shown, split_port};

/// Rules of one subject.
const RULES: usize = 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostRules {
    hosts: Vec<Rule>,
    loopback: Vec<u16>,
    every_loopback: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    pattern: Pattern,
    /// `None` is every port.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Every,
    Exactly(Host),
    /// In normal form with its leading dot.
    Below(String),
}

impl HostRules {
    /// Nothing is granted.
    pub fn nothing() -> Self {
        HostRules::default()
    }

    /// From grants. One that is wrong, or could never be of use, is an error: it would look granted.
    pub fn new<S: AsRef<str>>(hosts: &[S], loopback: &[u16]) -> Result<Self, NetError> {
        if let Some(one) = hosts.get(RULES) {
            return Err(invalid(one.as_ref()));
        }
        let hosts = hosts
            .iter()
            .map(|text| Rule::parse(text.as_ref()))
            .collect::<Result<_, _>>()?;
        let mut loopback: Vec<u16> = loopback.iter().copied().filter(|port| *port != 0).collect();
        loopback.sort_unstable();
        loopback.dedup();
        Ok(HostRules {
            hosts,
            loopback,
            every_loopback: false,
        })
    }

    /// Every port of this machine, and nothing else: what suites of tests need.
    pub fn all_of_loopback() -> Self {
        HostRules {
            every_loopback: true,
            ..HostRules::default()
        }
    }

    /// The form in which a grant of this host is kept and compared.
    pub fn normal_form(rule: &str) -> Result<String, NetError> {
        let Rule { pattern, port } = Rule::parse(rule)?;
        let host = match pattern {
            Pattern::Every => "*".to_owned(),
            Pattern::Below(suffix) => format!("*{suffix}"),
            Pattern::Exactly(Host::Ip(ip)) if ip.is_ipv6() => format!("[{ip}]"),
            Pattern::Exactly(host) => host.to_string(),
        };
        Ok(match port {
            Some(port) => format!("{host}:{port}"),
            None => host,
        })
    }

    pub fn grants_nothing(&self) -> bool {
        *self == HostRules::default()
    }

    /// Whether this host is granted by its name. What the name leads to is judged afterwards.
    pub fn allows(&self, host: &Host, port: u16) -> bool {
        if host.is_loopback() {
            return self.has_loopback(port);
        }
        self.hosts.iter().any(|rule| rule.fits(host, port))
    }

    pub fn has_loopback(&self, port: u16) -> bool {
        self.every_loopback || self.loopback.binary_search(&port).is_ok()
    }

    /// Whether it is granted with any port.
    pub fn allows_name(&self, host: &Host) -> bool {
        self.hosts.iter().any(|rule| rule.names(host))
    }

    pub(super) fn every_loopback(&self) -> bool {
        self.every_loopback
    }

    /// The ports that are granted one by one.
    pub(super) fn loopback(&self) -> &[u16] {
        &self.loopback
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Rule, NetError> {
        let text = text.trim();
        let (name, port) = split_port(text).ok_or_else(|| invalid(text))?;
        let pattern = match (name, name.strip_prefix("*.")) {
            ("*", _) => Pattern::Every,
            (_, Some(below)) => match Host::parse(below) {
                Ok(host @ Host::Name(_)) if !host.is_loopback() => Pattern::Below(format!(".{host}")),
                _ => return Err(invalid(text)),
            },
            (name, None) => {
                let host = Host::parse(name).map_err(|_| invalid(text))?;
                let reachable = match &host {
                    Host::Ip(ip) => range(*ip) == Range::Public,
                    Host::Name(_) => !host.is_loopback(),
                };
                if !reachable {
                    return Err(invalid(text));
                }
                Pattern::Exactly(host)
            }
        };
        Ok(Rule { pattern, port })
    }

    fn fits(&self, host: &Host, port: u16) -> bool {
        self.port.is_none_or(|wanted| wanted == port) && self.names(host)
    }

    fn names(&self, host: &Host) -> bool {
        match (&self.pattern, host) {
            (Pattern::Every, _) => true,
            (Pattern::Exactly(wanted), host) => wanted == host,
            (Pattern::Below(suffix), Host::Name(name)) => {
                name.len() > suffix.len() && name.ends_with(suffix.as_str())
            }
            (Pattern::Below(_), Host::Ip(_)) => false,
        }
    }
}

fn invalid(rule: &str) -> NetError {
    NetError::RuleInvalid { rule: shown(rule) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allows(rules: &[&str], loopback: &[u16], host: &str, port: u16) -> bool {
        let rules = HostRules::new(rules, loopback).unwrap();
        rules.allows(&Host::parse(host).unwrap(), port)
    }

    #[test]
    fn hosts_ports_and_what_lies_below() {
        let rules = [
            "api.Example.com",
            "*.bücher.example",
            "pinned.example:443",
            "1.1.1.1",
            "[2606:4700::1111]:53",
        ];
        for (host, port, allowed) in [
            ("api.example.com", 443, true),
            ("API.EXAMPLE.COM.", 80, true),
            ("example.com", 443, false),
            ("x.api.example.com", 443, false),
            ("api.example.com.evil.example", 443, false),
            ("notapi.example.com", 443, false),
            ("a.xn--bcher-kva.example", 1, true),
            ("a.b.Bücher.example", 1, true),
            ("bücher.example", 1, false),
            ("evilbücher.example", 1, false),
            ("pinned.example", 443, true),
            ("pinned.example", 80, false),
            ("0x1010101", 9, true),
            ("::ffff:1.1.1.1", 9, true),
            ("2606:4700:0::1111", 53, true),
            ("2606:4700:0::1111", 54, false),
            ("1.1.1.2", 9, false),
        ] {
            assert_eq!(allows(&rules, &[], host, port), allowed, "{host}:{port}");
        }
        assert!(allows(&["*"], &[], "anything.example", 1) && allows(&["*:443"], &[], "8.8.8.8", 443));
        assert!(!allows(&["*:443"], &[], "8.8.8.8", 80));
    }

    #[test]
    fn loopback_is_granted_by_port_alone() {
        for host in [
            "localhost",
            "LOCALHOST.",
            "app.localhost",
            "127.1",
            "::1",
            "::ffff:127.0.0.1",
            "2130706433",
        ] {
            assert!(!allows(&["*"], &[], host, 3000), "{host}");
            assert!(allows(&[], &[3000], host, 3000), "{host}");
            assert!(!allows(&[], &[3000], host, 3001), "{host}");
        }
    }

    #[test]
    fn rules_that_are_wrong_or_useless_are_refused() {
        for rule in [
            "",
            "*.",
            "*.*.example.com",
            "a.*.example.com",
            "*example.com",
            "**",
            "*.1.2.3.4",
            "http://a.example",
            "a.example/path",
            "u@a.example",
            "a.example:0",
            "a.example:http",
            "localhost",
            "*.localhost",
            "127.0.0.1",
            "10.0.0.1",
            "192.168.1.1:80",
            "169.254.169.254",
            "[::1]",
            "fd00::1",
            "0",
            "[::ffff:10.0.0.1]",
            "203.0.113.7",
        ] {
            assert!(HostRules::new(&[rule], &[]).is_err(), "{rule}");
        }
        let many = vec!["a.example"; RULES + 1];
        assert!(HostRules::new(&many, &[]).is_err() && HostRules::new(&many[1..], &[]).is_ok());
    }

    #[test]
    fn one_rule_is_kept_in_one_form() {
        for (given, kept) in [
            (" API.Example.com. ", "api.example.com"),
            ("*.BÜCHER.example:443", "*.xn--bcher-kva.example:443"),
            ("0x8.8.8.8:53", "8.8.8.8:53"),
            ("2606:4700:0::1111", "[2606:4700::1111]"),
            ("*", "*"),
        ] {
            assert_eq!(HostRules::normal_form(given).unwrap(), kept);
            assert_eq!(HostRules::normal_form(kept).unwrap(), kept);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// `*.x` means what has a whole label before `.x`, and nothing else.
        #[test]
        fn below_is_cut_at_a_dot(name in "[a-z]{1,6}(\\.[a-z]{1,6}){0,3}", before in "[a-z.]{0,8}", port: u16) {
            let rules = HostRules::new(&[format!("*.{name}")], &[]).unwrap();
            if let Ok(host @ Host::Name(_)) = Host::parse(&format!("{before}{name}")) {
                let below = before.len() > 1 && before.ends_with('.');
                prop_assert_eq!(rules.allows(&host, port), below && !host.is_loopback(), "{}", host);
            }
        }

        /// Nothing that no rule names is allowed, however it is spelled.
        #[test]
        fn an_exact_rule_allows_just_its_host(text in "\\PC{1,30}", port in 1u16..) {
            let rules = HostRules::new(&["api.example.com"], &[]).unwrap();
            if let Ok(host) = Host::parse(&text) {
                prop_assert_eq!(rules.allows(&host, port), host == Host::Name("api.example.com".into()));
            }
            let _ = HostRules::new(&[text], &[]);
        }

        #[test]
        fn no_rules_allow_nothing(name in "[a-z0-9.]{1,20}", port: u16) {
            if let Ok(host) = Host::parse(&name) {
                prop_assert!(!HostRules::nothing().allows(&host, port));
            }
        }
    }
}
