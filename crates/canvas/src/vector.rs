//! SVG pictures: kept as shapes, and drawn at the size that is asked for.
//!
//! Deliberately not here: scripts, and whatever lies outside of the file.

use crate::canvas::Bitmap;
use crate::css::{self, Basis, Kind};
use crate::decode::check;
use crate::error::CanvasError;
use crate::geometry::IRect;
use crate::matrix::Matrix;
use crate::text::Fonts;
use base64::Engine as _;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use std::sync::{Arc, Mutex, PoisonError};

mod patterns;

/// Pixels of a drawn picture that is kept for the next time.
const MAX_KEPT: usize = 1 << 16;
/// Pixels of a side; a picture that is drawn larger is drawn from pixels of its own size.
const MAX_SIDE: f64 = 16384.0;
/// Pixels of tiles of patterns; a picture that would need more is drawn from pixels of its own size.
const MAX_TILES: f64 = (1 << 24) as f64;
/// Elements inside of each other.
const MAX_DEPTH: usize = 256;

/// An SVG file that was read; it has an area.
pub struct Vector {
    tree: usvg::Tree,
    width: u32,
    height: u32,
    /// Pixels of tiles of patterns that it needs in its own size.
    tiles: f64,
    /// How it was drawn last.
    last: Mutex<Option<(Look, Arc<Bitmap>)>>,
}

/// What pixels depend on: the matrix, in f32, and the size.
type Look = ([u32; 6], usize, usize);

impl std::fmt::Debug for Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vector({}x{})", self.width, self.height)
    }
}

/// XML that has an `svg` element near its beginning.
pub(crate) fn is_svg(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    text.starts_with(b"<") && head.windows(4).any(|part| part == b"<svg")
}

/// The readers' and the rasteriser's numbers are not total on broken files: where they panic, it is a
/// broken picture.
fn guarded<T>(draw: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(draw)).ok()
}

/// The elements, where they can be drawn in a time and on a stack that a picture is worth.
fn document(text: &str) -> Option<usvg::roxmltree::Document<'_>> {
    let options = usvg::roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = usvg::roxmltree::Document::parse_with_options(text, options).ok()?;
    let mut depth = 0usize;
    let mut node = Some(document.root());
    while let Some(now) = node {
        if depth > MAX_DEPTH || is_endless(&now) {
            return None;
        }
        node = now.first_child();
        if node.is_some() {
            depth += 1;
            continue;
        }
        let mut last = now;
        loop {
            if let Some(next) = last.next_sibling() {
                node = Some(next);
                break;
            }
            match last.parent() {
                Some(parent) => {
                    last = parent;
                    depth = depth.saturating_sub(1);
                }
                None => break,
            }
        }
    }
    Some(document)
}

/// The text with a size for a root that has none of its own, or only a share of its surroundings: 300 x 150
/// as images of CSS have it, in which the view box keeps its shape.
fn with_size(text: &str, root: &usvg::roxmltree::Node) -> Option<String> {
    const WIDTH: f64 = 300.0;
    const HEIGHT: f64 = 150.0;
    let basis = Basis {
        em: Some(16.0),
        percent: None,
    };
    let given = |name: &str| match css::evaluate(root.attribute(name)?, &basis)? {
        (value, Kind::Number | Kind::Length) if value.is_finite() => Some(value),
        _ => None,
    };
    let (width, height) = match (given("width"), given("height"), shape(root)) {
        (Some(_), Some(_), _) => return None,
        (Some(width), None, shape) => (width, shape.map_or(HEIGHT, |shape| width / shape)),
        (None, Some(height), shape) => (shape.map_or(WIDTH, |shape| height * shape), height),
        (None, None, None) => (WIDTH, HEIGHT),
        (None, None, Some(shape)) => {
            let width = WIDTH.min(HEIGHT * shape);
            (width, width / shape)
        }
    };
    let start = root.range().start + 1;
    let name = text
        .get(start..)?
        .find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?;
    let mut at = start + name;
    let mut sized = format!("{} width=\"{width}\" height=\"{height}\"", text.get(..at)?);
    for attribute in root.attributes() {
        if attribute.namespace().is_none() && matches!(attribute.name(), "width" | "height") {
            sized.push_str(text.get(at..attribute.range().start)?);
            at = attribute.range().end;
        }
    }
    sized.push_str(text.get(at..)?);
    Some(sized)
}

/// Width by height of the view box.
fn shape(root: &usvg::roxmltree::Node) -> Option<f64> {
    let numbers = root.attribute("viewBox")?;
    let numbers = numbers.split(|c: char| c.is_whitespace() || c == ',');
    let numbers: Vec<f64> = numbers
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    match numbers[..] {
        [_, _, width, height] if width > 0.0 && height > 0.0 => {
            Some(width / height).filter(|shape| shape.is_normal())
        }
        _ => None,
    }
}

/// Filters that take as many steps a pixel as their numbers say.
fn is_endless(node: &usvg::roxmltree::Node) -> bool {
    let above = |name: &str, most: f64| {
        let numbers = node.attribute(name).unwrap_or_default();
        let mut numbers = numbers
            .split([' ', ',', '\t', '\n'])
            .filter(|word| !word.is_empty());
        // What is no number is no number for the filter either.
        numbers.any(|word| word.parse::<f64>().is_ok_and(|v| v > most))
    };
    match node.tag_name().name() {
        "feTurbulence" => above("numOctaves", 32.0),
        "feMorphology" => above("radius", 64.0),
        _ => false,
    }
}

/// Whether a picture inside of an SVG is not too large for its pixels to be made.
fn may_be_drawn(bytes: &[u8], max_pixels: u64) -> bool {
    if is_svg(bytes) {
        return std::str::from_utf8(bytes).is_ok_and(|text| document(text).is_some());
    }
    let reader = image::ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format();
    let size = reader.ok().and_then(|reader| reader.into_dimensions().ok());
    size.is_some_and(|(width, height)| check(width, height, max_pixels).is_ok())
}

impl Vector {
    /// `None` for a file without an area.
    pub(crate) fn read(bytes: &[u8], max_pixels: u64, fonts: &Fonts) -> Result<Option<Vector>, CanvasError> {
        let (fontdb, font_resolver) = fonts.for_svg();
        let inside = usvg::ImageHrefResolver::default_data_resolver();
        let options = usvg::Options {
            // Nothing outside of the file is read, whatever it names.
            image_href_resolver: usvg::ImageHrefResolver {
                resolve_data: Box::new(move |kind, data, options| {
                    may_be_drawn(&data, max_pixels).then(|| inside(kind, data, options))?
                }),
                resolve_string: Box::new(|_, _| None),
            },
            font_family: "serif".to_owned(),
            fontdb,
            font_resolver,
            ..usvg::Options::default()
        };
        let text = std::str::from_utf8(bytes).map_err(|_| CanvasError::BadPicture)?;
        let given = document(text).ok_or(CanvasError::BadPicture)?;
        let sized = with_size(text, &given.root_element());
        let document = match &sized {
            Some(text) => document(text).ok_or(CanvasError::BadPicture)?,
            None => given,
        };
        let read = guarded(|| usvg::Tree::from_xmltree(&document, &options));
        let tree = match read.ok_or(CanvasError::BadPicture)? {
            Ok(tree) => tree,
            Err(usvg::Error::InvalidSize) => return Ok(None),
            Err(_) => return Err(CanvasError::BadPicture),
        };
        // The casts saturate; usvg's own would panic where the product is too large.
        let side = |v: f32| v.ceil().max(1.0) as u32;
        let (width, height) = (side(tree.size().width()), side(tree.size().height()));
        check(width, height, max_pixels)?;
        let tiles = patterns::tiles(tree.root()).ok_or(CanvasError::BadPicture)?;
        if tiles.pixels.is_nan() || tiles.pixels > (max_pixels as f64).max(MAX_TILES) {
            let (width, height) = tiles.largest;
            return Err(CanvasError::TooLarge {
                width: width as u32,
                height: height as u32,
            });
        }
        Ok(Some(Vector {
            tree,
            width,
            height,
            tiles: tiles.pixels,
            last: Mutex::default(),
        }))
    }

    /// The size that it says it has.
    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    /// Pixels that it may keep beside itself.
    pub fn kept_pixels(&self) -> u64 {
        MAX_KEPT as u64
    }

    /// The picture in its own size.
    pub fn to_bitmap(&self) -> Result<Bitmap, CanvasError> {
        self.pixels(Transform::identity(), self.width, self.height)
    }

    /// The pixels in `area` of what is drawn through `matrix`.
    pub(crate) fn drawn(&self, matrix: &Matrix, area: IRect) -> Option<Arc<Bitmap>> {
        let (dx, dy) = (f64::from(area.x0), f64::from(area.y0));
        let m = Matrix::translation(-dx, -dy).multiply(*matrix);
        let numbers = [m.a, m.b, m.c, m.d, m.e, m.f].map(|v| v as f32);
        // Beyond this the numbers of the rasteriser have no room: nothing of it is drawn.
        if !numbers.iter().all(|v| v.abs() < 1e6) {
            return None;
        }
        let look = (numbers.map(f32::to_bits), area.width(), area.height());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, pixels)) = &*last
            && *known == look
        {
            return Some(Arc::clone(pixels));
        }
        let [a, b, c, d, e, f] = numbers;
        let transform = Transform::from_row(a, b, c, d, e, f);
        let pixels = self.pixels(transform, area.width() as u32, area.height() as u32);
        let pixels = Arc::new(pixels.ok()?);
        if area.width() * area.height() <= MAX_KEPT {
            *last = Some((look, Arc::clone(&pixels)));
        }
        Some(pixels)
    }

    /// As an address that needs no fonts: its text is outlines.
    pub(crate) fn to_data_url(&self) -> Option<String> {
        let text = guarded(|| self.tree.to_string(&usvg::WriteOptions::default()))?;
        let text = base64::engine::general_purpose::STANDARD.encode(text);
        Some(format!("data:image/svg+xml;base64,{text}"))
    }

    /// Whether it is drawn from its shapes through this matrix. What it repeats and filters takes the
    /// pixels of the whole, seen or not.
    pub(crate) fn fits(&self, matrix: &Matrix) -> bool {
        let scale = matrix.max_scale();
        let tiles = self.tiles * scale.powi(2).max(1.0);
        scale * f64::from(self.width.max(self.height)) <= MAX_SIDE && tiles <= self.tiles.max(MAX_TILES)
    }

    fn pixels(&self, transform: Transform, width: u32, height: u32) -> Result<Bitmap, CanvasError> {
        let mut pixels = Pixmap::new(width, height).ok_or(CanvasError::TooLarge { width, height })?;
        guarded(|| resvg::render(&self.tree, transform, &mut pixels.as_mut()))
            .ok_or(CanvasError::BadPicture)?;
        Bitmap::from_premultiplied(width, height, pixels.take()).ok_or(CanvasError::BadPicture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use crate::context::Context2d;
    use crate::geometry::RectF;
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    const MANY: u64 = 1 << 20;

    fn read(text: &str) -> Result<Option<Vector>, CanvasError> {
        Vector::read(text.as_bytes(), MANY, &Fonts::bundled())
    }

    fn svg(size: &str, content: &str) -> Vector {
        let text = format!("<svg xmlns='http://www.w3.org/2000/svg' {size}>{content}</svg>");
        read(&text).unwrap().unwrap()
    }

    fn drawn(vector: &Vector, side: u32, draw: impl Fn(&mut Context2d)) -> Bitmap {
        let mut c = Context2d::new(Canvas::new(side, side).unwrap());
        draw(&mut c);
        let (w, h) = (f64::from(vector.width()), f64::from(vector.height()));
        let side = f64::from(side);
        c.draw_vector(
            vector,
            RectF::new(0.0, 0.0, w, h),
            RectF::new(0.0, 0.0, side, side),
        );
        c.canvas().snapshot()
    }

    /// Pixels that are neither clear nor opaque.
    fn soft(bitmap: &Bitmap) -> usize {
        bitmap
            .data()
            .chunks_exact(4)
            .filter(|p| p[3] != 0 && p[3] != 255)
            .count()
    }

    #[test]
    fn a_picture_without_a_size_has_that_of_an_image_of_css() {
        for (given, size) in [
            ("width='50' height='40'", (50, 40)),
            ("width=\"1in\" height='2.54cm'", (96, 96)),
            ("viewBox='0 0 50 50'", (150, 150)),
            ("viewBox='0,0 80 20'", (300, 75)),
            ("width='50'", (50, 150)),
            ("height = '20'", (300, 20)),
            ("height='20' viewBox='0 0 5 10'", (10, 20)),
            ("width='50%' height=\"50%\"", (300, 150)),
            ("width='100%' height='30' viewBox='0 0 1 1'", (30, 30)),
            ("", (300, 150)),
        ] {
            let svg = format!(
                "<?xml version='1.0'?><!-- <svg> --><svg {given} xmlns='http://www.w3.org/2000/svg'><rect width='50' height='50'/></svg>"
            );
            let read = Vector::read(svg.as_bytes(), 1 << 20, &Fonts::bundled())
                .unwrap()
                .unwrap();
            assert_eq!((read.width(), read.height()), size, "{given}");
        }
        for none in ["width='0' viewBox='0 0 5 5'", "height='-3'"] {
            let svg = format!("<svg {none} xmlns='http://www.w3.org/2000/svg'/>");
            assert!(
                Vector::read(svg.as_bytes(), 1 << 20, &Fonts::bundled())
                    .unwrap()
                    .is_none(),
                "{none}"
            );
        }
    }

    #[test]
    fn it_is_drawn_in_the_size_that_is_asked_for() {
        let vector = svg("width='10' height='10'", "<path d='M1 1H9V9H1Z'/>");
        assert_eq!((vector.width(), vector.height()), (10, 10));
        let large = drawn(&vector, 400, |_| {});
        // A picture of 10x10 drawn so large would be soft around the whole of it.
        assert_eq!(soft(&large), 0);
        assert_eq!(large.row(40, 40, 41), [0, 0, 0, 255]);
        assert_eq!(large.row(39, 40, 41), [0, 0, 0, 0]);
        let turned = drawn(&vector, 400, |c| {
            c.translate(200.0, 200.0);
            c.rotate(std::f64::consts::FRAC_PI_4);
            c.translate(-200.0, -200.0);
        });
        assert!(soft(&turned) < 2000, "{}", soft(&turned));
        assert_eq!(turned.row(200, 200, 201), [0, 0, 0, 255]);
        assert_eq!(turned.row(10, 10, 11), [0, 0, 0, 0]);
    }

    #[test]
    fn a_part_is_cut_out_and_drawn_again_from_what_was_kept() {
        let vector = svg(
            "width='20' height='10' viewBox='0 0 20 10'",
            "<path fill='red' d='M0 0H10V10H0Z'/><path fill='blue' d='M10 0H20V10H10Z'/>",
        );
        assert_eq!((vector.width(), vector.height()), (20, 10));
        let mut c = Context2d::new(Canvas::new(90, 30).unwrap());
        for x in [0.0, 40.0] {
            c.draw_vector(
                &vector,
                RectF::new(5.0, 0.0, 10.0, 10.0),
                RectF::new(x, 0.0, 30.0, 30.0),
            );
        }
        for (x, color) in [
            (2, [255, 0, 0, 255]),
            (27, [0, 0, 255, 255]),
            (35, [0; 4]),
            (42, [255, 0, 0, 255]),
            (75, [0; 4]),
        ] {
            assert_eq!(c.canvas().bitmap().row(15, x, x + 1), color, "{x}");
        }
    }

    #[test]
    fn text_has_the_bundled_fonts_by_the_names_of_the_canvas() {
        let ink = |family: &str, text: &str| {
            let vector = svg(
                "width='120' height='30'",
                &format!("<text x='2' y='22' font-size='20' font-family='{family}'>{text}</text>"),
            );
            drawn(&vector, 120, |_| {})
        };
        let sans = ink("Arial", "Text 中文");
        assert!(sans.data().chunks_exact(4).filter(|p| p[3] > 128).count() > 300);
        assert_eq!(sans, ink("Arimo", "Text 中文"));
        assert_ne!(sans, ink("monospace", "Text 中文"));
        // Characters that no font has are not there; these are.
        assert_ne!(ink("Arial", "中"), ink("Arial", "文"));
        let red = |p: &[u8]| p[0] > p[2].saturating_add(40);
        assert!(
            ink("serif", "🔴")
                .data()
                .chunks_exact(4)
                .filter(|p| red(p))
                .count()
                > 50
        );
    }

    #[test]
    fn what_would_take_forever_is_refused() {
        let nested = |n: usize| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>{}<path d='M0 0H9V9Z'/>{}</svg>",
                "<g opacity='.9'>".repeat(n),
                "</g>".repeat(n)
            )
        };
        assert!(read(&nested(200)).unwrap().is_some());
        assert_eq!(read(&nested(300)).err(), Some(CanvasError::BadPicture));
        assert_eq!(read(&nested(100_000)).err(), Some(CanvasError::BadPicture));
        let filter = |text: &str| {
            read(&format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><filter id='f'>{text}</filter></svg>"
            ))
        };
        assert!(filter("<feTurbulence numOctaves='3'/>").is_ok());
        assert!(filter("<feTurbulence numOctaves='3e9'/>").is_err());
        assert!(filter("<feMorphology radius='1 9000'/>").is_err());
        let mut bomb = String::from(
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><g id='a0'><path d='M0 0H9V9Z'/></g>",
        );
        for i in 1..20 {
            let uses = format!("<use href='#a{}'/>", i - 1).repeat(10);
            bomb += &format!("<g id='a{i}'>{uses}</g>");
        }
        let start = Instant::now();
        assert!(read(&(bomb + "</svg>")).is_err());
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn tiles_too_large_are_refused() {
        let tile = |size: &str| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><pattern id='p' width='{size}' \
                 height='{size}' patternUnits='userSpaceOnUse'><path d='M0 0H9V9Z' /></pattern>\
                 <path d='M0 0H9V9Z' fill='url(#p)'/></svg>"
            )
        };
        assert!(read(&tile("3000")).is_ok());
        for size in ["5000", "99999999999"] {
            let refused = read(&tile(size)).err();
            assert!(
                matches!(refused, Some(CanvasError::TooLarge { .. })),
                "{refused:?}"
            );
        }
        let patterns: String = (1..7)
            .map(|i| {
                let path = format!("<path d='M0 0H9V9Z' fill='url(#p{})'/>", i - 1).repeat(9);
                let units = "width='9' height='9' patternUnits='userSpaceOnUse'";
                format!("<pattern id='p{i}' {units}>{path}</pattern>")
            })
            .collect();
        let seen = "<path d='M0 0H9V9Z' fill='url(#p6)'/>";
        let bomb = |below: &str| {
            let size = "xmlns='http://www.w3.org/2000/svg' width='9' height='9'";
            read(&format!("<svg {size}>{below}{patterns}{seen}</svg>"))
        };
        let lowest = "<pattern id='p0' width='1' height='1'><path d='M0 0H9V9Z'/></pattern>";
        assert_eq!(bomb(lowest).err(), Some(CanvasError::BadPicture));
        // From pixels of its own size, or the tile would have 900,000,000.
        drawn(&read(&tile("3000")).unwrap().unwrap(), 9, |c| c.scale(10.0, 10.0));
    }

    #[test]
    fn a_picture_within_that_is_too_large_is_left_out() {
        use base64::Engine as _;
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\x06\0\0\0".to_vec();
        png.extend([0x5d, 0x5f, 0x1e, 0x3b]);
        assert!(!may_be_drawn(&png, MANY));
        let png = base64::engine::general_purpose::STANDARD.encode(png);
        let vector = svg(
            "width='9' height='9'",
            &format!("<image width='9' height='9' href='data:image/png;base64,{png}'/>"),
        );
        assert!(drawn(&vector, 9, |_| {}).data().iter().all(|v| *v == 0));
    }

    const RICH: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40" viewBox="0 0 60 40"><defs><linearGradient id="g" x1="0" x2="1"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="#00f8"/></linearGradient><pattern id="p" width="6" height="6" patternUnits="userSpaceOnUse"><circle r="2" cx="3" cy="3"/></pattern><clipPath id="c"><path d="M0 0L60 0L30 40Z"/></clipPath><mask id="m"><rect width="60" height="20" fill="white"/></mask><filter id="f"><feGaussianBlur stdDeviation="2"/><feOffset dx="1" dy="2"/></filter><g id="s"><path d="M5 5h10v10q5 5-5 5z" stroke="black" stroke-dasharray="2 1"/></g></defs><g clip-path="url(#c)" fill="url(#g)"><rect width="60" height="40"/></g><g mask="url(#m)" filter="url(#f)"><use href="#s" x="20" transform="rotate(20)"/></g><rect x="40" width="20" height="20" fill="url(#p)" style="mix-blend-mode:multiply"/><text x="4" y="30" font-size="9">fuzz 中<tspan dy="3" font-weight="bold">b</tspan></text><marker id="k"><path d="M0 0L3 3"/></marker><path d="M1 1L20 9" stroke="green" marker-end="url(#k)" stroke-width="3" stroke-linecap="round"/></svg>"##;

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        /// Bytes changed, words moved and numbers exchanged: it is read or refused, and what is read is
        /// drawn, in time.
        #[test]
        fn broken_files_are_drawn_or_refused(
            changes in prop::collection::vec((0usize..RICH.len(), any::<u8>()), 0..4),
            moves in prop::collection::vec((0usize..RICH.len(), 0usize..RICH.len(), 0usize..40), 0..3),
            number in prop::option::of(prop::sample::select(vec!["0", "-1", "1e9", "1e38", "NaN", "-1e-30", "99999999999"])),
            digit in 0usize..80,
            scale in prop::sample::select(vec![0.0, 1e-9, 0.3, 3.0, 1e4, 1e30]),
        ) {
            let mut bytes = RICH.as_bytes().to_vec();
            if let Some(number) = number {
                let places: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).collect();
                let at = places[digit % places.len()];
                bytes.splice(at..=at, number.bytes());
            }
            for (from, to, length) in moves {
                let (from, to) = (from % bytes.len(), to % bytes.len());
                let part = bytes[from..(from + length).min(bytes.len())].to_vec();
                bytes.splice(to..to, part);
            }
            for (at, byte) in changes {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let start = Instant::now();
            if let Ok(Some(vector)) = Vector::read(&bytes, MANY, &Fonts::bundled()) {
                prop_assert!(u64::from(vector.width()) * u64::from(vector.height()) <= MANY);
                drawn(&vector, 50, |c| c.scale(scale, scale));
            }
            prop_assert!(start.elapsed() < Duration::from_secs(20), "{}", String::from_utf8_lossy(&bytes));
        }
    }
}
