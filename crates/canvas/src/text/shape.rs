//! One line of shaped text, and the outlines of its glyphs.

use super::Direction;
use super::caps;
use super::color::{ColorCache, ColorGlyph};
use super::emoji;
use super::fonts::{Fonts, Library, attributes};
use super::options::{FontKerning, FontStretch, Length, TextOptions, TextRendering};
use super::shorthand::Font;
use crate::geometry::IRect;
use crate::matrix::{Matrix, Point};
use crate::path::Path;
use crate::raster::Cover;
use parley::style::{FontFamily, FontFamilyName, FontFeature, FontFeatures};
use parley::style::{StyleProperty, TextWrapMode};
use parley::{BaseDirection, FontData, PositionedLayoutItem};
use skrifa::instance::{LocationRef, NormalizedCoord, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::raw::TableProvider;
use skrifa::raw::tables::glyf::Glyph;
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Sizes beyond this are pinned; nothing of such a glyph fits a canvas.
const MAX_SIZE: f64 = 100_000.0;
/// Outlines kept for later calls.
const MAX_CACHED: usize = 8192;
/// Parts of a composite glyph, with those of its parts.
const MAX_PARTS: usize = 256;
/// How far synthetic bold thickens stems, in em.
const EMBOLDEN: f64 = 1.0 / 32.0;

/// Lines kept for later calls, and the longest text (in bytes) that is worth keeping.
const MAX_LINES: usize = 1024;
const MAX_CACHED_TEXT: usize = 256;

/// What shaping depends on besides the text.
pub(crate) struct TextStyle<'a> {
    pub font: &'a Font,
    pub direction: Direction,
    pub options: &'a TextOptions,
}

/// The size that is drawn.
fn pinned(style: &TextStyle) -> f32 {
    style.font.size.min(MAX_SIZE) as f32
}

/// Shaped text; the pen starts at the origin and the baseline is y = 0.
#[derive(Default)]
pub(crate) struct Line {
    pub width: f64,
    glyphs: Vec<Placed>,
    /// Some glyphs have colours of their own.
    pub colored: bool,
    /// All glyphs, those included that show nothing.
    count: u32,
}

#[derive(Clone)]
pub(crate) struct Placed {
    /// Which of all glyphs of the line it is.
    nth: u32,
    /// Empty where the glyph has colours.
    pub outline: Arc<Path>,
    pub color: Option<Arc<ColorGlyph>>,
    /// Where font and glyph alone say what is drawn.
    pub key: Option<GlyphKey>,
    /// From the outline's em square to the line.
    pub place: Matrix,
    embolden: bool,
}

/// A glyph of a font: the font's data, its index there, the glyph.
pub(crate) type GlyphKey = (u64, u32, u32);

/// Shaped lines by font, direction and text: scripts draw the same labels again and again.
#[derive(Default)]
pub(crate) struct LineCache {
    lines: HashMap<(String, bool), HashMap<String, Arc<Line>>>,
    count: usize,
}

impl LineCache {
    fn get(&self, key: &(String, bool), text: &str) -> Option<Arc<Line>> {
        self.lines.get(key)?.get(text).cloned()
    }

    fn put(&mut self, key: (String, bool), text: &str, line: &Arc<Line>) {
        if text.len() > MAX_CACHED_TEXT {
            return;
        }
        if self.count >= MAX_LINES {
            self.clear();
        }
        self.count += 1;
        self.lines
            .entry(key)
            .or_default()
            .insert(text.to_owned(), Arc::clone(line));
    }

    /// Registering a font can change what every line looks like.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.count = 0;
    }
}

/// Outlines in an em square of side 1, y downwards, by font and glyph.
#[derive(Default)]
pub(crate) struct GlyphCache {
    outlines: HashMap<GlyphKey, Arc<Path>>,
    colors: ColorCache,
}

impl Line {
    pub fn shape(fonts: &Fonts, text: &str, style: &TextStyle) -> Arc<Line> {
        let size = pinned(style);
        let text = plain_spaces(text);
        if text.is_empty() || size <= 0.0 {
            return Arc::new(Line::default());
        }
        let mut library = fonts.library();
        let key = (
            style.font.serialize() + &style.options.key(),
            style.direction == Direction::Rtl,
        );
        if let Some(line) = library.lines.get(&key, &text) {
            return line;
        }
        let layout = library.layout(&text, size, style);
        let mut line = Line::default();
        for item in layout.lines().flat_map(|line| line.items().collect::<Vec<_>>()) {
            if let PositionedLayoutItem::GlyphRun(run) = item {
                line.push_run(&mut library.glyphs, &run);
            }
        }
        let line = Arc::new(line);
        library.lines.put(key, &text, &line);
        line
    }

    /// As a line is shaped from it; `None` where there is nothing to shape.
    pub fn layout(fonts: &Fonts, text: &str, style: &TextStyle) -> Option<parley::Layout<()>> {
        let size = pinned(style);
        (!text.is_empty() && size > 0.0).then(|| fonts.library().layout(text, size, style))
    }

    /// Some of its glyphs, where they are.
    pub fn part(&self, wanted: impl Fn(u32) -> bool) -> Line {
        let glyphs: Vec<Placed> = self
            .glyphs
            .iter()
            .filter(|glyph| wanted(glyph.nth))
            .cloned()
            .collect();
        Line {
            width: self.width,
            // Drawn in the way of the whole, whatever it has.
            colored: self.colored,
            glyphs,
            count: self.count,
        }
    }

    fn push_run(&mut self, cache: &mut GlyphCache, glyph_run: &parley::layout::GlyphRun<()>) {
        let run = glyph_run.run();
        let size = f64::from(run.font_size());
        let synthesis = run.synthesis();
        let slant = synthesis
            .skew()
            .map_or(0.0, |degrees| f64::from(degrees).to_radians().tan());
        let scale = Matrix::new(size, 0.0, -slant * size, size, 0.0, 0.0);
        let coords: Vec<NormalizedCoord> = run
            .normalized_coords()
            .iter()
            .map(|c| NormalizedCoord::from_bits(c.to_bits()))
            .collect();
        let font = run.font();
        let has_colors = ColorCache::has_colors(font);
        for glyph in glyph_run.glyphs() {
            let color = match has_colors {
                true => cache.colors.glyph(font, glyph.id, &coords),
                false => None,
            };
            let outline = match color {
                Some(_) => Some(Arc::default()),
                None => cache.outline(font, glyph.id, &coords),
            };
            if let Some(outline) = outline {
                let at = Matrix::translation(self.width + f64::from(glyph.x), f64::from(glyph.y));
                let place = at.multiply(scale);
                let plain = coords.is_empty() && !synthesis.embolden();
                self.colored |= color.is_some();
                self.glyphs.push(Placed {
                    nth: self.count,
                    outline,
                    color,
                    key: plain.then(|| (font.data.id(), font.index, glyph.id)),
                    place,
                    embolden: synthesis.embolden(),
                });
            }
            self.count += 1;
            // Broken fonts have advances that are no numbers.
            self.width += f64::from(Some(glyph.advance).filter(|v| v.is_finite()).unwrap_or(0.0));
        }
    }

    pub fn glyphs(&self) -> &[Placed] {
        &self.glyphs
    }

    /// The coverage through `matrix` inside `clip`; `false` where outlines do better.
    pub fn cover(&self, fonts: &Fonts, matrix: &Matrix, clip: IRect, out: &mut Cover) -> bool {
        fonts.library().masks.cover(self, matrix, clip, out)
    }

    /// The outlines through `matrix`.
    pub fn to_path(&self, matrix: &Matrix) -> Path {
        let mut path = Path::new();
        for glyph in &self.glyphs {
            let place = matrix.multiply(glyph.place);
            path.append(&glyph.outline, &place);
            if glyph.embolden {
                // Copies wind the same way, so their union is one thicker glyph.
                for shift in [0.5, 1.0] {
                    let moved = place.multiply(Matrix::translation(EMBOLDEN * shift, 0.0));
                    path.append(&glyph.outline, &moved);
                }
            }
        }
        path
    }

    /// The box of the ink, from the drawn curves and not from their control points.
    pub fn ink(&self) -> Option<(Point, Point)> {
        let mut min = Point::new(f64::INFINITY, f64::INFINITY);
        let mut max = Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
        self.to_path(&Matrix::IDENTITY).for_each_fill_line(|a, b| {
            for p in [a, b] {
                min = Point::new(min.x.min(p.x), min.y.min(p.y));
                max = Point::new(max.x.max(p.x), max.y.max(p.y));
            }
        });
        for glyph in &self.glyphs {
            if let Some(color) = &glyph.color {
                for p in corners_of(color.bounds) {
                    let p = glyph.place.apply(p);
                    min = Point::new(min.x.min(p.x), min.y.min(p.y));
                    max = Point::new(max.x.max(p.x), max.y.max(p.y));
                }
            }
        }
        (min.x <= max.x).then_some((min, max))
    }
}

pub(crate) fn corners_of((min, max): (Point, Point)) -> [Point; 4] {
    [(min.x, min.y), (max.x, min.y), (max.x, max.y), (min.x, max.y)].map(|(x, y)| Point::new(x, y))
}

pub(crate) fn box_of(corners: [Point; 4]) -> (Point, Point) {
    let start = (corners[0], corners[0]);
    corners.iter().fold(start, |(min, max), p| {
        (
            Point::new(min.x.min(p.x), min.y.min(p.y)),
            Point::new(max.x.max(p.x), max.y.max(p.y)),
        )
    })
}

/// The standard turns all white space into plain spaces; line separators count as such.
pub(super) fn plain_spaces(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if text.contains(breaks) {
        Cow::Owned(text.replace(breaks, " "))
    } else {
        Cow::Borrowed(text)
    }
}

impl Library {
    fn layout(&mut self, text: &str, size: f32, style: &TextStyle) -> parley::Layout<()> {
        let emoji = emoji::spans(text);
        if emoji::may_be_wanted(text) || style.font.names_emoji() {
            self.load_emoji();
        }
        self.load_spares(text);
        let names = self.stack(style.font);
        let capitals = caps::made(self, text, style, &names);
        let (text, small) = match &capitals {
            Some(capitals) => (capitals.text.as_str(), capitals.small.as_slice()),
            None => (text, &[][..]),
        };
        // Most lines have none.
        let colored = match emoji.is_empty() {
            true => Vec::new(),
            false => self.emoji_stack(&names),
        };
        let families: Vec<FontFamilyName> = names.iter().map(|name| FontFamilyName::named(name)).collect();
        let options = style.options;
        let stretch = match options.stretch {
            FontStretch::Normal => style.font.stretch,
            stretch => stretch.percent(),
        };
        let wanted = attributes(style.font, stretch);
        let mut builder = self.layouts.ranged_builder(&mut self.fonts, text, 1.0, false);
        builder.set_base_direction(match style.direction {
            Direction::Rtl => BaseDirection::Rtl,
            Direction::Ltr | Direction::Inherit => BaseDirection::Ltr,
        });
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(Cow::Owned(families))));
        builder.push_default(StyleProperty::FontSize(size));
        builder.push_default(StyleProperty::FontStyle(wanted.style));
        builder.push_default(StyleProperty::FontWeight(wanted.weight));
        builder.push_default(StyleProperty::FontWidth(wanted.width));
        builder.push_default(StyleProperty::TextWrapMode(TextWrapMode::NoWrap));
        let spacing = |length: Length| length.pixels(f64::from(size)) as f32;
        builder.push_default(StyleProperty::LetterSpacing(spacing(options.letter_spacing)));
        builder.push_default(StyleProperty::WordSpacing(spacing(options.word_spacing)));
        builder.push_default(StyleProperty::FontFeatures(FontFeatures::List(Cow::Owned(
            features(style),
        ))));
        for span in small {
            builder.push(StyleProperty::FontSize(size * caps::SMALL), span.clone());
        }
        for span in emoji {
            let families = colored.iter().map(|name| FontFamilyName::named(name)).collect();
            builder.push(
                StyleProperty::FontFamily(FontFamily::List(Cow::Owned(families))),
                span,
            );
        }
        let mut layout = builder.build(text);
        layout.break_all_lines(None);
        layout
    }
}

fn features(style: &TextStyle) -> Vec<FontFeature> {
    let options = style.options;
    let mut features = Vec::new();
    let mut add = |tag: &[u8; 4], value: u16| {
        features.push(FontFeature::new(parley::setting::Tag::new(tag), value));
    };
    if style.font.small_caps {
        add(b"smcp", 1);
    }
    for tag in options.caps.features() {
        add(tag, 1);
    }
    let quick = options.rendering == TextRendering::OptimizeSpeed;
    let kerned = match options.kerning {
        FontKerning::Auto => !quick,
        FontKerning::Normal => true,
        FontKerning::None => false,
    };
    if !kerned {
        add(b"kern", 0);
    }
    // Spaced letters do not touch, so they make no ligatures.
    if quick || options.letter_spacing.pixels(1.0) != 0.0 {
        add(b"liga", 0);
        add(b"clig", 0);
    }
    features
}

impl GlyphCache {
    fn outline(&mut self, font: &FontData, glyph: u32, coords: &[NormalizedCoord]) -> Option<Arc<Path>> {
        let key = (font.data.id(), font.index, glyph);
        if coords.is_empty()
            && let Some(outline) = self.outlines.get(&key)
        {
            return Some(Arc::clone(outline));
        }
        let outline = Arc::new(draw(font, glyph, coords)?);
        if coords.is_empty() {
            if self.outlines.len() >= MAX_CACHED {
                self.outlines.clear();
            }
            self.outlines.insert(key, Arc::clone(&outline));
        }
        Some(outline)
    }
}

/// `None` when the glyph has no outline (a space, a bitmap).
pub(super) fn draw(font: &FontData, glyph: u32, coords: &[NormalizedCoord]) -> Option<Path> {
    let font = FontRef::from_index(font.data.as_ref(), font.index).ok()?;
    if !is_sound(&font, GlyphId::new(glyph), &mut { MAX_PARTS }) {
        return None;
    }
    let outline = font.outline_glyphs().get(GlyphId::new(glyph))?;
    let upem = font
        .metrics(Size::unscaled(), LocationRef::default())
        .units_per_em;
    let unit = 1.0 / f64::from(upem.max(1));
    let mut pen = Pen {
        path: Path::new(),
        unit,
    };
    outline
        .draw(
            DrawSettings::unhinted(Size::unscaled(), LocationRef::new(coords)),
            &mut pen,
        )
        .ok()?;
    (!pen.path.is_empty()).then_some(pen.path)
}

/// Whether the reader can be trusted with a TrueType outline: it fails on one that has data but no
/// points. `left` is how many parts may still be looked at.
fn is_sound(font: &FontRef, glyph: GlyphId, left: &mut usize) -> bool {
    let (Ok(loca), Ok(glyf)) = (font.loca(None), font.glyf()) else {
        return true;
    };
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match loca.get_glyf(glyph, &glyf) {
        Ok(Some(Glyph::Simple(simple))) => simple.num_points() > 0,
        Ok(Some(Glyph::Composite(parts))) => parts
            .components()
            .all(|part| is_sound(font, part.glyph.into(), left)),
        Ok(None) | Err(_) => true,
    }
}

/// Font units, y upwards, to the em square, y downwards.
struct Pen {
    path: Path,
    unit: f64,
}

impl Pen {
    fn map(&self, x: f32, y: f32) -> (f64, f64) {
        (f64::from(x) * self.unit, -f64::from(y) * self.unit)
    }
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.map(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.map(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let ((cx, cy), (x, y)) = (self.map(cx, cy), self.map(x, y));
        self.path.quadratic_curve_to(cx, cy, x, y);
    }

    fn curve_to(&mut self, c1x: f32, c1y: f32, c2x: f32, c2y: f32, x: f32, y: f32) {
        let ((c1x, c1y), (c2x, c2y), (x, y)) = (self.map(c1x, c1y), self.map(c2x, c2y), self.map(x, y));
        self.path.bezier_curve_to(c1x, c1y, c2x, c2y, x, y);
    }

    fn close(&mut self) {
        self.path.close_path();
    }
}
