//! Small copies of pictures for lists: at most 320 x 240 pixels, made once, kept as
//! `artifacts/thumbs/{id}.png`. Losing one loses nothing.
//!
//! A picture is read row by row and never held whole, whatever its size; every pixel of it counts
//! with the area that it covers, and with its opacity.

use base::atomic::{self, Access};
use base::{Args, Coded, DataHome, Failure, args};
use png::{BitDepth, ColorType, Transformations};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;
use tokio::sync::{Mutex, oneshot};

/// The largest copy, pixels.
const WIDTH: u32 = 320;
const HEIGHT: u32 = 240;
/// The longest side of a picture that is looked at, and the most pixels. A row is held in memory.
const LONGEST: u32 = 65_536;
const PIXELS: u64 = 268_435_456;
/// The most pixels of a picture that is stored in passes: it has to be held whole.
const PASSES: u64 = 16_777_216;
/// Bytes that the decoder may take for itself.
const DECODER: usize = 16 * 1024 * 1024;
/// Copies that are made at a time.
const AT_A_TIME: usize = 2;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ThumbError {
    #[error("not a picture that can be read")]
    Decode(#[from] png::DecodingError),
    #[error("the copy could not be written")]
    Encode(#[from] png::EncodingError),
    #[error("{width} x {height} pixels are too many")]
    TooLarge { width: u32, height: u32 },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Coded for ThumbError {
    fn code(&self) -> &'static str {
        match self {
            ThumbError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => "artifact_not_found",
            _ => "picture_unreadable",
        }
    }
    fn args(&self) -> Args {
        let reason = base::failure::chain(self);
        match self {
            ThumbError::Io { path, .. } => {
                args! { id: path.file_stem().unwrap_or_default().to_string_lossy(), reason: reason }
            }
            _ => args! { reason: reason },
        }
    }
}

/// Makes copies, few at a time and each once.
#[derive(Default)]
pub(crate) struct Thumbs {
    /// A picture always waits at the same place, so that it is not made twice at once.
    places: [Arc<Mutex<()>>; AT_A_TIME],
}

impl Thumbs {
    /// The bytes of the copy of one picture.
    pub(crate) async fn get(&self, home: &DataHome, id: &str, picture: &Path) -> Result<Vec<u8>, Failure> {
        let path = file(home, id);
        if let Ok(known) = tokio::fs::read(&path).await {
            return Ok(known);
        }
        let place = self.places[place(id)].clone().lock_owned().await;
        if let Ok(known) = tokio::fs::read(&path).await {
            return Ok(known);
        }
        let picture = picture.to_owned();
        let (send, made) = oneshot::channel();
        // A thread of its own: one of the pool could never have its priority back. The place
        // belongs to the work: whoever goes away does not free it before it is done.
        let work = move || {
            let _place = place;
            yield_to_everything();
            // Whoever asked may have gone away; the copy is kept for the next who does.
            drop(send.send(make(&picture, &path)));
        };
        let internal = |error: &dyn std::error::Error| Failure::new("internal").detail(error.to_string());
        let thread = std::thread::Builder::new().name("thumbs".into());
        thread.spawn(work).map_err(|error| internal(&error))?;
        Ok(made.await.map_err(|error| internal(&error))??)
    }

    /// Forgets the copy of a removed picture, also one that is just being made.
    pub(crate) async fn forget(&self, home: &DataHome, id: &str) {
        let _place = self.places[place(id)].lock().await;
        drop_copy(home, id).await;
    }
}

/// A list that is being scrolled comes first: copies are made with what is left of the machine.
fn yield_to_everything() {
    // Linux gives each thread its own; elsewhere it would slow down the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 19) {
        tracing::debug!(%error, "small copies are made at the usual priority");
    }
}

async fn drop_copy(home: &DataHome, id: &str) {
    match tokio::fs::remove_file(file(home, id)).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(id, %error, "a small copy stays until the next start");
        }
        _ => {}
    }
}

/// Removes copies whose pictures are gone.
pub(crate) async fn tidy(home: &DataHome, store: &Store) -> Result<usize, Failure> {
    let failed = |error: io::Error| {
        Failure::from(ThumbError::Io {
            path: home.thumbs(),
            source: error,
        })
    };
    let mut names = Vec::new();
    let mut folder = tokio::fs::read_dir(home.thumbs()).await.map_err(failed)?;
    while let Some(entry) = folder.next_entry().await.map_err(failed)? {
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    // Asked after the look: a copy that was there then belongs to a picture that was there.
    let known: HashSet<String> = store.artifact_ids().await?;
    let ids = names.iter().filter_map(|name| name.strip_suffix(".png"));
    let gone: Vec<&str> = ids.filter(|id| !known.contains(*id)).collect();
    for id in &gone {
        drop_copy(home, id).await;
    }
    Ok(gone.len())
}

fn file(home: &DataHome, id: &str) -> PathBuf {
    home.thumbs().join(format!("{id}.png"))
}

fn place(id: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    usize::from(hasher.finish() % 2 == 1)
}

fn make(picture: &Path, path: &Path) -> Result<Vec<u8>, ThumbError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ThumbError::Io { path, source }
    };
    let open = std::fs::File::open(picture).map_err(failed(picture))?;
    let bytes = copy(BufReader::new(open))?;
    atomic::write(path, &bytes, Access::Private).map_err(failed(path))?;
    Ok(bytes)
}

/// The small PNG of a PNG.
fn copy(source: impl BufRead + Seek) -> Result<Vec<u8>, ThumbError> {
    let mut decoder = png::Decoder::new_with_limits(source, png::Limits { bytes: DECODER });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let (width, height) = decoder.read_header_info()?.size();
    let too_large = || ThumbError::TooLarge { width, height };
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > LONGEST || pixels > PIXELS {
        return Err(too_large());
    }
    let mut reader = decoder.read_info()?;
    let (color, _) = reader.output_color_type();
    let mut shrink = Shrink::new(width, height, samples(color));
    if reader.info().interlaced {
        let size = reader.output_buffer_size().filter(|_| pixels <= PASSES);
        let mut frame = vec![0; size.ok_or_else(too_large)?];
        reader.next_frame(&mut frame)?;
        let line = frame.len() / height as usize;
        frame.chunks_exact(line).for_each(|row| shrink.row(row));
    } else {
        while let Some(row) = reader.next_row()? {
            shrink.row(row.data());
        }
    }
    encoded(shrink)
}

fn samples(color: ColorType) -> usize {
    match color {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb | ColorType::Indexed => 3,
        ColorType::Rgba => 4,
    }
}

fn encoded(shrink: Shrink) -> Result<Vec<u8>, ThumbError> {
    let (width, height) = (shrink.width as u32, shrink.height as u32);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&shrink.pixels)?;
    writer.finish()?;
    Ok(bytes)
}

/// The size of the copy: never larger than the picture, never nothing.
fn fitted(width: u32, height: u32) -> (usize, usize) {
    let scale = (f64::from(WIDTH) / f64::from(width))
        .min(f64::from(HEIGHT) / f64::from(height))
        .min(1.0);
    let side = |length: u32| ((f64::from(length) * scale).round() as usize).max(1);
    (side(width), side(height))
}

/// Sums of colour times opacity, and of opacity, weighted by area.
type Sum = [f32; 4];

/// Takes rows of a picture, gives those of its copy.
struct Shrink {
    /// Of the copy.
    width: usize,
    height: usize,
    source_height: f64,
    samples: usize,
    /// Of each column of the picture: the column of the copy it begins in, the part that falls
    /// there, and the part that falls into the next.
    columns: Vec<(usize, f32, f32)>,
    /// Pixels of the copy by area: a row under way, and what already belongs to the next.
    sums: Vec<Sum>,
    next: Vec<Sum>,
    area: f32,
    row: usize,
    pixels: Vec<u8>,
}

impl Shrink {
    fn new(source_width: u32, source_height: u32, samples: usize) -> Self {
        let (width, height) = fitted(source_width, source_height);
        let columns = (0..source_width)
            .map(|column| share(f64::from(column), f64::from(source_width), width))
            .collect();
        let area = f64::from(source_width) / width as f64 * f64::from(source_height) / height as f64;
        Shrink {
            width,
            height,
            source_height: f64::from(source_height),
            samples,
            columns,
            sums: vec![[0.0; 4]; width],
            next: vec![[0.0; 4]; width],
            area: area as f32,
            row: 0,
            pixels: Vec::with_capacity(width * height * 4),
        }
    }

    fn row(&mut self, row: &[u8]) {
        let (at, here, there) = share(self.row as f64, self.source_height, self.height);
        self.row += 1;
        for (pixel, &(column, left, right)) in row.chunks_exact(self.samples).zip(&self.columns) {
            let [red, green, blue, alpha] = rgba(pixel);
            let alpha = f32::from(alpha);
            let value = [
                f32::from(red) * alpha,
                f32::from(green) * alpha,
                f32::from(blue) * alpha,
                alpha,
            ];
            let add = |sums: &mut [Sum], part: f32| {
                for (column, part) in [(column, left * part), (column + 1, right * part)] {
                    if part > 0.0 {
                        for (sum, value) in sums[column].iter_mut().zip(value) {
                            *sum += value * part;
                        }
                    }
                }
            };
            add(&mut self.sums, here);
            if there > 0.0 {
                add(&mut self.next, there);
            }
        }
        // The row of the copy is whole when the next row of the picture begins in another.
        let (next_at, ..) = share(self.row as f64, self.source_height, self.height);
        if self.row as f64 >= self.source_height || next_at > at {
            self.finish_row();
        }
    }

    fn finish_row(&mut self) {
        for sum in &mut self.sums {
            let alpha = sum[3];
            let color = |value: f32| if alpha > 0.0 { byte(value / alpha) } else { 0 };
            self.pixels.extend([
                color(sum[0]),
                color(sum[1]),
                color(sum[2]),
                byte(alpha / self.area),
            ]);
            *sum = [0.0; 4];
        }
        std::mem::swap(&mut self.sums, &mut self.next);
    }
}

/// Where the unit interval at `at` of `length` falls when that is divided into `parts`, of which
/// none is shorter than 1: the part it begins in, how much of it lies there, how much in the next.
fn share(at: f64, length: f64, parts: usize) -> (usize, f32, f32) {
    let scale = parts as f64 / length;
    // What is a hair before a border belongs behind it.
    let first = ((at * scale + 1e-9) as usize).min(parts - 1);
    let border = (first + 1) as f64 / scale;
    let there = if first + 1 < parts {
        (at + 1.0 - border).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let there = if there < 1e-6 { 0.0 } else { there };
    (first, (1.0 - there) as f32, there as f32)
}

fn rgba(pixel: &[u8]) -> [u8; 4] {
    match *pixel {
        [gray] => [gray, gray, gray, 255],
        [gray, alpha] => [gray, gray, gray, alpha],
        [red, green, blue] => [red, green, blue, 255],
        [red, green, blue, alpha] => [red, green, blue, alpha],
        _ => [0; 4],
    }
}

fn byte(value: f32) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
#[path = "thumbs_tests.rs"]
mod tests;
