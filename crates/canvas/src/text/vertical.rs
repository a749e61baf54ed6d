//! The vertical metrics of a font: ascent, em box and baselines, from its own tables.

use super::TextBaseline;
use super::fonts::{Fonts, Library, attributes};
use super::shorthand::Font;
use parley::fontique::{QueryFamily, QueryStatus};
use skrifa::instance::{LocationRef, Size};
use skrifa::raw::TableProvider;
use skrifa::raw::types::Tag;
use skrifa::{FontRef, MetadataProvider};

/// Fonts whose metrics are kept for later calls.
const MAX_KNOWN: usize = 256;

/// Distances from the alphabetic baseline in pixels, upwards positive but for descents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertical {
    pub ascent: f64,
    pub descent: f64,
    pub em_ascent: f64,
    pub em_descent: f64,
    pub hanging: f64,
    pub ideographic: f64,
}

impl Vertical {
    /// Of the first font in the list that is there.
    pub fn of(fonts: &Fonts, font: &Font) -> Vertical {
        let mut library = fonts.library();
        let key = font.serialize();
        if let Some(known) = library.verticals.get(&key) {
            return *known;
        }
        let found = Vertical::look_up(&mut library, font);
        if library.verticals.len() >= MAX_KNOWN {
            library.verticals.clear();
        }
        library.verticals.insert(key, found);
        found
    }

    fn look_up(library: &mut Library, font: &Font) -> Vertical {
        let stack = library.stack(font);
        let context = &mut library.fonts;
        let mut query = context.collection.query(&mut context.source_cache);
        query.set_families(stack.iter().map(|name| QueryFamily::Named(name)));
        query.set_attributes(attributes(font, font.stretch));
        let mut found = None;
        query.matches_with(|candidate| {
            found = FontRef::from_index(candidate.blob.as_ref(), candidate.index)
                .ok()
                .map(|face| Vertical::of_face(&face, font.size));
            if found.is_some() {
                QueryStatus::Stop
            } else {
                QueryStatus::Continue
            }
        });
        found.unwrap_or_else(|| Vertical::guess(font.size))
    }

    fn of_face(face: &FontRef, size: f64) -> Vertical {
        let metrics = face.metrics(Size::unscaled(), LocationRef::default());
        let unit = size / f64::from(metrics.units_per_em.max(1));
        let (ascent, descent) = (
            f64::from(metrics.ascent) * unit,
            -f64::from(metrics.descent) * unit,
        );
        let typographic = face
            .os2()
            .ok()
            .map(|os2| (os2.s_typo_ascender(), os2.s_typo_descender()));
        let (em_ascent, em_descent) = match typographic {
            Some((up, down)) if i32::from(up) - i32::from(down) > 0 => (f64::from(up), -f64::from(down)),
            _ => (ascent, descent),
        };
        // The em box is one em high, divided as the font divides it.
        let high = em_ascent + em_descent;
        let share = if high > 0.0 { em_ascent / high } else { 0.8 };
        let base = |tag: &[u8; 4]| baseline(face, Tag::new(tag)).map(|v| f64::from(v) * unit);
        Vertical {
            ascent,
            descent,
            em_ascent: size * share,
            em_descent: size * (1.0 - share),
            hanging: base(b"hang").unwrap_or(ascent * 0.8),
            ideographic: base(b"ideo").unwrap_or(-descent),
        }
    }

    fn guess(size: f64) -> Vertical {
        let (ascent, descent) = (size * 0.8, size * 0.2);
        Vertical {
            ascent,
            descent,
            em_ascent: ascent,
            em_descent: descent,
            hanging: ascent * 0.8,
            ideographic: -descent,
        }
    }

    /// How far the line that `baseline` names lies above the alphabetic baseline.
    pub fn rise(&self, baseline: TextBaseline) -> f64 {
        match baseline {
            TextBaseline::Top => self.em_ascent,
            TextBaseline::Hanging => self.hanging,
            TextBaseline::Middle => (self.em_ascent - self.em_descent) / 2.0,
            TextBaseline::Alphabetic => 0.0,
            TextBaseline::Ideographic => self.ideographic,
            TextBaseline::Bottom => -self.em_descent,
        }
    }
}

/// A horizontal baseline from the BASE table, for the default script or else the first.
fn baseline(face: &FontRef, tag: Tag) -> Option<i16> {
    let axis = face.base().ok()?.horiz_axis()?.ok()?;
    let tags = axis.base_tag_list()?.ok()?;
    let index = tags.baseline_tags().iter().position(|t| t.get() == tag)?;
    let scripts = axis.base_script_list().ok()?;
    let records = scripts.base_script_records();
    let wanted = |t: &[u8; 4]| records.iter().find(|r| r.base_script_tag() == Tag::new(t));
    let record = wanted(b"DFLT")
        .or_else(|| wanted(b"latn"))
        .or_else(|| records.first())?;
    let values = record
        .base_script(scripts.offset_data())
        .ok()?
        .base_values()?
        .ok()?;
    use skrifa::raw::tables::base::BaseCoord;
    Some(match values.base_coords().get(index).ok()? {
        BaseCoord::Format1(coord) => coord.coordinate(),
        BaseCoord::Format2(coord) => coord.coordinate(),
        BaseCoord::Format3(coord) => coord.coordinate(),
    })
}
