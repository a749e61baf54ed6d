use super::*;
use proptest::prelude::*;

fn request(head: &str) -> Result<Request, HeadError> {
    Request::parse(head.as_bytes())
}

fn onward(head: &str) -> String {
    let request = request(head).unwrap();
    let Target::Path(path) = &request.target else {
        panic!("{head}");
    };
    String::from_utf8(request.onward(path)).unwrap()
}

#[test]
fn a_request_goes_on_in_origin_form_with_the_host_of_its_url() {
    assert_eq!(
        onward(
            "GET http://Site.Example:8080/a?b=c HTTP/1.1\r\nHost: other.example\r\nAccept: */*\r\n\
             Proxy-Connection: keep-alive\r\nConnection: X-Secret, keep-alive\r\nX-Secret: s\r\nKeep-Alive: 5\r\n\
             Proxy-Authorization: Basic x\r\nTE: trailers\r\nUpgrade: websocket\r\nCookie: a=b\r\n\r\n"
        ),
        "GET /a?b=c HTTP/1.1\r\nHost: site.example:8080\r\nAccept: */*\r\nCookie: a=b\r\nConnection: close\r\n\r\n"
    );
    assert!(
        onward("GET HTTP://a.example HTTP/1.1\r\nHost: a.example\r\n\r\n")
            .starts_with("GET / HTTP/1.1\r\nHost: a.example\r\n")
    );
    assert!(onward("GET http://a.example?q HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("GET /?q HTTP/1.1\r\n"));
    assert!(
        onward("OPTIONS http://a.example HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("OPTIONS * HTTP/1.1\r\n")
    );
    assert!(onward("GET http://[::FFFF]/ HTTP/1.1\r\nHost: a\r\n\r\n").contains("\r\nHost: [::ffff]\r\n"));
    let sent = onward("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n");
    assert!(sent.contains("Content-Length: 12\r\n") && sent.matches("ontent-").count() == 1);
    let chunked = onward("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n");
    assert!(chunked.contains("Transfer-Encoding: chunked\r\n"));
}

#[test]
fn who_stays_and_who_goes() {
    let keeps = |rest: &str| {
        request(&format!("GET http://a.example/ {rest}\r\n\r\n"))
            .unwrap()
            .keep_alive
    };
    assert!(keeps("HTTP/1.1\r\nHost: a"));
    assert!(!keeps("HTTP/1.1\r\nHost: a\r\nConnection: foo, Close"));
    assert!(!keeps("HTTP/1.1\r\nHost: a\r\nProxy-Connection: close"));
    assert!(!keeps("HTTP/1.0"));
}

#[test]
fn shapes_that_smuggle_are_refused() {
    let post =
        |headers: &str| format!("POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n{headers}\r\n\r\n");
    assert!(
        request(&post("Content-Length: 3")).is_ok() && request(&post("Transfer-Encoding: chunked")).is_ok()
    );
    for headers in [
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: 3\r\nContent-Length: 3",
        "Content-Length: 3, 3",
        "Content-Length: +3",
        "Content-Length: -3",
        "Content-Length: 0x3",
        "Content-Length: 3 4",
        "Content-Length:",
        "Content-Length: 99999999999999999999",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding:\x0bchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding : chunked",
        " Transfer-Encoding: chunked",
        "X: y\r\n Transfer-Encoding: chunked",
        "X: y\r\n\tz",
        "X: y\nTransfer-Encoding: chunked",
        "X: y\rTransfer-Encoding: chunked",
        "X: \0",
        "Transfer-Encoding\0: chunked",
        "Host: b.example",
        "no colon",
        ": empty",
    ] {
        assert!(request(&post(headers)).is_err(), "{headers:?}");
    }
    assert!(request("POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
}

#[test]
fn targets_that_could_be_two_are_refused() {
    let get = |target: &str| request(&format!("GET {target} HTTP/1.1\r\nHost: a.example\r\n\r\n"));
    assert!(get("http://a.example/p").is_ok());
    for target in [
        "/p",
        "*",
        "a.example:80",
        "https://a.example/",
        "ftp://a.example/",
        "http:///p",
        "http://:80/",
        "http://u@a.example/",
        "http://a.example:80@b.example/",
        "http://a.example\\@b.example/",
        "http://a.example/#f",
        "http://a.example:0/",
        "http://a.example:99999/",
        "http://a.example:+80/",
        "http://a.example/\u{e9}",
        "http://a.example/ b",
        "http://a.example/\tb",
    ] {
        assert!(get(target).is_err(), "{target}");
    }
    assert!(
        request("GET http://a.example/ HTTP/1.1\r\n\r\n").is_err(),
        "no Host"
    );
    assert!(request("GET http://a.example/ HTTP/2.0\r\nHost: a\r\n\r\n").is_err());
    assert!(request("\r\nGET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n").is_err());
}

#[test]
fn a_tunnel_needs_a_host_and_a_port_and_nothing_else() {
    let connect = |rest: &str| request(&format!("CONNECT {rest}\r\n\r\n"));
    let good = connect("a.example:443 HTTP/1.1\r\nHost: b.example").unwrap();
    assert_eq!(
        (good.target, good.host.as_str(), good.port),
        (Target::Connect, "a.example", 443)
    );
    assert_eq!(connect("[::1]:443 HTTP/1.1\r\nHost: b").unwrap().host, "[::1]");
    for rest in [
        "a.example HTTP/1.1\r\nHost: a",
        "a.example: HTTP/1.1\r\nHost: a",
        "http://a.example:443/ HTTP/1.1\r\nHost: a",
        "u@a.example:443 HTTP/1.1\r\nHost: a",
        "a.example:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 0",
        "a.example:443 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked",
    ] {
        assert!(connect(rest).is_err(), "{rest}");
    }
}

fn answer(head: &str, method: &str) -> Result<Answer, HeadError> {
    Answer::parse(head.as_bytes(), method)
}

#[test]
fn answers_have_one_length() {
    let framing =
        |headers: &str| answer(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), "GET").map(|a| a.framing);
    assert_eq!(framing("").unwrap(), Framing::UntilClose);
    assert_eq!(
        framing("Content-Length: 7\r\nContent-Length: 7\r\n").unwrap(),
        Framing::Length(7)
    );
    assert_eq!(
        framing("Transfer-Encoding: chunked\r\n").unwrap(),
        Framing::Chunked
    );
    assert!(framing("Content-Length: 7\r\nContent-Length: 8\r\n").is_err());
    assert!(framing("Content-Length: 7\r\nTransfer-Encoding: chunked\r\n").is_err());
    assert!(framing("Transfer-Encoding: gzip, chunked\r\n").is_err());
    assert!(framing("Set-Cookie: a\r\n b\r\n").is_err());
    for (code, method) in [(200, "HEAD"), (204, "GET"), (304, "GET"), (103, "GET")] {
        let parsed = answer(&format!("HTTP/1.1 {code} X\r\nContent-Length: 9\r\n\r\n"), method).unwrap();
        assert_eq!(parsed.framing, Framing::Nothing, "{code} {method}");
    }
    let head = answer(
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n",
        "HEAD",
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(head.onward(head.framing, true)).unwrap(),
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
    );
}

fn read_all(mut sent: &[u8], limit: usize) -> (Result<Option<Vec<u8>>, HeadError>, Vec<u8>) {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};
    let done = {
        let mut reading = std::pin::pin!(read(&mut sent, limit));
        match reading.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("memory never waits"),
        }
    };
    (done, sent.to_vec())
}

#[test]
fn a_head_ends_where_it_ends() {
    let (head, rest) = read_all(b"GET / HTTP/1.1\r\n\r\nbody", 100);
    assert_eq!(head.unwrap().unwrap(), b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(rest, b"body");
    assert!(matches!(
        read_all(b"GET / HTTP/1.1\n\n", 100).0,
        Err(HeadError::Shape(_))
    ));
    assert!(matches!(read_all(&[b'a'; 200], 100).0, Err(HeadError::TooLarge)));
    assert!(matches!(read_all(b"", 100).0, Ok(None)));
    assert!(matches!(read_all(b"GET", 100).0, Err(HeadError::Io(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever a client sends, what goes on is one request: one empty line, at its end, and no
    /// second length.
    #[test]
    fn what_goes_on_is_one_request(
        name in "[!-9;-~]{1,12}|content-length|transfer-encoding|Host|Connection",
        value in "[ -~]{0,20}|[\\x00-\\xff]{0,8}",
        path in "[!-~]{0,20}",
    ) {
        let head = format!("POST http://a.example/{path} HTTP/1.1\r\nHost: a.example\r\n{name}: {value}\r\n\r\n");
        if let Ok(request) = request(&head) && let Target::Path(path) = &request.target {
            let sent = request.onward(path);
            let text = String::from_utf8_lossy(&sent).to_ascii_lowercase();
            prop_assert_eq!(text.find("\r\n\r\n"), Some(text.len() - 4));
            prop_assert_eq!(text.matches("\r\nhost:").count(), 1);
            let lengths = text.matches("\r\ncontent-length:").count() + text.matches("\r\ntransfer-encoding:").count();
            prop_assert_eq!(lengths, usize::from(request.framing != Framing::Nothing));
            prop_assert!(!text.replace("\r\n", "").contains(['\r', '\n', '\0']));
        }
    }

    #[test]
    fn rubbish_is_an_error_not_a_panic(sent in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_all(&sent, 100);
        let _ = Request::parse(&sent);
        let _ = Answer::parse(&sent, "GET");
    }
}
