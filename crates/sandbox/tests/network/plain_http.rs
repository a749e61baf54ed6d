//! Requests by absolute URL.

use crate::support::{Guarded, Names, Web, outward, read_until};
use sandbox::net::{Decision, Via};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn get(host: &str, port: u16, path: &str) -> String {
    format!("GET http://{host}:{port}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

#[tokio::test]
async fn one_connection_may_ask_many_hosts() {
    let (one, two) = (Web::start().await, Web::start().await);
    let names = Names::of(&[("one.example", "127.0.0.1"), ("two.example", "127.0.0.1")]);
    let guarded = Guarded::new(&["*.example"], &[one.port, two.port], &names);
    let mut stream = guarded.open().await;
    for _ in 0..3 {
        for (host, web) in [("one.example", &one), ("two.example", &two)] {
            stream
                .write_all(get(host, web.port, "/x").as_bytes())
                .await
                .unwrap();
            let answer = read_until(&mut stream, "hello").await;
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        }
    }
    // What is refused between two that are granted ends nothing.
    stream
        .write_all(get("other.test", 80, "/").as_bytes())
        .await
        .unwrap();
    let answer = read_until(&mut stream, "other.test:80.\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
    stream
        .write_all(get("one.example", one.port, "/chunked").as_bytes())
        .await
        .unwrap();
    let answer = read_until(&mut stream, "0\r\n\r\n").await;
    assert!(
        answer.ends_with("\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
        "{answer}"
    );
    stream
        .write_all(get("one.example", one.port, "/hints").as_bytes())
        .await
        .unwrap();
    let answer = read_until(&mut stream, "ok").await;
    assert!(
        answer.starts_with("HTTP/1.1 103 Early Hints\r\n") && answer.contains("HTTP/1.1 200"),
        "{answer}"
    );
    let heard = two.heard.all();
    assert_eq!(heard.len(), 3);
    let wanted = format!(
        "GET /x HTTP/1.1\r\nHost: two.example:{}\r\nConnection: close\r\n\r\n",
        two.port
    );
    assert_eq!(heard[0], wanted);
}

#[tokio::test]
async fn bodies_arrive_whole() {
    let web = Web::start().await;
    let guarded = Guarded::new(&[], &[web.port], &Names::of(&[]));
    let body = "0123456789abcde\n".repeat(100_000);
    let target = format!("http://localhost:{}/echo", web.port);
    let sent = format!(
        "POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = guarded.open().await;
    let (mut reader, mut writer) = stream.split();
    let mut answer = vec![0; body.len() + 200];
    let reading = async {
        let mut got = 0;
        while got < body.len() {
            got += reader.read(&mut answer[got..]).await.unwrap();
        }
        got
    };
    let (got, written) = tokio::join!(reading, writer.write_all(sent.as_bytes()));
    written.unwrap();
    assert!(String::from_utf8_lossy(&answer[..got]).contains(&body[..1000]));

    let chunked = format!(
        "POST {target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    );
    assert!(guarded.say(chunked).await.ends_with("3\r\nabc\r\n0\r\n\r\n"));
    let until_close = guarded.say(get("localhost", web.port, "/until-close")).await;
    assert!(until_close.contains("Connection: close\r\n") && until_close.ends_with("to the end"));
    let head = guarded
        .say(get("localhost", web.port, "/x").replace("GET", "HEAD"))
        .await;
    assert!(head.ends_with("Content-Length: 5\r\n\r\n"), "{head}");
    let old = guarded
        .say(format!(
            "GET http://localhost:{}/chunked HTTP/1.0\r\n\r\n",
            web.port
        ))
        .await;
    assert!(
        old.ends_with("\r\n\r\nhello world") && !old.contains("chunked"),
        "{old}"
    );
}

#[tokio::test]
async fn a_redirect_is_the_clients_affair() {
    let web = Web::start().await;
    let names = Names::of(&[("site.example", "127.0.0.1"), ("elsewhere.example", "127.0.0.1")]);
    let guarded = Guarded::new(&["site.example"], &[web.port], &names);
    let answer = guarded.say(get("site.example", web.port, "/redirect")).await;
    assert!(
        answer.contains("302 Found") && answer.contains("Location: http://elsewhere.example/loot"),
        "{answer}"
    );
    assert_eq!(guarded.attempts().len(), 1, "nobody went there");
    assert_eq!(web.heard.all().len(), 1);
    let followed = guarded.say(get("elsewhere.example", 80, "/loot")).await;
    assert!(followed.starts_with("HTTP/1.1 403"), "{followed}");
}

/// The same request each time; only the rules differ.
#[tokio::test]
async fn a_refusal_says_what_to_grant_and_the_server_hears_nothing() {
    let web = Web::start().await;
    let names = Names::of(&[("site.example", "127.0.0.1")]);
    let request = get("site.example", web.port, "/x");
    for (hosts, loopback, code, advice) in [
        (
            vec![],
            vec![web.port],
            "network_not_granted",
            format!("site.example:{}", web.port),
        ),
        (
            vec!["*.site.example"],
            vec![web.port],
            "network_not_granted",
            "grant the network host".to_owned(),
        ),
        (
            vec!["site.example"],
            vec![],
            "network_loopback_not_granted",
            format!("loopback port {}", web.port),
        ),
    ] {
        let guarded = Guarded::new(&hosts, &loopback, &names);
        let answer = guarded.say(&request).await;
        assert!(
            answer.starts_with("HTTP/1.1 403 Forbidden\r\n") && answer.contains(&advice),
            "{answer}"
        );
        let wanted = ("site.example".to_owned(), web.port, Decision::Refused(code));
        assert_eq!(guarded.decisions(), [wanted]);
        assert_eq!(guarded.attempts()[0].address, None);
    }
    assert_eq!(web.heard.all(), Vec::<String>::new());

    let open = Guarded::new(&["site.example"], &[web.port], &names);
    assert!(open.say(&request).await.contains("hello"));
    assert_eq!(web.heard.all().len(), 1);
    let attempt = open.attempts().remove(0);
    assert_eq!((attempt.via, attempt.decision), (Via::Http, Decision::Allowed));
    assert_eq!(attempt.address, Some(([127, 0, 0, 1], web.port).into()));
}

/// A server on this machine's own address: anybody reaches it directly, nobody through the proxy,
/// whatever is granted and however it is spelled.
#[tokio::test]
async fn a_name_that_leads_inside_is_refused() {
    let Some(inside) = outward() else {
        eprintln!("this machine has no address but loopback");
        return;
    };
    let web = Web::at(inside).await;
    TcpStream::connect((inside, web.port)).await.unwrap();
    let names = Names::of(&[("site.example", &inside.to_string())]);
    let guarded = Guarded::new(&["*"], &[], &names);
    let decimal = match inside {
        std::net::IpAddr::V4(ip) => ip.to_bits().to_string(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let spelled = inside.to_string();
    for host in ["site.example", spelled.as_str(), decimal.as_str()] {
        let answer = guarded.say(get(host, web.port, "/")).await;
        assert!(
            answer.starts_with("HTTP/1.1 403") && answer.contains("No grant opens"),
            "{host}: {answer}"
        );
    }
    assert_eq!(web.heard.all(), Vec::<String>::new());
}

#[tokio::test]
async fn smuggled_requests_reach_nobody() {
    let web = Web::start().await;
    let guarded = Guarded::new(&[], &[web.port], &Names::of(&[]));
    let target = format!("http://localhost:{}/", web.port);
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    for head in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Content-Length: 4\r\nContent-Length: 80",
        "Transfer-Encoding: chunked, x",
        "Transfer-Encoding: chunked\r\n ,identity",
        "Host: y",
        "X: y\n\r\nZ: z",
    ] {
        let answer = guarded
            .say(format!(
                "POST {target} HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n0\r\n\r\n{hidden}"
            ))
            .await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{head}: {answer}");
    }
    assert_eq!(web.heard.all(), Vec::<String>::new());
    // A body that turns out wrong when its request is on its way is cut off.
    let sent = format!(
        "POST {target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n{hidden}"
    );
    assert!(guarded.say(sent).await.starts_with("HTTP/1.1 400 "));
    assert_eq!(web.heard.all(), Vec::<String>::new());
    // What follows a whole request is the next one, for the proxy to judge, never the server's.
    let two = format!("POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok{hidden}");
    let answer = guarded.say(two).await;
    assert!(answer.contains("\r\n\r\nokHTTP/1.1 400 "), "{answer}");
    assert_eq!(web.heard.all().len(), 1);
    let answer = guarded.say(get("localhost", web.port, "/two-lengths")).await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
}

#[tokio::test]
async fn what_is_no_request_is_no_attempt() {
    let guarded = Guarded::new(&["*"], &[], &Names::of(&[]));
    for request in [
        "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET http://a.example/ HTTP/1.1\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        assert!(
            guarded.say(request).await.starts_with("HTTP/1.1 400 "),
            "{request}"
        );
    }
    assert_eq!(guarded.say([0x16, 3, 1, 0, 0]).await, "", "TLS is not answered");
    assert_eq!(
        guarded.say([4, 1, 0, 80, 127, 0, 0, 1, 0]).await,
        "",
        "nor is SOCKS4"
    );
    assert_eq!(guarded.attempts(), []);
    let unknown = guarded.say(get("unknown.example", 80, "/")).await;
    assert!(unknown.starts_with("HTTP/1.1 502 "), "{unknown}");
    assert_eq!(
        guarded.decisions()[0].2,
        Decision::Failed("network_resolve_failed")
    );
    let noise = guarded.say(get("1.2.3.4.5", 80, "/")).await;
    assert!(noise.starts_with("HTTP/1.1 400 "), "{noise}");
}

/// A server that answers before it has read the body: the rest of the body is never a request.
#[tokio::test]
async fn what_is_left_of_a_body_is_not_the_next_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let guarded = Guarded::new(&[], &[port], &Names::of(&[]));
    let mut stream = guarded.open().await;
    let head = format!("POST http://localhost:{port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let answer = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
    server.write_all(answer).await.unwrap();
    read_until(&mut stream, "\r\n\r\n").await;
    // The proxy may have stopped listening already.
    let _ = stream
        .write_all(get("localhost", port, "/hidden").as_bytes())
        .await;
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert_eq!(String::from_utf8_lossy(&rest), "");
    assert_eq!(guarded.attempts().len(), 1);
}
