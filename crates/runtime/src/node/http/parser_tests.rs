use super::*;
use proptest::prelude::*;

/// What comes out, with bodies joined, however the bytes were cut.
fn read(kind: Kind, parts: &[&[u8]]) -> Vec<String> {
    let mut parser = Parser::new(kind, 16 * 1024);
    let mut out: Vec<String> = Vec::new();
    for bytes in parts {
        let mut at = 0;
        loop {
            let mut found = Vec::new();
            let rest = &bytes[at..];
            let taken = parser.execute(rest, &mut found);
            for one in &found {
                match one {
                    Found::Head(head) => out.push(format!(
                        "{} {} {} {:?} keep={} upgrade={}",
                        head.method.as_deref().unwrap_or("-"),
                        head.url.as_deref().unwrap_or("-"),
                        head.status.unwrap_or(0),
                        head.headers,
                        head.keep_alive,
                        head.upgrade
                    )),
                    Found::Body(range) => {
                        let text = latin1(&rest[range.clone()]);
                        match out.last_mut().filter(|last| last.starts_with("body ")) {
                            Some(last) => last.push_str(&text),
                            None => out.push(format!("body {text}")),
                        }
                    }
                    Found::Complete(trailers) => out.push(format!("end {trailers:?}")),
                    Found::Upgrade => out.push("upgrade".into()),
                    Found::Failed(failure) => out.push(failure.code.into()),
                }
            }
            at += taken;
            if at >= bytes.len() || found.is_empty() || parser.state == State::Over {
                break;
            }
        }
    }
    out
}

#[test]
fn messages_follow_each_other() {
    let two = b"\r\nPOST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\nGET /b HTTP/1.0\r\n\r\n";
    assert_eq!(
        read(Kind::Request, &[two]),
        [
            r#"POST /a 0 [("Host", "x"), ("Transfer-Encoding", "chunked")] keep=true upgrade=false"#,
            "body abcde",
            r#"end [("T", "1")]"#,
            "GET /b 0 [] keep=false upgrade=false",
            "end []"
        ]
    );
}

#[test]
fn what_is_not_quite_http_is_refused() {
    for (text, code) in [
        ("GET / HTTP/1.1\nHost: x\n\n", "HPE_INVALID_HEADER_TOKEN"),
        (
            "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",
            "HPE_INVALID_HEADER_TOKEN",
        ),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
        (
            "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n",
            "HPE_INVALID_HEADER_TOKEN",
        ),
        ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("GET / HTTP/2.0\r\n\r\n", "HPE_INVALID_VERSION"),
        (
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HPE_UNEXPECTED_CONTENT_LENGTH",
        ),
    ] {
        let out = read(Kind::Request, &[text.as_bytes()]);
        assert_eq!(out.last().map(String::as_str), Some(code), "{text:?}: {out:?}");
    }
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (text, code) in [
        ("3\r\nabcd\r\n", "HPE_STRICT"),
        ("3\nabc\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("g\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("0\r\nA : b\r\n\r\n", "HPE_INVALID_HEADER_TOKEN"),
    ] {
        let out = read(Kind::Request, &[chunked.as_bytes(), text.as_bytes()]);
        assert_eq!(out.last().map(String::as_str), Some(code), "{text:?}: {out:?}");
    }
    let long = format!("GET / HTTP/1.1\r\nA: {}", "b".repeat(20_000));
    assert_eq!(read(Kind::Request, &[long.as_bytes()]), ["HPE_HEADER_OVERFLOW"]);
    let line = format!("{chunked}1;{}", "b".repeat(20_000));
    assert_eq!(
        read(Kind::Request, &[line.as_bytes()]).last().map(String::as_str),
        Some("HPE_CHUNK_EXTENSIONS_OVERFLOW")
    );
}

#[test]
fn answers_without_a_body_have_none() {
    let mut parser = Parser::new(Kind::Response, 16 * 1024);
    parser.expect(true, false);
    let mut found = Vec::new();
    parser.execute(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", &mut found);
    assert!(matches!(found.last(), Some(Found::Complete(_))), "{found:?}");
    let out = read(Kind::Response, &[b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\nHTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nraw"]);
    assert_eq!(out.len(), 6, "{out:?}");
    assert_eq!(out[5], "upgrade");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// However the network cuts a stream, the messages are the same.
    #[test]
    fn cuts_do_not_matter(cuts in proptest::collection::vec(0_usize..400, 0..12), which in 0_usize..4) {
        let texts: [&[u8]; 4] = [
            b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1f;x=y\r\n0123456789012345678901234567890\r\n0\r\nT: 1\r\n\r\nGET /b HTTP/1.1\r\nHost: y\r\n\r\n",
            b"POST /a HTTP/1.1\r\nContent-Length: 12\r\n\r\nhello world!PUT /b HTTP/1.1\r\nContent-Length: 0\r\n\r\nDELETE / HTTP/1.0\r\n\r\n",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n\r\nGET / HTTP/1.1\r\nBad Header: x\r\n\r\n",
            b"GET / HTTP/1.1\r\nConnection: close\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        ];
        let text = texts[which];
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let parts: Vec<&[u8]> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(Kind::Request, &parts), read(Kind::Request, &[text]));
    }

    #[test]
    fn rubbish_is_an_end_not_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), chunked in any::<bool>()) {
        let head: &[u8] = if chunked { b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" } else { b"" };
        let _ = read(Kind::Response, &[head, &bytes]);
        let _ = read(Kind::Request, &[&bytes]);
    }
}
