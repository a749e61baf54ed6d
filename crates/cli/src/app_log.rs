//! What the owner says of itself, kept: `logs/pm.log`, and `logs/crash-DATE.txt` for each panic.
//!
//! Deliberately not here: logs of tools and servers (`toolbox::run_log`).

#![allow(
    clippy::disallowed_methods,
    reason = "a log grows at its end, and is renamed when it is long"
)]

use std::backtrace::Backtrace;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes of a log before it becomes `pm.log.1`, and how many older ones there are.
const MOST: u64 = 2 << 20;
const OLDER: u32 = 2;

/// Reports of panics that are kept.
const CRASHES: usize = 20;

/// Where this process keeps it, once it owns a data home.
static KEPT: Mutex<Option<Log>> = Mutex::new(None);

/// From now on this process, which owns the data home, keeps what it says in its folder of logs.
pub fn keep_in(folder: PathBuf) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Log::new(folder, MOST));
}

/// For events: what is written before somebody says where to goes nowhere.
pub struct Kept;

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match KEPT.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(log) => log.add(bytes).map(|()| bytes.len()),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A panic is said as usual, and kept.
pub fn report_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        // Not the lock of a log that is being written: the panic may have come from there.
        let folder = KEPT
            .try_lock()
            .ok()
            .and_then(|kept| kept.as_ref().map(|log| log.folder.clone()));
        if let Some(Err(error)) = folder.map(|folder| report(&folder, panic)) {
            crate::output::aside(&format!("pm: the report of a crash could not be kept: {error}"));
        }
    }));
}

fn report(folder: &Path, panic: &PanicHookInfo) -> io::Result<()> {
    let thread = std::thread::current();
    let text = format!(
        "Prompt Manager {} at {}, thread {}\n{panic}\n\n{}",
        wire::BuildId::current(),
        base::clock::iso_utc(base::clock::now_ms()),
        thread.name().unwrap_or("without a name"),
        Backtrace::force_capture(),
    );
    let name = format!("crash-{}.txt", base::clock::stamp_for_names());
    base::atomic::write(&folder.join(name), text.as_bytes(), base::atomic::Access::Private)?;
    let mut reports: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("crash-"))
        })
        .collect();
    // By their dates.
    reports.sort();
    for old in &reports[..reports.len().saturating_sub(CRASHES)] {
        fs::remove_file(old)?;
    }
    Ok(())
}

struct Log {
    folder: PathBuf,
    most: u64,
    file: Option<(File, u64)>,
}

impl Log {
    fn new(folder: PathBuf, most: u64) -> Self {
        Log {
            folder,
            most,
            file: None,
        }
    }

    fn path(&self, older: u32) -> PathBuf {
        self.folder.join(match older {
            0 => "pm.log".to_owned(),
            older => format!("pm.log.{older}"),
        })
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (mut file, mut size) = match self.file.take() {
            Some(open) => open,
            None => self.open()?,
        };
        if size > 0 && size + bytes.len() as u64 > self.most {
            for older in (0..OLDER).rev() {
                match fs::rename(self.path(older), self.path(older + 1)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            (file, size) = self.open()?;
        }
        file.write_all(bytes)?;
        self.file = Some((file, size + bytes.len() as u64));
        Ok(())
    }

    fn open(&self) -> io::Result<(File, u64)> {
        base::atomic::create_dir_all(&self.folder)?;
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(self.path(0))?;
        let size = file.metadata()?.len();
        Ok((file, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_as_long_as_is_said_and_goes_on_where_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap_or_default();
        for n in 0..7 {
            // As after a start.
            let mut log = Log::new(dir.path().to_owned(), 10);
            log.add(format!("{n}xxx\n").as_bytes()).unwrap();
        }
        assert_eq!(read("pm.log"), "6xxx\n");
        assert_eq!(read("pm.log.1"), "4xxx\n5xxx\n");
        assert_eq!(read("pm.log.2"), "2xxx\n3xxx\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
        let mut log = Log::new(dir.path().to_owned(), 10);
        log.add(&[b'y'; 30]).unwrap();
        log.add(b"z").unwrap();
        assert_eq!((read("pm.log").as_str(), read("pm.log.1").len()), ("z", 30));
    }

    #[test]
    fn a_panic_says_where_and_the_oldest_reports_leave() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..CRASHES + 3 {
            fs::write(dir.path().join(format!("crash-2000{n:04}.txt")), "old").unwrap();
        }
        let folder = dir.path().to_owned();
        let usual = std::panic::take_hook();
        // Of this test alone: another one that fails beside it says so itself.
        let own = std::thread::current().id();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == own {
                report(&folder, panic).unwrap();
            }
        }));
        let ended = std::panic::catch_unwind(|| panic!("this went wrong"));
        std::panic::set_hook(usual);
        assert!(ended.is_err());
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        names.sort();
        assert_eq!(names.len(), CRASHES);
        let text = fs::read_to_string(names.last().unwrap()).unwrap();
        assert!(
            text.contains("this went wrong") && text.contains("app_log.rs"),
            "{text}"
        );
    }
}
