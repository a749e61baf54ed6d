//! The fonts for the text of SVG pictures: the bundled ones and those a host registered, found by
//! the names that a context knows, in the form that usvg asks for.
//!
//! Files are shared with the context's own collection, not copied. The emoji and the
//! rarer scripts are unpacked when the first character asks for them.

use super::emoji;
use super::fonts::{BUNDLED, CJK, EMOJI, Fonts, Library, MONO, SANS, SERIF};
use super::shorthand::{Family, Font};
use super::spare::SPARES;
use parley::fontique::Blob;
use resvg::usvg;
use resvg::usvg::fontdb::{self, Database, ID, Query, Source};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::sync::Arc;

/// A font file under its names.
pub(super) struct SvgFont {
    pub bytes: Blob<u8>,
    /// In place of the file's own name.
    pub family: String,
}

impl Fonts {
    /// What `usvg::Options` take of fonts.
    pub(crate) fn for_svg(&self) -> (Arc<Database>, usvg::FontResolver<'static>) {
        let database = self.library().svg_database();
        let (by_name, by_character) = (self.clone(), self.clone());
        let resolver = usvg::FontResolver {
            select_font: Box::new(move |font, database| select(&by_name, font, database)),
            select_fallback: Box::new(move |c, used, database| fall_back(&by_character, c, used, database)),
        };
        (database, resolver)
    }
}

impl Library {
    fn svg_database(&mut self) -> Arc<Database> {
        if let Some(known) = &self.svg {
            return Arc::clone(known);
        }
        let mut database = Database::new();
        for data in BUNDLED {
            database.load_font_source(Source::Binary(Arc::new(data)));
        }
        for font in &self.svg_fonts {
            add(&mut database, font);
        }
        let database = Arc::new(database);
        self.svg = Some(Arc::clone(&database));
        database
    }
}

fn add(database: &mut Database, font: &SvgFont) {
    let ids = database.load_font_source(Source::Binary(Arc::new(font.bytes.clone())));
    for id in ids {
        let Some(mut face) = database.face(id).cloned() else {
            continue;
        };
        database.remove_face(id);
        face.families = vec![(font.family.clone(), fontdb::Language::English_UnitedStates)];
        database.push_face_info(face);
    }
}

/// The families are those that the same `font-family` has on a canvas.
fn select(fonts: &Fonts, font: &usvg::Font, database: &mut Arc<Database>) -> Option<ID> {
    let families = font.families().iter().map(|family| match family {
        usvg::FontFamily::Serif => Family::Generic("serif"),
        usvg::FontFamily::Monospace => Family::Generic("monospace"),
        usvg::FontFamily::SansSerif | usvg::FontFamily::Cursive | usvg::FontFamily::Fantasy => {
            Family::Generic("sans-serif")
        }
        usvg::FontFamily::Named(name) => Family::Named(name.clone()),
    });
    let wanted = Font {
        families: families.collect(),
        ..Font::default()
    };
    let mut library = fonts.library();
    if wanted.names_emoji() {
        with_emoji(&mut library, database);
    }
    let names = library.stack(&wanted);
    drop(library);
    let families: Vec<fontdb::Family> = names.iter().map(|name| fontdb::Family::Name(name)).collect();
    database.query(&Query {
        families: &families,
        weight: fontdb::Weight(font.weight()),
        stretch: stretch(font.stretch()),
        style: match font.style() {
            usvg::FontStyle::Normal => fontdb::Style::Normal,
            usvg::FontStyle::Italic => fontdb::Style::Italic,
            usvg::FontStyle::Oblique => fontdb::Style::Oblique,
        },
    })
}

/// Another font that has the character; of the bundled ones that which looks most like the first.
fn fall_back(fonts: &Fonts, c: char, used: &[ID], database: &mut Arc<Database>) -> Option<ID> {
    let mut text = [0; 4];
    let text = c.encode_utf8(&mut text);
    if emoji::may_be_wanted(text) {
        with_emoji(&mut fonts.library(), database);
    }
    with_spares(&mut fonts.library(), text, database);
    let weight = used
        .first()
        .and_then(|id| database.face(*id))
        .map(|face| face.weight.0);
    let order = |name: &str| {
        [SANS, CJK, SERIF, MONO, EMOJI]
            .into_iter()
            .chain(SPARES.iter().map(|spare| spare.family))
            .position(|known| known == name)
            // Those of a host first, as it gave them for what others lack.
            .map_or(0, |at| at + 1)
    };
    database
        .faces()
        .filter(|face| !used.contains(&face.id) && has_char(database, face.id, c))
        .min_by_key(|face| {
            let name = face.families.first().map_or("", |family| family.0.as_str());
            (order(name), weight.map(|weight| face.weight.0.abs_diff(weight)))
        })
        .map(|face| face.id)
}

fn has_char(database: &Database, id: ID, c: char) -> bool {
    let has = |data: &[u8], index: u32| {
        FontRef::from_index(data, index)
            .is_ok_and(|font| font.charmap().map(c).is_some_and(|id| id != GlyphId::NOTDEF))
    };
    database.with_face_data(id, has) == Some(true)
}

fn with_emoji(library: &mut Library, database: &mut Arc<Database>) {
    library.load_emoji();
    with(library, EMOJI, database);
}

fn with_spares(library: &mut Library, text: &str, database: &mut Arc<Database>) {
    library.load_spares(text);
    let loaded: Vec<&str> = library.loaded_spares().collect();
    loaded
        .into_iter()
        .for_each(|family| with(library, family, database));
}

/// A font that was unpacked after the database was made.
fn with(library: &Library, family: &str, database: &mut Arc<Database>) {
    let has = |database: &Database| {
        database
            .faces()
            .any(|face| face.families.iter().any(|known| known.0 == family))
    };
    if has(database) {
        return;
    }
    if let Some(font) = library.svg_fonts.iter().find(|font| font.family == family) {
        add(Arc::make_mut(database), font);
    }
}

fn stretch(stretch: usvg::FontStretch) -> fontdb::Stretch {
    match stretch {
        usvg::FontStretch::UltraCondensed => fontdb::Stretch::UltraCondensed,
        usvg::FontStretch::ExtraCondensed => fontdb::Stretch::ExtraCondensed,
        usvg::FontStretch::Condensed => fontdb::Stretch::Condensed,
        usvg::FontStretch::SemiCondensed => fontdb::Stretch::SemiCondensed,
        usvg::FontStretch::Normal => fontdb::Stretch::Normal,
        usvg::FontStretch::SemiExpanded => fontdb::Stretch::SemiExpanded,
        usvg::FontStretch::Expanded => fontdb::Stretch::Expanded,
        usvg::FontStretch::ExtraExpanded => fontdb::Stretch::ExtraExpanded,
        usvg::FontStretch::UltraExpanded => fontdb::Stretch::UltraExpanded,
    }
}
