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
    ("events", include_str!("events/events.js")),
    ("fs", include_str!("fs/fs.js")),
    ("fs/promises", "module.exports = require('fs').promises;"),
    ("internal/blob", include_str!("blob/blob.js")),
    ("internal/clone", include_str!("clone/clone.js")),
    ("internal/common", include_str!("common/common.js")),
    ("internal/equal", include_str!("equal/equal.js")),
    ("internal/errors", include_str!("errors/errors.js")),
    (
        "internal/event_target",
        include_str!("event_target/event_target.js"),
    ),
    ("internal/fs_streams", include_str!("fs/streams.js")),
    ("internal/inspect", include_str!("vendor/inspect.js")),
    ("internal/legacy_url", include_str!("url/legacy.js")),
    ("internal/parse_args", include_str!("parse_args/parse_args.js")),
    (
        "internal/readable_stream",
        include_str!("vendor/readable_stream.js"),
    ),
    ("internal/text", include_str!("text/text.js")),
    ("module", include_str!("module/module.js")),
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
    ("string_decoder", include_str!("string_decoder/string_decoder.js")),
    ("sys", "module.exports = require('util');"),
    ("timers", include_str!("timers/timers.js")),
    ("timers/promises", "module.exports = require('timers').promises;"),
    ("tty", include_str!("tty/tty.js")),
    ("url", include_str!("url/url.js")),
    ("util", include_str!("util/util.js")),
    ("util/types", "module.exports = require('util').types;"),
    ("vm", include_str!("vm/vm.js")),
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
