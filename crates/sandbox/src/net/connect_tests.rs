use super::super::{Lookup, Range};
use super::*;
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpListener;

/// Answers from a list; the n-th question gets the n-th answer, the last one for ever.
#[derive(Default)]
struct Names {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn of(name: &str, answers: &[&[&str]]) -> Arc<Names> {
        let parsed = answers
            .iter()
            .map(|answer| answer.iter().map(|ip| ip.parse().unwrap()).collect());
        Arc::new(Names {
            answers: HashMap::from([(name.to_owned(), parsed.collect())]),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        let mut asked = self.asked.lock().unwrap();
        let before = asked.iter().filter(|one| *one == name).count();
        asked.push(name.to_owned());
        let found = match self.answers.get(name) {
            Some(answers) => Ok(answers[before.min(answers.len() - 1)].clone()),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        Box::pin(async move { found })
    }
}

async fn server() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn network(names: &Arc<Names>, hosts: &[&str], loopback: &[u16]) -> Network {
    Network::new(HostRules::new(hosts, loopback).unwrap(), &OwnPorts::default()).with_resolver(names.clone())
}

#[tokio::test]
async fn a_granted_name_is_resolved_once_and_connected() {
    let (listener, port) = server().await;
    let names = Names::of("site.example", &[&["127.0.0.1"]]);
    let network = network(&names, &["site.example"], &[port]);
    let connection = network.connect("SITE.example.", port).await.unwrap();
    assert_eq!(connection.address, connection.stream.peer_addr().unwrap());
    listener.accept().await.unwrap();
    assert_eq!(
        *names.asked.lock().unwrap(),
        ["site.example"],
        "once, in normal form"
    );
}

#[tokio::test]
async fn a_name_cannot_lead_to_what_is_not_to_be_reached() {
    for (address, kind) in [
        ("10.1.2.3", Range::Private),
        ("192.168.0.1", Range::Private),
        ("169.254.169.254", Range::Metadata),
        ("100.64.0.1", Range::Shared),
        ("0.0.0.0", Range::Unspecified),
        ("::ffff:10.0.0.1", Range::Private),
        ("64:ff9b::a00:1", Range::Private),
        ("2002:a00:1::", Range::Private),
        ("fd00::1", Range::Private),
        ("224.0.0.1", Range::Multicast),
    ] {
        let names = Names::of("site.example", &[&[address]]);
        let refused = network(&names, &["site.example"], &[])
            .connect("site.example", 80)
            .await;
        assert!(
            matches!(refused, Err(NetError::Address { range, .. }) if range == kind),
            "{address}: {refused:?}"
        );
    }
    let (_listener, port) = server().await;
    let names = Names::of("site.example", &[&["127.0.0.1"]]);
    let refused = network(&names, &["site.example"], &[])
        .connect("site.example", port)
        .await;
    assert!(
        matches!(refused, Err(NetError::LoopbackNotGranted { .. })),
        "{refused:?}"
    );
}

/// The first answer is harmless, every later one is the attack. Whoever asked twice would check
/// the one and connect to the other.
#[tokio::test]
async fn a_name_that_changes_its_mind_gets_nowhere() {
    let (_good, port) = server().await;
    let names = Names::of("rebind.example", &[&["127.0.0.1"], &["10.0.0.1"]]);
    let network = network(&names, &["rebind.example"], &[port]);
    let connection = network.connect("rebind.example", port).await.unwrap();
    assert_eq!(connection.stream.peer_addr().unwrap().ip(), Ipv4Addr::LOCALHOST);
    assert_eq!(names.asked(), 1);
    let again = network.connect("rebind.example", port).await;
    assert!(matches!(again, Err(NetError::Address { .. })), "{again:?}");
    assert_eq!(names.asked(), 2);
}

#[tokio::test]
async fn addresses_out_of_reach_are_left_out_and_dead_ones_passed_over() {
    let (_listener, port) = server().await;
    // Nothing listens on ::1 at this port, and 10.0.0.1 must not even be tried.
    let names = Names::of("site.example", &[&["10.0.0.1", "::1", "127.0.0.1"]]);
    let connection = network(&names, &["site.example"], &[port])
        .connect("site.example", port)
        .await
        .unwrap();
    assert_eq!(connection.address.ip(), Ipv4Addr::LOCALHOST);
}

#[tokio::test]
async fn localhost_is_never_asked_about() {
    let (_listener, port) = server().await;
    let names = Names::of("localhost", &[&["10.0.0.1"]]);
    let network = network(&names, &["*"], &[port]);
    for host in ["localhost", "x.localhost", "127.1", "0x7f000001"] {
        network.connect(host, port).await.unwrap();
    }
    assert_eq!(names.asked(), 0);
}

#[tokio::test]
async fn the_owners_port_is_refused_even_when_granted() {
    let (_listener, port) = server().await;
    let names = Names::of("site.example", &[&["127.0.0.1"]]);
    let rules = HostRules::new(&["site.example"], &[port]).unwrap();
    let open = Network::new(rules.clone(), &OwnPorts::default()).with_resolver(names.clone());
    assert!(
        open.connect("site.example", port).await.is_ok(),
        "only the owner's port is in the way"
    );
    let own = OwnPorts::default();
    own.add(port);
    let network = Network::new(rules, &own).with_resolver(names);
    for host in ["site.example", "localhost", "127.0.0.1", "::1"] {
        let refused = network.connect(host, port).await;
        assert!(
            matches!(
                refused,
                Err(NetError::Address {
                    range: Range::OwnPort,
                    ..
                })
            ),
            "{host}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn what_is_not_granted_is_not_even_resolved() {
    let names = Names::of("site.example", &[&["127.0.0.1"]]);
    let network = network(&names, &["other.example"], &[]);
    let refused = network.connect("site.example", 443).await;
    assert!(
        matches!(refused, Err(NetError::NotGranted { port: 443, .. })),
        "{refused:?}"
    );
    assert_eq!(names.asked(), 0, "a name is a message, too");
    network.change_rules(HostRules::new(&["site.example"], &[]).unwrap());
    let known = network.connect("site.example", 443).await;
    assert!(
        matches!(known, Err(NetError::LoopbackNotGranted { .. })),
        "{known:?}"
    );
}

#[tokio::test]
async fn waiting_has_an_end() {
    struct Never(AtomicUsize);
    impl Resolve for Never {
        fn resolve<'a>(&'a self, _: &'a str) -> Lookup<'a> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(std::future::pending())
        }
    }
    let rules = HostRules::new(&["site.example"], &[]).unwrap();
    let network = Network::new(rules, &OwnPorts::default())
        .with_resolver(Arc::new(Never(AtomicUsize::new(0))))
        .with_times(Times {
            resolve: Duration::from_millis(20),
            ..Times::default()
        });
    let late = network.connect("site.example", 80).await;
    assert!(matches!(late, Err(NetError::Timeout { .. })), "{late:?}");
}

#[tokio::test]
async fn nobody_listening_is_said() {
    // Bound and not listening it refuses, and nobody else is given its port.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let port = silent.local_addr().unwrap().port();
    let names = Names::of("site.example", &[&["127.0.0.1"]]);
    let refused = network(&names, &["site.example"], &[port])
        .connect("site.example", port)
        .await;
    assert!(matches!(refused, Err(NetError::Connect { .. })), "{refused:?}");
}

#[test]
fn families_take_turns() {
    let parse = |list: &[&str]| {
        list.iter()
            .map(|ip| SocketAddr::new(ip.parse().unwrap(), 1))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        interleaved(parse(&["::1", "::2", "::3", "1.1.1.1"])),
        parse(&["::1", "1.1.1.1", "::2", "::3"])
    );
    assert_eq!(interleaved(parse(&["1.1.1.1"; 40])).len(), ADDRESSES);
}

#[tokio::test]
async fn addresses_are_told_to_whom_the_name_is_granted() {
    let (public, private): (IpAddr, &str) = ("93.184.215.14".parse().unwrap(), "10.0.0.1");
    let names = Names::of("site.example", &[&["93.184.215.14", private]]);
    let stranger = network(&names, &["other.example"], &[])
        .lookup("site.example")
        .await;
    assert!(
        matches!(stranger, Err(NetError::NotGranted { .. })),
        "{stranger:?}"
    );
    assert_eq!(names.asked(), 0, "nobody heard of the question");
    let network = network(&names, &["site.example:443"], &[]);
    let ip = Host::Ip(public);
    assert!(!network.was_told(&network.rules(), &ip, 443));
    assert_eq!(network.lookup("Site.example").await.unwrap(), [public]);
    // Who was told the address may go there as to the name, and nowhere else.
    assert!(network.was_told(&network.rules(), &ip, 443));
    assert!(!network.was_told(&network.rules(), &ip, 80));
    assert!(!network.was_told(&network.rules(), &Host::Ip(private.parse().unwrap()), 443));
    network.change_rules(HostRules::nothing());
    assert!(!network.was_told(&network.rules(), &ip, 443));
}

#[tokio::test]
async fn listening_is_for_granted_ports_of_loopback() {
    let names = Arc::new(Names::default());
    let (taken, port) = server().await;
    let refused = network(&names, &["*"], &[]).listen("127.0.0.1", 0).await;
    assert!(
        matches!(refused, Err(NetError::LoopbackNotGranted { .. })),
        "{refused:?}"
    );
    let own = OwnPorts::default();
    let all = Network::new(HostRules::all_of_loopback(), &own);
    for host in ["127.0.0.1", "0.0.0.0", "::", "localhost"] {
        let listener = all.listen(host, 0).await.unwrap();
        assert_eq!(listener.local_addr().unwrap().ip(), Ipv4Addr::LOCALHOST, "{host}");
    }
    for (host, port) in [("127.0.0.1", port), ("93.184.215.14", 0), ("site.example", 0)] {
        let refused = all.listen(host, port).await;
        assert!(
            matches!(refused, Err(NetError::Listen { .. })),
            "{host}: {refused:?}"
        );
    }
    drop(taken);
    own.add(port);
    let refused = all.listen("127.0.0.1", port).await;
    assert!(
        matches!(
            refused,
            Err(NetError::Address {
                range: Range::OwnPort,
                ..
            })
        ),
        "{refused:?}"
    );
}
