//! Fonts that a script brings; FontFace itself is JavaScript (`js/fonts.js`).

use super::call::{Call, method};
use super::pictures::bytes_of;
use ::canvas::{FontDescriptors, Fonts};
use rquickjs::{Object, Result};

pub(super) fn define_internal(target: &Object<'_>) -> Result<()> {
    method(target, "fontReadable", 1, |c| {
        Ok(Fonts::readable(&bytes_of(c, 0)?))
    })?;
    // (family, bytes, weight?, italic?, stretch?)
    method(target, "registerFont", 2, |c| {
        let family = c.text(0)?;
        let descriptors = FontDescriptors {
            weight: number_within(c, 2, 1.0, 1000.0)?,
            italic: c.given(3).map(|_| c.truth(3)).transpose()?,
            stretch: number_within(c, 4, 1.0, 1000.0)?,
        };
        // The set that all contexts of this process draw with: a worker has one script or tool.
        Fonts::bundled()
            .register(&family, bytes_of(c, 1)?, descriptors)
            .map_err(|e| c.raise(e))
    })
}

fn number_within(c: &Call<'_, '_>, index: usize, least: f64, most: f64) -> Result<Option<f32>> {
    let number = c.given(index).map(|_| c.number(index)).transpose()?;
    Ok(number
        .filter(|number| (least..=most).contains(number))
        .map(|number| number as f32))
}
