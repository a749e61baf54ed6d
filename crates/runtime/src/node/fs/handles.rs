//! Open files by number.

use super::{numbers, options, times};
use crate::guest::{State, node_error};
use rquickjs::{Ctx, Function, Object, Result, TypedArray};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// Bytes of one read through a handle.
const CHUNK_LIMIT: usize = 256 * 1024 * 1024;

/// The numbers are ours, not the system's: a tool cannot name the worker's pipe.
#[derive(Default)]
pub(crate) struct Files {
    open: BTreeMap<i32, File>,
    last: i32,
}

impl Files {
    fn add(&mut self, file: File) -> i32 {
        // 0, 1 and 2 are taken by habit.
        self.last = self.last.max(2) + 1;
        self.open.insert(self.last, file);
        self.last
    }

    fn get(&self, fd: i32) -> io::Result<&File> {
        self.open
            .get(&fd)
            .ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))
    }
}

pub(super) fn install<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let files = state.clone();
    let open = move |ctx: Ctx<'js>, path: String, flags: String, mode: u32| {
        let file = options(&flags, mode).and_then(|options| options.open(&path));
        match file {
            Ok(file) => Ok(files.files.borrow_mut().add(file)),
            Err(error) => Err(node_error(&ctx, &error, "open", Some(&path))),
        }
    };
    native.set("open", Function::new(ctx.clone(), open)?)?;

    let files = state.clone();
    let close = move |ctx: Ctx<'js>, fd: i32| match files.files.borrow_mut().open.remove(&fd) {
        Some(_) => Ok(()),
        None => Err(node_error(
            &ctx,
            &io::Error::from_raw_os_error(libc::EBADF),
            "close",
            None,
        )),
    };
    native.set("close", Function::new(ctx.clone(), close)?)?;

    let files = state.clone();
    let read = move |ctx: Ctx<'js>, fd: i32, length: usize, position: f64| {
        let bytes = read_at(files.files.borrow().get(fd), length, position);
        TypedArray::<u8>::new(
            ctx.clone(),
            bytes.map_err(|error| node_error(&ctx, &error, "read", None))?,
        )
    };
    native.set("read", Function::new(ctx.clone(), read)?)?;

    let files = state.clone();
    let write = move |ctx: Ctx<'js>, fd: i32, bytes: TypedArray<'js, u8>, position: f64| {
        let written = crate::node::with_bytes(&bytes, |bytes| {
            write_at(files.files.borrow().get(fd), bytes, position)
        });
        written.map_err(|error| node_error(&ctx, &error, "write", None))
    };
    native.set("write", Function::new(ctx.clone(), write)?)?;

    let files = state.clone();
    let stat = move |ctx: Ctx<'js>, fd: i32| {
        let data = files.files.borrow().get(fd).and_then(File::metadata);
        data.map(|data| numbers(&data))
            .map_err(|error| node_error(&ctx, &error, "fstat", None))
    };
    native.set("fstat", Function::new(ctx.clone(), stat)?)?;

    let files = state.clone();
    let sync = move |ctx: Ctx<'js>, fd: i32| {
        files
            .files
            .borrow()
            .get(fd)
            .and_then(File::sync_all)
            .map_err(|error| node_error(&ctx, &error, "fsync", None))
    };
    native.set("fsync", Function::new(ctx.clone(), sync)?)?;

    let files = state.clone();
    let stamp = move |ctx: Ctx<'js>, fd: i32, atime_ms: f64, mtime_ms: f64| {
        let times = times(atime_ms, mtime_ms);
        let set = files
            .files
            .borrow()
            .get(fd)
            .and_then(|file| file.set_times(times));
        set.map_err(|error| node_error(&ctx, &error, "futime", None))
    };
    native.set("futimes", Function::new(ctx.clone(), stamp)?)?;

    let files = state.clone();
    let truncate = move |ctx: Ctx<'js>, fd: i32, length: f64| {
        let cut = files
            .files
            .borrow()
            .get(fd)
            .and_then(|file| file.set_len(length.max(0.0) as u64));
        cut.map_err(|error| node_error(&ctx, &error, "ftruncate", None))
    };
    native.set("ftruncate", Function::new(ctx.clone(), truncate)?)
}

/// A negative position means the file's own.
fn read_at(file: io::Result<&File>, length: usize, position: f64) -> io::Result<Vec<u8>> {
    let mut file = file?;
    let mut bytes = vec![0; length.min(CHUNK_LIMIT)];
    let count = if position >= 0.0 {
        file.read_at(&mut bytes, position as u64)?
    } else {
        file.read(&mut bytes)?
    };
    bytes.truncate(count);
    Ok(bytes)
}

fn write_at(file: io::Result<&File>, bytes: &[u8], position: f64) -> io::Result<usize> {
    let mut file = file?;
    if position >= 0.0 {
        file.write_at(bytes, position as u64)
    } else {
        file.write(bytes)
    }
}
