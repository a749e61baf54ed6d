//! Documents that canvases begin with.

use crate::app::App;
use ::arena::convert::{ConvertError, Imported, from_ipynb, from_markdown};
use ::arena::{ARENA, ARTIFACTS, Canvas, Cell, CellId, Entry, Part};
use base::{Failure, clock};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::collections::HashMap;
use store::NewArtifact;
use wire::CanvasFormat;

/// Bytes of a picture that comes in a notebook.
const PICTURE: usize = 32 * 1024 * 1024;

/// A document in any of the formats. Markdown with a canvas in it is that canvas.
pub(super) fn read(text: &str, format: CanvasFormat) -> Result<Imported, Failure> {
    let acp = |text: &str| {
        let reading = ::arena::read(text, ARENA);
        let parts = reading.document.parts.into_iter();
        parts
            .filter_map(|part| match part {
                Part::Canvas(canvas) => Some(canvas),
                Part::Prose(_) => None,
            })
            .next()
    };
    Ok(match format {
        CanvasFormat::Acp => Imported {
            canvas: acp(text).unwrap_or_default(),
            pictures: Vec::new(),
        },
        CanvasFormat::Markdown if text.contains("<Canvas") && !text.contains("{acp") => Imported {
            canvas: acp(text).unwrap_or_default(),
            pictures: Vec::new(),
        },
        CanvasFormat::Markdown => from_markdown(text),
        CanvasFormat::Ipynb => from_ipynb(text).map_err(|error: ConvertError| Failure::of(&error))?,
    })
}

/// Keeps the pictures that came with a document; each is named by its cell.
pub(super) async fn with_pictures(
    app: &App,
    actor: &store::Actor,
    id: &str,
    imported: Imported,
) -> Result<Canvas, Failure> {
    let Imported { mut canvas, pictures } = imported;
    let mut kept: HashMap<CellId, Vec<String>> = HashMap::new();
    for (cell, text) in pictures {
        let Ok(png) = STANDARD.decode(&text) else { continue };
        // Something that is no picture is left out: the cell says nothing else by it.
        let Some((width, height)) = size_of(&png).filter(|_| png.len() <= PICTURE) else {
            continue;
        };
        let new = NewArtifact {
            title: cell.to_string(),
            source: format!("canvas:{id}"),
            actor: actor.clone(),
            code: String::new(),
            width,
            height,
            png,
        };
        let artifact = app.inner.store.add_picture(new).await?;
        kept.entry(cell)
            .or_default()
            .push(format!("artifact:{}", artifact.id));
    }
    for entry in &mut canvas.entries {
        if let Entry::Cell(cell) = entry
            && let Some(names) = kept.remove(&cell.id())
        {
            cell.attributes.push((ARTIFACTS.to_owned(), names.join(" ")));
        }
    }
    Ok(canvas)
}

fn size_of(bytes: &[u8]) -> Option<(u32, u32)> {
    let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
    Some((reader.info().width, reader.info().height))
}

/// The first line of the document.
pub(super) fn title_of(canvas: &Canvas) -> String {
    let texts = canvas.cells().map(Cell::text);
    let mut lines = texts
        .flat_map(str::lines)
        .map(|line| line.trim_start_matches(['#', ' ']).trim());
    match lines.find(|line| !line.is_empty()) {
        Some(line) => line.chars().take(super::TITLE).collect(),
        None => clock::iso_utc(clock::now_ms()).chars().take(16).collect(),
    }
}
