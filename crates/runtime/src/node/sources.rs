//! Every module that `require` and `import` know, by name, and its JavaScript. Names that begin with
//! `internal/` are for the others alone. What is in `vendor/` is made by `vendor/build.mjs` (npm ci, then node build.mjs).

pub(super) const MODULES: &[(&str, &str)] = &[
    ("_network", include_str!("network/network.js")),
    ("assert", include_str!("assert/assert.js")),
    ("assert/strict", "module.exports = require('assert').strict;"),
    ("async_hooks", include_str!("async_hooks/async_hooks.js")),
    ("buffer", include_str!("buffer/buffer.js")),
    ("canvas", include_str!("canvas/canvas.js")),
    ("child_process", include_str!("child_process/child_process.js")),
    ("console", include_str!("console/console.js")),
    ("constants", include_str!("constants/constants.js")),
    ("crypto", include_str!("crypto/crypto.js")),
    (
        "diagnostics_channel",
        include_str!("diagnostics_channel/diagnostics_channel.js"),
    ),
    ("dns", include_str!("dns/dns.js")),
    ("dns/promises", "module.exports = require('dns').promises;"),
    ("events", include_str!("events/events.js")),
    ("fs", include_str!("fs/fs.js")),
    ("fs/promises", "module.exports = require('fs').promises;"),
    ("http", include_str!("http/http.js")),
    ("http2", include_str!("http2/http2.js")),
    ("https", include_str!("http/https.js")),
    ("internal/blob", include_str!("blob/blob.js")),
    ("internal/body", include_str!("fetch/body.js")),
    ("internal/clone", include_str!("clone/clone.js")),
    ("internal/common", include_str!("common/common.js")),
    ("internal/crypto_bytes", include_str!("crypto/bytes.js")),
    ("internal/crypto_cipher", include_str!("crypto/cipher.js")),
    ("internal/crypto_der", include_str!("crypto/der.js")),
    ("internal/crypto_keys", include_str!("crypto/keys.js")),
    ("internal/crypto_subtle", include_str!("crypto/subtle.js")),
    ("internal/equal", include_str!("equal/equal.js")),
    ("internal/errors", include_str!("errors/errors.js")),
    ("internal/event_source", include_str!("websocket/event_source.js")),
    (
        "internal/event_target",
        include_str!("event_target/event_target.js"),
    ),
    ("internal/fetch", include_str!("fetch/fetch.js")),
    ("internal/fs_streams", include_str!("fs/streams.js")),
    ("internal/headers", include_str!("fetch/headers.js")),
    ("internal/http_agent", include_str!("http/agent.js")),
    ("internal/http_client", include_str!("http/client.js")),
    ("internal/http_common", include_str!("http/common.js")),
    ("internal/http_parser", "module.exports = native;"),
    ("internal/http_server", include_str!("http/server.js")),
    ("internal/inspect", include_str!("vendor/inspect.js")),
    ("internal/legacy_url", include_str!("url/legacy.js")),
    (
        "internal/message_channel",
        include_str!("message_channel/message_channel.js"),
    ),
    ("internal/net_errors", include_str!("net/errors.js")),
    ("internal/net_server", include_str!("net/server.js")),
    ("internal/parse_args", include_str!("parse_args/parse_args.js")),
    (
        "internal/readable_stream",
        include_str!("vendor/readable_stream.js"),
    ),
    ("internal/text", include_str!("text/text.js")),
    ("internal/values", include_str!("util/values.js")),
    ("internal/zlib_constants", include_str!("zlib/constants.js")),
    ("internal/windows_path", include_str!("path/windows.js")),
    ("internal/tls_session", "module.exports = native;"),
    (
        "internal/vendor_web_streams",
        include_str!("vendor/web_streams.js"),
    ),
    ("internal/websocket", include_str!("websocket/websocket.js")),
    ("internal/web_adapters", include_str!("web_streams/adapters.js")),
    ("module", include_str!("module/module.js")),
    ("net", include_str!("net/net.js")),
    ("os", include_str!("os/os.js")),
    ("path", include_str!("path/path.js")),
    ("path/posix", "module.exports = require('path');"),
    ("path/win32", "module.exports = require('path').win32;"),
    ("perf_hooks", include_str!("perf_hooks/perf_hooks.js")),
    ("process", include_str!("process/process.js")),
    ("punycode", include_str!("vendor/punycode.js")),
    ("querystring", include_str!("querystring/querystring.js")),
    ("readline", include_str!("readline/readline.js")),
    (
        "readline/promises",
        "module.exports = require('readline').promises;",
    ),
    ("stream", include_str!("stream/stream.js")),
    ("stream/promises", "module.exports = require('stream').promises;"),
    ("stream/web", include_str!("web_streams/web_streams.js")),
    ("string_decoder", include_str!("string_decoder/string_decoder.js")),
    ("sys", "module.exports = require('util');"),
    ("timers", include_str!("timers/timers.js")),
    ("timers/promises", "module.exports = require('timers').promises;"),
    ("tls", include_str!("tls/tls.js")),
    ("tty", include_str!("tty/tty.js")),
    ("url", include_str!("url/url.js")),
    ("util", include_str!("util/util.js")),
    ("util/types", "module.exports = require('util').types;"),
    ("vm", include_str!("vm/vm.js")),
    ("worker_threads", include_str!("worker_threads/worker_threads.js")),
    ("zlib", include_str!("zlib/zlib.js")),
];

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn vendored_bundles_are_of_the_packages_that_are_locked() {
        let mut hash = Sha256::new();
        hash.update(include_str!("../../vendor/package-lock.json"));
        hash.update(include_str!("../../vendor/build.mjs"));
        hash.update(include_str!("../../vendor/abort-controller.cjs"));
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let built = include_str!("vendor/SOURCE.sha256").trim();
        assert_eq!(
            built, hash,
            "run npm ci and node build.mjs in crates/runtime/vendor"
        );
    }
}
