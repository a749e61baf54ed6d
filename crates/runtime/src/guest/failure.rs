//! JavaScript exceptions as the protocol's failures, and the errors that Node's functions throw.

use super::control::Halt;
use super::state::State;
use crate::protocol::{Cause, GuestFailure};
use rquickjs::{Ctx, Exception, Object, Value};
use std::io;

/// Characters of a stack that are kept.
const STACK_LIMIT: usize = 16 * 1024;

impl GuestFailure {
    pub(crate) fn new(cause: Cause, message: impl Into<String>) -> Self {
        GuestFailure {
            cause,
            name: String::new(),
            message: message.into(),
            stack: String::new(),
            line: None,
            column: None,
            code: None,
            business: None,
            detail: None,
            state_lost: false,
        }
    }
}

/// Takes the pending exception of `ctx`, after an `Err` from the engine.
pub(crate) fn take<'js>(ctx: &Ctx<'js>, state: &State, error: rquickjs::Error) -> GuestFailure {
    if let Some(failure) = halted(state) {
        // The exception of an interrupt says nothing that the halt does not.
        let _ = ctx.catch();
        return failure;
    }
    if error.is_exception() {
        from_value(state, ctx.catch())
    } else if state.gauge.take_refused() {
        GuestFailure::new(Cause::MemoryLimit, "out of memory")
    } else {
        GuestFailure::new(Cause::Threw, error.to_string())
    }
}

/// The failure of a halt, if there is one.
pub(crate) fn halted(state: &State) -> Option<GuestFailure> {
    Some(match state.control.halted()? {
        Halt::TimeLimit => GuestFailure::new(Cause::TimeLimit, "time limit"),
        Halt::Cancelled | Halt::Closed => GuestFailure::new(Cause::Cancelled, "cancelled"),
        Halt::Exit => {
            let code = state.exit_code.get();
            let mut failure = GuestFailure::new(Cause::Exited, format!("process.exit({code})"));
            failure.detail = Some(code.into());
            failure
        }
    })
}

/// Whatever was thrown or rejected with; not only errors can be.
pub(crate) fn from_value(state: &State, thrown: Value<'_>) -> GuestFailure {
    let refused = state.gauge.take_refused();
    let mut failure = match thrown.as_object() {
        Some(object) => from_object(object),
        None => GuestFailure::new(Cause::Threw, plain(&thrown)),
    };
    // With no memory left for an error, the engine throws null.
    if refused && (failure.name == "InternalError" || thrown.is_null()) {
        failure.cause = Cause::MemoryLimit;
    }
    // What was thrown may be code, too: getters, and a conversion to text.
    halted(state).unwrap_or(failure)
}

fn from_object(object: &Object<'_>) -> GuestFailure {
    let text = |name: &str| -> Option<String> {
        object
            .get::<_, Option<rquickjs::Coerced<String>>>(name)
            .ok()
            .flatten()
            .map(|t| t.0)
    };
    let mut failure = GuestFailure::new(Cause::Threw, text("message").unwrap_or_else(|| plain(object)));
    failure.name = text("name").unwrap_or_default();
    failure.code = text("code");
    if let Some("MODULE_NOT_FOUND" | "ERR_MODULE_NOT_FOUND") = failure.code.as_deref()
        && let Some(package) = text("package")
    {
        failure.cause = Cause::DependencyMissing;
        failure.code = Some(DEPENDENCY_MISSING.to_owned());
        failure.detail = Some(package.into());
    }
    if let Some("ERR_DLOPEN_FAILED") = failure.code.as_deref()
        && let Some(package) = text("addon")
    {
        failure.cause = Cause::NativeAddon;
        failure.detail = Some(package.into());
    }
    let mut stack = text("stack").map(frames).unwrap_or_default();
    stack.truncate(stack.floor_char_boundary(STACK_LIMIT));
    (failure.line, failure.column) = match (number(object, "lineNumber"), number(object, "columnNumber")) {
        (Some(line), column) => (Some(line), column),
        _ => position(&stack),
    };
    failure.stack = stack;
    failure
}

/// `code` of the failure that a missing package is.
const DEPENDENCY_MISSING: &str = "dependency_missing";

/// A stack without the error's own text before it.
fn frames(stack: String) -> String {
    if stack.starts_with("    at ") {
        return stack;
    }
    stack
        .find("\n    at ")
        .map(|at| stack[at + 1..].to_owned())
        .unwrap_or_default()
}

fn number(object: &Object<'_>, name: &str) -> Option<u32> {
    object.get::<_, Option<u32>>(name).ok().flatten()
}

/// Line and column of the innermost frame: `    at f (file:LINE:COLUMN)`.
fn position(stack: &str) -> (Option<u32>, Option<u32>) {
    for line in stack.lines() {
        let mut parts = line.trim_end().trim_end_matches(')').rsplitn(3, ':');
        if let (Some(Ok(column)), Some(Ok(line)), Some(_)) = (
            parts.next().map(str::parse),
            parts.next().map(str::parse),
            parts.next(),
        ) {
            return (Some(line), Some(column));
        }
    }
    (None, None)
}

fn plain<'js>(value: &Value<'js>) -> String {
    let ctx = value.ctx();
    if let Ok(text) = value.get::<rquickjs::Coerced<String>>() {
        return text.0;
    }
    // An object whose conversion throws: the exception of the conversion is not of interest.
    let _ = ctx.catch();
    value.type_name().to_owned()
}

/// An error with Node's properties: `ENOENT: no such file or directory, open '/x'`, with `code`,
/// `errno`, `syscall` and `path`.
pub(crate) fn node_error(
    ctx: &Ctx<'_>,
    error: &io::Error,
    syscall: &str,
    path: Option<&str>,
) -> rquickjs::Error {
    node_error_between(ctx, error, syscall, path, None)
}

/// The same of a call that is about two places.
pub(crate) fn node_error_between(
    ctx: &Ctx<'_>,
    error: &io::Error,
    syscall: &str,
    path: Option<&str>,
    dest: Option<&str>,
) -> rquickjs::Error {
    let number = error.raw_os_error().unwrap_or(libc::EIO);
    let (code, text) = errno(number);
    let mut place = path.map(|path| format!(" '{path}'")).unwrap_or_default();
    if let Some(dest) = dest {
        place.push_str(&format!(" -> '{dest}'"));
    }
    let thrown = (|| {
        let exception = Exception::from_message(ctx.clone(), &format!("{code}: {text}, {syscall}{place}"))?;
        let object = exception.as_object();
        object.set("errno", -number)?;
        object.set("code", code)?;
        object.set("syscall", syscall)?;
        for (name, place) in [("path", path), ("dest", dest)] {
            if let Some(place) = place {
                object.set(name, place)?;
            }
        }
        Ok(exception)
    })();
    match thrown {
        Ok(exception) => exception.throw(),
        Err(error) => error,
    }
}

/// libuv's name and text of an error number.
fn errno(number: i32) -> (&'static str, &'static str) {
    match number {
        libc::EACCES => ("EACCES", "permission denied"),
        libc::EADDRINUSE => ("EADDRINUSE", "address already in use"),
        libc::EADDRNOTAVAIL => ("EADDRNOTAVAIL", "address not available"),
        libc::ECONNABORTED => ("ECONNABORTED", "software caused connection abort"),
        libc::ECONNREFUSED => ("ECONNREFUSED", "connection refused"),
        libc::ECONNRESET => ("ECONNRESET", "connection reset by peer"),
        libc::EHOSTUNREACH => ("EHOSTUNREACH", "host is unreachable"),
        libc::ENETUNREACH => ("ENETUNREACH", "network is unreachable"),
        libc::ENOTCONN => ("ENOTCONN", "socket is not connected"),
        libc::ETIMEDOUT => ("ETIMEDOUT", "connection timed out"),
        libc::EBADF => ("EBADF", "bad file descriptor"),
        libc::EBUSY => ("EBUSY", "resource busy or locked"),
        libc::EDQUOT => ("EDQUOT", "disk quota exceeded"),
        libc::EEXIST => ("EEXIST", "file already exists"),
        libc::EFBIG => ("EFBIG", "file too large"),
        libc::EINVAL => ("EINVAL", "invalid argument"),
        libc::EISDIR => ("EISDIR", "illegal operation on a directory"),
        libc::ELOOP => ("ELOOP", "too many symbolic links encountered"),
        libc::EMFILE => ("EMFILE", "too many open files"),
        libc::EMLINK => ("EMLINK", "too many links"),
        libc::ENAMETOOLONG => ("ENAMETOOLONG", "name too long"),
        libc::ENOENT => ("ENOENT", "no such file or directory"),
        libc::ENOMEM => ("ENOMEM", "not enough memory"),
        libc::ENOSPC => ("ENOSPC", "no space left on device"),
        libc::ENOSYS => ("ENOSYS", "function not implemented"),
        libc::ENOTDIR => ("ENOTDIR", "not a directory"),
        libc::ENOTEMPTY => ("ENOTEMPTY", "directory not empty"),
        libc::ENOTSUP => ("ENOTSUP", "operation not supported on socket"),
        libc::ENXIO => ("ENXIO", "no such device or address"),
        libc::EPERM => ("EPERM", "operation not permitted"),
        libc::EPIPE => ("EPIPE", "broken pipe"),
        libc::EROFS => ("EROFS", "read-only file system"),
        libc::ETXTBSY => ("ETXTBSY", "text file is busy"),
        libc::EXDEV => ("EXDEV", "cross-device link not permitted"),
        _ => ("EIO", "i/o error"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_is_of_the_first_frame_that_has_one() {
        let stack = "    at <anonymous>\n    at f (/t/x.tool.js:3:7)\n    at /t/y.js:9:1\n";
        assert_eq!(position(stack), (Some(3), Some(7)));
        assert_eq!(position("    at native"), (None, None));
    }
}
