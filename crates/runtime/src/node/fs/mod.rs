//! The native half of `fs`: one function a system call, errors as Node has them.
//!
//! There are no checks of paths here on purpose: mounts and Landlock decide what exists.
//! `std::fs::copy` is not used: it ends in `fchmod`, which the reduced tier refuses.

#![allow(clippy::disallowed_methods, reason = "this is the file system of the guest")]

mod handles;
mod tree;

use crate::guest::{State, node_error, node_error_between};
use rquickjs::{Array, Ctx, Function, Object, Result, TypedArray, function::Opt};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

pub(crate) use handles::Files;

/// Bytes that one read of a whole file may bring into memory.
const READ_LIMIT: u64 = 1 << 30;

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let set = |name: &str, function: Result<Function<'js>>| native.set(name, function?);
    set("readFile", Function::new(ctx.clone(), read_file))?;
    set("writeFile", Function::new(ctx.clone(), write_file))?;
    set("stat", Function::new(ctx.clone(), stat))?;
    set("readdir", Function::new(ctx.clone(), readdir))?;
    set("mkdir", Function::new(ctx.clone(), mkdir))?;
    set("copyFile", Function::new(ctx.clone(), copy_file))?;
    set("access", Function::new(ctx.clone(), access))?;
    set("utimes", Function::new(ctx.clone(), utimes))?;
    set("lutimes", Function::new(ctx.clone(), lutimes))?;
    set("statfs", Function::new(ctx.clone(), statfs))?;
    set("mkdtemp", Function::new(ctx.clone(), mkdtemp))?;
    set("rm", Function::new(ctx.clone(), rm))?;
    set("chmod", Function::new(ctx.clone(), chmod))?;
    set(
        "realpath",
        Function::new(ctx.clone(), |ctx, path: String| {
            text_of(&ctx, "realpath", &path, fs::canonicalize(&path))
        }),
    )?;
    set(
        "readlink",
        Function::new(ctx.clone(), |ctx, path: String| {
            text_of(&ctx, "readlink", &path, fs::read_link(&path))
        }),
    )?;
    set(
        "unlink",
        Function::new(ctx.clone(), |ctx, path: String| {
            one(&ctx, "unlink", &path, fs::remove_file(&path))
        }),
    )?;
    set(
        "rmdir",
        Function::new(ctx.clone(), |ctx, path: String| {
            one(&ctx, "rmdir", &path, fs::remove_dir(&path))
        }),
    )?;
    set(
        "rename",
        Function::new(ctx.clone(), |ctx, a: String, b: String| {
            two(&ctx, "rename", &a, &b, fs::rename(&a, &b))
        }),
    )?;
    set(
        "link",
        Function::new(ctx.clone(), |ctx, a: String, b: String| {
            two(&ctx, "link", &a, &b, fs::hard_link(&a, &b))
        }),
    )?;
    set(
        "symlink",
        Function::new(ctx.clone(), |ctx, a: String, b: String| {
            two(&ctx, "symlink", &a, &b, std::os::unix::fs::symlink(&a, &b))
        }),
    )?;
    handles::install(ctx, state, &native)?;
    Ok(native)
}

/// `r`, `w`, `a`, with `+` and `x`.
pub(super) fn options(flags: &str, mode: u32) -> io::Result<OpenOptions> {
    let mut options = OpenOptions::new();
    let exclusive = flags.contains('x');
    let both = flags.contains('+');
    match flags.trim_start_matches("s").chars().next() {
        Some('r') => options.read(true).write(both),
        Some('w') => options.write(true).read(both).create(true).truncate(!exclusive),
        Some('a') => options.append(true).read(both).create(true),
        _ => return Err(io::Error::from_raw_os_error(libc::EINVAL)),
    };
    if exclusive {
        options.create_new(true);
    }
    // Never wait for the other end of a FIFO.
    options
        .mode(mode)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
    Ok(options)
}

fn read_file<'js>(ctx: Ctx<'js>, path: String) -> Result<TypedArray<'js, u8>> {
    let read = || -> io::Result<Vec<u8>> {
        let file = options("r", 0)?.open(&path)?;
        let data = file.metadata()?;
        if data.len() > READ_LIMIT {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or(0));
        file.take(READ_LIMIT).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| match error.raw_os_error() {
        // A folder can be opened; its bytes cannot be read.
        Some(libc::EISDIR) => node_error(&ctx, &error, "read", None),
        _ => node_error(&ctx, &error, "open", Some(&path)),
    })?;
    TypedArray::new_copy(ctx, bytes)
}

fn write_file<'js>(
    ctx: Ctx<'js>,
    path: String,
    bytes: TypedArray<'js, u8>,
    flags: String,
    mode: u32,
) -> Result<()> {
    let mut file = options(&flags, mode)
        .and_then(|o| o.open(&path))
        .map_err(|error| node_error(&ctx, &error, "open", Some(&path)))?;
    crate::node::with_bytes(&bytes, |bytes| file.write_all(bytes))
        .map_err(|error| node_error(&ctx, &error, "write", None))
}

/// The numbers of `Stats`, in the order of fs.js.
pub(super) fn numbers(data: &Metadata) -> Vec<f64> {
    let ms = |seconds: i64, nanos: i64| seconds as f64 * 1000.0 + nanos as f64 / 1e6;
    let born = data
        .created()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    vec![
        data.dev() as f64,
        data.ino() as f64,
        f64::from(data.mode()),
        data.nlink() as f64,
        f64::from(data.uid()),
        f64::from(data.gid()),
        data.rdev() as f64,
        data.size() as f64,
        data.blksize() as f64,
        data.blocks() as f64,
        ms(data.atime(), data.atime_nsec()),
        ms(data.mtime(), data.mtime_nsec()),
        ms(data.ctime(), data.ctime_nsec()),
        born.map_or_else(
            || ms(data.ctime(), data.ctime_nsec()),
            |age| age.as_secs_f64() * 1000.0,
        ),
    ]
}

fn stat(ctx: Ctx<'_>, path: String, follow: bool) -> Result<Vec<f64>> {
    let (data, call) = if follow {
        (fs::metadata(&path), "stat")
    } else {
        (fs::symlink_metadata(&path), "lstat")
    };
    data.map(|data| numbers(&data))
        .map_err(|error| node_error(&ctx, &error, call, Some(&path)))
}

/// `[name, type bits of the mode]` for every entry, sorted by name.
fn readdir<'js>(ctx: Ctx<'js>, path: String) -> Result<Array<'js>> {
    let read = || -> io::Result<Vec<(String, u32)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&path)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let bits = match () {
                () if kind.is_dir() => libc::S_IFDIR,
                () if kind.is_symlink() => libc::S_IFLNK,
                () if kind.is_file() => libc::S_IFREG,
                () => libc::S_IFIFO,
            };
            found.push((entry.file_name().to_string_lossy().into_owned(), bits));
        }
        found.sort();
        Ok(found)
    };
    let found = read().map_err(|error| node_error(&ctx, &error, "scandir", Some(&path)))?;
    let list = Array::new(ctx.clone())?;
    for (at, (name, bits)) in found.into_iter().enumerate() {
        let entry = Array::new(ctx.clone())?;
        entry.set(0, name)?;
        entry.set(1, bits)?;
        list.set(at, entry)?;
    }
    Ok(list)
}

/// The first folder that was made, when recursive.
fn mkdir(ctx: Ctx<'_>, path: String, recursive: bool, mode: u32) -> Result<Option<String>> {
    let fail = |error: io::Error| node_error(&ctx, &error, "mkdir", Some(&path));
    let mut builder = fs::DirBuilder::new();
    builder.mode(mode);
    if !recursive {
        return builder.create(&path).map(|()| None).map_err(fail);
    }
    let missing = Path::new(&path)
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .last();
    let first = missing.map(|folder| folder.to_string_lossy().into_owned());
    builder
        .recursive(true)
        .create(&path)
        .map(|()| first)
        .map_err(fail)
}

fn copy_file(ctx: Ctx<'_>, from: String, to: String, exclusive: bool) -> Result<()> {
    let copied = tree::copy_file(Path::new(&from), Path::new(&to), exclusive);
    two(&ctx, "copyfile", &from, &to, copied)
}

fn access(ctx: Ctx<'_>, path: String, mode: u32) -> Result<()> {
    let wanted = rustix::fs::Access::from_bits_truncate(mode);
    one(
        &ctx,
        "access",
        &path,
        rustix::fs::access(path.as_str(), wanted).map_err(io::Error::from),
    )
}

fn chmod(ctx: Ctx<'_>, path: String, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    one(
        &ctx,
        "chmod",
        &path,
        fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o777)),
    )
}

fn utimes(ctx: Ctx<'_>, path: String, atime_ms: f64, mtime_ms: f64) -> Result<()> {
    let times = times(atime_ms, mtime_ms);
    one(
        &ctx,
        "utime",
        &path,
        File::open(&path).and_then(|file| file.set_times(times)),
    )
}

fn times(atime_ms: f64, mtime_ms: f64) -> fs::FileTimes {
    let at =
        |ms: f64| std::time::UNIX_EPOCH + std::time::Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 1e11));
    fs::FileTimes::new()
        .set_accessed(at(atime_ms))
        .set_modified(at(mtime_ms))
}

/// The times of a link itself.
fn lutimes(ctx: Ctx<'_>, path: String, atime_ms: f64, mtime_ms: f64) -> Result<()> {
    let at = |ms: f64| rustix::fs::Timespec {
        tv_sec: (ms / 1000.0).floor() as i64,
        tv_nsec: ((ms.rem_euclid(1000.0)) * 1e6) as i64,
    };
    let times = rustix::fs::Timestamps {
        last_access: at(atime_ms),
        last_modification: at(mtime_ms),
    };
    let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
    let set = rustix::fs::utimensat(rustix::fs::CWD, path.as_str(), &times, flags);
    one(&ctx, "lutime", &path, set.map_err(io::Error::from))
}

/// In the order of `StatFs`.
fn statfs(ctx: Ctx<'_>, path: String) -> Result<Vec<f64>> {
    let found = rustix::fs::statfs(path.as_str())
        .map_err(|error| node_error(&ctx, &io::Error::from(error), "statfs", Some(&path)))?;
    Ok(vec![
        found.f_type as f64,
        found.f_bsize as f64,
        found.f_blocks as f64,
        found.f_bfree as f64,
        found.f_bavail as f64,
        found.f_files as f64,
        found.f_ffree as f64,
    ])
}

fn mkdtemp(ctx: Ctx<'_>, prefix: String) -> Result<String> {
    loop {
        let random = uuid::Uuid::new_v4().simple().to_string();
        let path = format!("{prefix}{}", &random[..6]);
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(node_error(&ctx, &error, "mkdtemp", Some(&path))),
        }
    }
}

fn rm(ctx: Ctx<'_>, path: String, recursive: bool, force: Opt<bool>) -> Result<()> {
    let removed = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && force.unwrap_or(false) => Ok(()),
        Err(error) => Err(error),
        Ok(data) if data.is_dir() && recursive => fs::remove_dir_all(&path),
        Ok(data) if data.is_dir() => Err(io::Error::from_raw_os_error(libc::EISDIR)),
        Ok(_) => fs::remove_file(&path),
    };
    one(&ctx, "rm", &path, removed)
}

fn text_of(ctx: &Ctx<'_>, call: &str, path: &str, result: io::Result<std::path::PathBuf>) -> Result<String> {
    result
        .map(|found| found.to_string_lossy().into_owned())
        .map_err(|error| node_error(ctx, &error, call, Some(path)))
}

fn one(ctx: &Ctx<'_>, call: &str, path: &str, result: io::Result<()>) -> Result<()> {
    result.map_err(|error| node_error(ctx, &error, call, Some(path)))
}

fn two(ctx: &Ctx<'_>, call: &str, from: &str, to: &str, result: io::Result<()>) -> Result<()> {
    result.map_err(|error| node_error_between(ctx, &error, call, Some(from), Some(to)))
}
