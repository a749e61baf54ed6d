//! What somebody who helps wants to know, as one text without secrets: versions, the machine, isolation, how many of
//! what there is, reports of crashes, and the end of the program's own log.

use crate::app::App;
use crate::work::blocking;
use base::Failure;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes from the end of the log, from each report, and how many of the newest reports.
const LOG: u64 = 32 << 10;
const REPORT: u64 = 8 << 10;
const REPORTS: usize = 3;

pub(crate) async fn text(app: &App) -> Result<String, Failure> {
    let doctor = crate::calls::doctor(app).await;
    let sizes = app.inner.sizes.of(&app.inner.home).await?;
    let mut text = format!(
        "Prompt Manager {}\n{}\nlanguage {}, pid {}\n\n## Isolation\n\ntier {}\n",
        wire::BuildId::current(),
        machine(),
        app.lang().tag(),
        std::process::id(),
        doctor.tier,
    );
    let tiers = doctor.tiers.iter();
    let all = tiers.flat_map(|tier| tier.checks.iter().map(|check| (tier.tier.as_str(), check)));
    let host = doctor.checks.iter().map(|check| ("machine", check));
    for (of, check) in host.chain(all).filter(|(_, check)| !check.ok) {
        line(
            &mut text,
            &format!("not ok, {of}: {} {}", check.name, check.detail),
        );
    }
    if let Some(instead) = &doctor.instead {
        line(&mut text, instead);
    }
    text.push_str("\n## Data\n\n");
    for size in sizes {
        line(
            &mut text,
            &format!("{}: {} files, {} bytes", size.kind, size.files, size.bytes),
        );
    }
    let logs = app.inner.home.logs();
    text.push_str(&blocking(move || kept(&logs)).await?.map_err(unreadable)?);
    // Whatever a log or a panic has caught.
    let masked = app.learn_secrets().await?.mask(&text);
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    Ok(match home.as_deref().and_then(Path::to_str) {
        Some(home) => masked.replace(home, "~"),
        None => masked,
    })
}

fn line(text: &mut String, said: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{said}");
}

fn unreadable(error: io::Error) -> Failure {
    Failure::new("internal").detail(error.to_string())
}

/// System, its version and the kernel's.
fn machine() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{}, {} {} {}, {processors} processors",
        name.unwrap_or("unknown system").trim_matches('"'),
        std::env::consts::OS,
        kernel.trim(),
        std::env::consts::ARCH,
    )
}

/// The newest reports of crashes, and the end of the log.
fn kept(logs: &Path) -> io::Result<String> {
    let mut reports = Vec::new();
    for entry in fs::read_dir(logs)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("crash-") {
            reports.push(path);
        }
    }
    // Their names are dates.
    reports.sort();
    let mut text = format!("\n## Crashes: {}\n", reports.len());
    for path in reports.iter().rev().take(REPORTS) {
        let mut start = Vec::new();
        File::open(path)?.take(REPORT).read_to_end(&mut start)?;
        let _ = write!(
            text,
            "\n{}\n{}\n",
            name_of(path).display(),
            String::from_utf8_lossy(&start).trim_end()
        );
    }
    text.push_str("\n## Log\n\n");
    text.push_str(&end_of(&logs.join("pm.log"))?);
    Ok(text)
}

fn name_of(path: &Path) -> PathBuf {
    path.file_name().map(PathBuf::from).unwrap_or_default()
}

/// Whole lines.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok("(empty)\n".to_owned()),
        opened => opened?,
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG)))?;
    let mut end = Vec::new();
    file.take(LOG).read_to_end(&mut end)?;
    let text = String::from_utf8_lossy(&end);
    Ok(match text.split_once('\n') {
        Some((_, rest)) if length > LOG => rest.to_owned(),
        _ => text.into_owned(),
    })
}
