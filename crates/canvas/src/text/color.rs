//! Glyphs that bring their own colours: COLR (both versions) and pictures (sbix, CBDT), as a list
//! of steps in the em square for a context to follow.
//!
//! Not here: pixels; glyphs that are SVG documents.

use super::shape::{GlyphKey, box_of, corners_of, draw};
use super::subpixel::PlaceKey;
use crate::canvas::Bitmap;
use crate::decode;
use crate::matrix::{Matrix, Point};
use crate::paint::{Color, ColorSpace, CompositeOp, Gradient};
use crate::path::Path;
use parley::FontData;
use skrifa::bitmap::{BitmapData, BitmapGlyph, BitmapStrikes, Origin};
use skrifa::color::{Brush, ColorPainter, ColorStop, CompositeMode, Extend, Transform};
use skrifa::instance::{LocationRef, NormalizedCoord};
use skrifa::raw::TableProvider;
use skrifa::raw::types::BoundingBox;
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Steps of one glyph; what is longer is no glyph of this world, and is not drawn in colour.
const MAX_STEPS: usize = 20_000;
/// Pixels of a glyph's picture.
const MAX_PIXELS: u64 = 1 << 22;
/// Glyphs that are kept, and the steps and pixels of all of them.
const MAX_KEPT: usize = 1024;
const MAX_WEIGHT: usize = 8 << 20;
/// Periods that a repeating gradient is drawn with, to each side.
const PERIODS: i32 = 8;
/// The palette's number for the colour of the text.
const FOREGROUND: u16 = 0xffff;

/// A glyph in an em square of side 1, y downwards.
#[derive(Debug)]
pub(crate) struct ColorGlyph {
    pub steps: Vec<Step>,
    /// Nothing is painted beyond.
    pub bounds: (Point, Point),
    /// Some of it has the colour of the text.
    pub foreground: bool,
}

/// Each of the first three lasts until its `End`.
#[derive(Debug)]
pub(crate) enum Step {
    Transform(Matrix),
    Clip(Arc<Path>),
    /// Without an operation it is never seen.
    Layer(Option<CompositeOp>),
    End,
    EndLayer,
    /// Over all that the clip lets through.
    Paint(Paint),
    /// A picture in the unit square.
    Picture(Arc<Bitmap>),
}

#[derive(Debug)]
pub(crate) enum Paint {
    Color(Color),
    /// The colour of the text, with an alpha.
    Foreground(f32),
    Gradient(Gradient),
}

/// By glyph; `None` for those that have no colours.
#[derive(Default)]
pub(crate) struct ColorCache {
    glyphs: HashMap<GlyphKey, Option<Arc<ColorGlyph>>>,
    weight: usize,
}

impl ColorCache {
    pub fn has_colors(font: &FontData) -> bool {
        FontRef::from_index(font.data.as_ref(), font.index)
            .is_ok_and(|face| face.colr().is_ok() || face.sbix().is_ok() || face.cbdt().is_ok())
    }

    /// Of a font that varies the default instance is kept; others are read each time.
    pub fn glyph(
        &mut self,
        font: &FontData,
        glyph: u32,
        coords: &[NormalizedCoord],
    ) -> Option<Arc<ColorGlyph>> {
        let key = (font.data.id(), font.index, glyph);
        if coords.is_empty()
            && let Some(known) = self.glyphs.get(&key)
        {
            return known.clone();
        }
        let face = FontRef::from_index(font.data.as_ref(), font.index).ok()?;
        let found = read(&face, font, GlyphId::new(glyph), coords).map(Arc::new);
        if coords.is_empty() {
            if self.glyphs.len() >= MAX_KEPT || self.weight >= MAX_WEIGHT {
                self.glyphs.clear();
                self.weight = 0;
            }
            self.weight += found.as_ref().map_or(0, |glyph| glyph.weight());
            self.glyphs.insert(key, found.clone());
        }
        found
    }
}

/// A glyph, its place, the colour of the text where that is to be seen, and the space of the canvas.
pub(crate) type PictureKey = (GlyphKey, PlaceKey, u32, ColorSpace);

/// A colour glyph as it was drawn, and where that lies relative to the pixel of its origin.
pub(crate) struct DrawnGlyph {
    pub pixels: Bitmap,
    pub at: [i32; 2],
}

/// Those that are drawn often.
#[derive(Default)]
pub(crate) struct PictureCache {
    pictures: HashMap<PictureKey, Arc<DrawnGlyph>>,
    bytes: usize,
}

impl PictureCache {
    pub fn get(&self, key: &PictureKey) -> Option<Arc<DrawnGlyph>> {
        self.pictures.get(key).cloned()
    }

    pub fn put(&mut self, key: PictureKey, picture: &Arc<DrawnGlyph>) {
        if self.bytes > MAX_WEIGHT {
            self.pictures.clear();
            self.bytes = 0;
        }
        self.bytes += picture.pixels.data().len() + size_of::<PictureKey>();
        self.pictures.insert(key, Arc::clone(picture));
    }
}

impl ColorGlyph {
    fn weight(&self) -> usize {
        let one = |step: &Step| match step {
            Step::Clip(path) => 64 + path.segments().len() * 56,
            Step::Picture(picture) => picture.data().len(),
            _ => 64,
        };
        self.steps.iter().map(one).sum()
    }
}

fn read(face: &FontRef, font: &FontData, glyph: GlyphId, coords: &[NormalizedCoord]) -> Option<ColorGlyph> {
    if let Some(colors) = face.color_glyphs().get(glyph) {
        let mut steps = Steps::new(face, font, coords);
        let done = colors.paint(LocationRef::new(coords), &mut steps).is_ok();
        return if done { steps.finish() } else { None };
    }
    picture(face, glyph)
}

/// The largest picture of a glyph: what is drawn smaller is made smaller.
fn picture(face: &FontRef, glyph: GlyphId) -> Option<ColorGlyph> {
    let strikes = BitmapStrikes::new(face);
    let largest = strikes
        .iter()
        .filter_map(|strike| strike.get(glyph))
        .filter(|glyph| glyph.ppem_y > 0.0 && glyph.ppem_x > 0.0)
        .max_by(|a, b| a.ppem_y.total_cmp(&b.ppem_y))?;
    let bitmap = match &largest.data {
        BitmapData::Png(bytes) => decode::decode_bitmap(bytes, MAX_PIXELS).ok()?,
        BitmapData::Bgra(bytes) => bgra(bytes, largest.width, largest.height)?,
        // A mask has no colours.
        BitmapData::Mask(_) => return None,
    };
    let upem = f64::from(face.head().ok()?.units_per_em().max(1));
    let (min, max) = place(&largest, &bitmap, upem)?;
    let into = Matrix::new(max.x - min.x, 0.0, 0.0, max.y - min.y, min.x, min.y);
    Some(ColorGlyph {
        steps: vec![Step::Transform(into), Step::Picture(Arc::new(bitmap)), Step::End],
        bounds: (min, max),
        foreground: false,
    })
}

fn bgra(bytes: &[u8], width: u32, height: u32) -> Option<Bitmap> {
    let size = u64::from(width) * u64::from(height);
    if size > MAX_PIXELS || bytes.len() as u64 != size * 4 {
        return None;
    }
    let pixels = bytes.as_chunks::<4>().0.iter();
    // A channel above its alpha is no premultiplied colour.
    let data = pixels.flat_map(|&[b, g, r, a]| [r.min(a), g.min(a), b.min(a), a]);
    Bitmap::from_premultiplied(width, height, data.collect())
}

/// The corners of a picture in the em square.
fn place(glyph: &BitmapGlyph, bitmap: &Bitmap, upem: f64) -> Option<(Point, Point)> {
    let (kx, ky) = (1.0 / f64::from(glyph.ppem_x), 1.0 / f64::from(glyph.ppem_y));
    let (width, height) = (f64::from(bitmap.width()) * kx, f64::from(bitmap.height()) * ky);
    let x = f64::from(glyph.bearing_x) / upem + f64::from(glyph.inner_bearing_x) * kx;
    let up = f64::from(glyph.bearing_y) / upem + f64::from(glyph.inner_bearing_y) * ky;
    let top = match glyph.placement_origin {
        Origin::TopLeft => -up,
        Origin::BottomLeft => -up - height,
    };
    let (min, max) = (Point::new(x, top), Point::new(x + width, top + height));
    (min.is_finite() && max.is_finite() && width > 0.0 && height > 0.0).then_some((min, max))
}

/// Gathers the steps of a COLR glyph and where they paint.
struct Steps<'a> {
    face: &'a FontRef<'a>,
    font: &'a FontData,
    coords: &'a [NormalizedCoord],
    colors: Vec<Color>,
    steps: Vec<Step>,
    /// What holds at each level: the transform, and the box of the clip in the em square.
    levels: Vec<(Matrix, Option<(Point, Point)>)>,
    bounds: Option<(Point, Point)>,
    foreground: bool,
    outlines: HashMap<u32, Option<Arc<Path>>>,
}

impl<'a> Steps<'a> {
    fn new(face: &'a FontRef<'a>, font: &'a FontData, coords: &'a [NormalizedCoord]) -> Self {
        let upem = f64::from(face.head().map_or(1000, |head| head.units_per_em()).max(1));
        let unit = Matrix::scaling(1.0 / upem, -1.0 / upem);
        Steps {
            face,
            font,
            coords,
            colors: palette(face),
            steps: vec![Step::Transform(unit)],
            levels: vec![(unit, None)],
            bounds: None,
            foreground: false,
            outlines: HashMap::new(),
        }
    }

    fn finish(mut self) -> Option<ColorGlyph> {
        self.steps.push(Step::End);
        (self.steps.len() < MAX_STEPS).then_some(ColorGlyph {
            bounds: self.bounds?,
            steps: self.steps,
            foreground: self.foreground,
        })
    }

    fn push(&mut self, step: Step) {
        // Too many are refused at the end.
        if self.steps.len() < MAX_STEPS {
            self.steps.push(step);
        }
    }

    fn level(&self) -> (Matrix, Option<(Point, Point)>) {
        self.levels.last().copied().unwrap_or((Matrix::IDENTITY, None))
    }

    fn clip(&mut self, path: Arc<Path>) {
        let (matrix, outer) = self.level();
        let inner = path
            .control_bounds()
            .map_or((Point::default(), Point::default()), |(min, max)| {
                box_of(corners_of((min, max)).map(|p| matrix.apply(p)))
            });
        let both = outer.map_or(inner, |outer| {
            let min = Point::new(inner.0.x.max(outer.0.x), inner.0.y.max(outer.0.y));
            (
                min,
                Point::new(
                    inner.1.x.min(outer.1.x).max(min.x),
                    inner.1.y.min(outer.1.y).max(min.y),
                ),
            )
        });
        self.levels.push((matrix, Some(both)));
        self.push(Step::Clip(path));
    }

    fn color(&self, index: u16, alpha: f32) -> Option<Color> {
        let color = self.colors.get(usize::from(index))?;
        Some(color.faded(alpha))
    }

    /// The stops on a way that goes over these periods.
    fn stops(&self, gradient: Gradient, stops: &[ColorStop], extend: Extend, over: Range<i32>) -> Paint {
        let (first, length) = (over.start, f64::from(over.end - over.start));
        for period in over {
            let turned = extend == Extend::Reflect && period.rem_euclid(2) == 1;
            let mut stops: Vec<&ColorStop> = stops.iter().collect();
            if turned {
                stops.reverse();
            }
            for stop in stops {
                let own = f64::from(stop.offset);
                let own = if turned { 1.0 - own } else { own };
                let offset = (f64::from(period - first) + own) / length;
                let color = match stop.palette_index {
                    FOREGROUND => Some(Color::BLACK.faded(stop.alpha)),
                    index => self.color(index, stop.alpha),
                };
                if let Some(color) = color {
                    gradient.add_stop(offset, color);
                }
            }
        }
        Paint::Gradient(gradient)
    }
}

/// The colours of the first palette.
fn palette(face: &FontRef) -> Vec<Color> {
    let Ok(cpal) = face.cpal() else {
        return Vec::new();
    };
    let first = cpal
        .color_record_indices()
        .first()
        .map_or(0, |index| usize::from(index.get()));
    let count = usize::from(cpal.num_palette_entries());
    let Some(Ok(records)) = cpal.color_records_array() else {
        return Vec::new();
    };
    let of = |c: &skrifa::color::Color| Color::from_rgba8(c.red, c.green, c.blue, c.alpha);
    records.iter().skip(first).take(count).map(of).collect()
}

/// The periods of a gradient that are drawn: what does not end where its colours do is drawn as a
/// longer one.
fn periods(extend: Extend, first: i32) -> Range<i32> {
    match extend {
        Extend::Repeat | Extend::Reflect => first..PERIODS,
        _ => 0..1,
    }
}

impl ColorPainter for Steps<'_> {
    fn push_transform(&mut self, t: Transform) {
        let [a, b, c, d, e, f] = [t.xx, t.yx, t.xy, t.yy, t.dx, t.dy].map(f64::from);
        let matrix = Matrix::new(a, b, c, d, e, f);
        let (outer, clip) = self.level();
        self.levels.push((outer.multiply(matrix), clip));
        self.push(Step::Transform(matrix));
    }

    fn pop_transform(&mut self) {
        self.levels.pop();
        self.push(Step::End);
    }

    fn push_clip_glyph(&mut self, glyph: GlyphId) {
        let known = self.outlines.get(&glyph.to_u32()).cloned();
        let outline = known.unwrap_or_else(|| {
            let upem = f64::from(self.face.head().map_or(1000, |head| head.units_per_em()).max(1));
            // Back to font units, in which all of this is said.
            let units = Matrix::scaling(upem, -upem);
            let outline =
                draw(self.font, glyph.to_u32(), self.coords).map(|path| Arc::new(path.transformed(&units)));
            self.outlines.insert(glyph.to_u32(), outline.clone());
            outline
        });
        self.clip(outline.unwrap_or_default());
    }

    fn push_clip_box(&mut self, b: BoundingBox<f32>) {
        let [x0, y0, x1, y1] = [b.x_min, b.y_min, b.x_max, b.y_max].map(f64::from);
        let mut path = Path::new();
        path.rect(x0, y0, x1 - x0, y1 - y0);
        self.clip(Arc::new(path));
    }

    fn pop_clip(&mut self) {
        self.levels.pop();
        self.push(Step::End);
    }

    fn fill(&mut self, brush: Brush<'_>) {
        // Without a clip a fill has no end; no font does that within its glyph's box.
        let Some(clip) = self.level().1 else {
            return;
        };
        let Some(paint) = self.paint(brush) else {
            return;
        };
        self.bounds = Some(self.bounds.map_or(clip, |(min, max)| {
            (
                Point::new(min.x.min(clip.0.x), min.y.min(clip.0.y)),
                Point::new(max.x.max(clip.1.x), max.y.max(clip.1.y)),
            )
        }));
        self.push(Step::Paint(paint));
    }

    fn push_layer(&mut self, mode: CompositeMode) {
        self.push(Step::Layer(operation(mode)));
    }

    fn pop_layer(&mut self) {
        self.push(Step::EndLayer);
    }
}

impl Steps<'_> {
    fn paint(&mut self, brush: Brush<'_>) -> Option<Paint> {
        Some(match brush {
            Brush::Solid {
                palette_index: FOREGROUND,
                alpha,
            } => {
                self.foreground = true;
                Paint::Foreground(alpha)
            }
            Brush::Solid { palette_index, alpha } => Paint::Color(self.color(palette_index, alpha)?),
            Brush::LinearGradient {
                p0,
                p1,
                color_stops,
                extend,
            } => {
                let over = periods(extend, -PERIODS);
                let [x0, y0, x1, y1] = [p0.x, p0.y, p1.x, p1.y].map(f64::from);
                let at = |t: i32| (x0 + (x1 - x0) * f64::from(t), y0 + (y1 - y0) * f64::from(t));
                let (from, to) = (at(over.start), at(over.end));
                let course = Gradient::linear(from.0, from.1, to.0, to.1);
                self.stops(course, color_stops, extend, over)
            }
            Brush::RadialGradient {
                c0,
                r0,
                c1,
                r1,
                color_stops,
                extend,
            } => {
                // Outwards alone: inside of the first circle there is little to be seen.
                let over = periods(extend, 0);
                let far = f64::from(over.end);
                let [x0, y0, r0, x1, y1, r1] = [c0.x, c0.y, r0, c1.x, c1.y, r1].map(f64::from);
                let at = |a: f64, b: f64| a + (b - a) * far;
                // A circle of a negative radius is none.
                let (first, last) = (r0.max(0.0), at(r0, r1).max(0.0));
                let course = Gradient::radial(x0, y0, first, at(x0, x1), at(y0, y1), last).ok()?;
                self.stops(course, color_stops, extend, over)
            }
            Brush::SweepGradient {
                c0,
                start_angle,
                end_angle,
                color_stops,
                ..
            } => {
                let course = Gradient::conic(0.0, f64::from(c0.x), f64::from(c0.y));
                let turn = |at: f32| (start_angle + (end_angle - start_angle) * at) / 360.0;
                let stops: Vec<ColorStop> = color_stops
                    .iter()
                    .map(|stop| ColorStop {
                        offset: turn(stop.offset),
                        ..*stop
                    })
                    .collect();
                self.stops(course, &stops, Extend::Pad, 0..1)
            }
        })
    }
}

/// `None` leaves what is there as it is.
fn operation(mode: CompositeMode) -> Option<CompositeOp> {
    Some(match mode {
        CompositeMode::Dest => return None,
        CompositeMode::Clear => CompositeOp::Clear,
        CompositeMode::Src => CompositeOp::Copy,
        CompositeMode::DestOver => CompositeOp::DestinationOver,
        CompositeMode::SrcIn => CompositeOp::SourceIn,
        CompositeMode::DestIn => CompositeOp::DestinationIn,
        CompositeMode::SrcOut => CompositeOp::SourceOut,
        CompositeMode::DestOut => CompositeOp::DestinationOut,
        CompositeMode::SrcAtop => CompositeOp::SourceAtop,
        CompositeMode::DestAtop => CompositeOp::DestinationAtop,
        CompositeMode::Xor => CompositeOp::Xor,
        CompositeMode::Plus => CompositeOp::Lighter,
        CompositeMode::Screen => CompositeOp::Screen,
        CompositeMode::Overlay => CompositeOp::Overlay,
        CompositeMode::Darken => CompositeOp::Darken,
        CompositeMode::Lighten => CompositeOp::Lighten,
        CompositeMode::ColorDodge => CompositeOp::ColorDodge,
        CompositeMode::ColorBurn => CompositeOp::ColorBurn,
        CompositeMode::HardLight => CompositeOp::HardLight,
        CompositeMode::SoftLight => CompositeOp::SoftLight,
        CompositeMode::Difference => CompositeOp::Difference,
        CompositeMode::Exclusion => CompositeOp::Exclusion,
        CompositeMode::Multiply => CompositeOp::Multiply,
        CompositeMode::HslHue => CompositeOp::Hue,
        CompositeMode::HslSaturation => CompositeOp::Saturation,
        CompositeMode::HslColor => CompositeOp::Color,
        CompositeMode::HslLuminosity => CompositeOp::Luminosity,
        _ => CompositeOp::SourceOver,
    })
}
