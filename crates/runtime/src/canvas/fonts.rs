//! Fonts that a script brings; FontFace itself is JavaScript (`js/fonts.js`).

use super::call::{Call, method};
use super::pictures::bytes_of;
use ::canvas::{FontDescriptors, Fonts};
use rquickjs::{Object, Result};

pub(super) fn define_internal(target: &Object<'_>) -> Result<()> {
    method(target, "fontReadable", 1, |c| {
        Ok(Fonts::readable(&bytes_of(c, 0)?))
    })?;
    // (family, bytes, weight?, italic?)
    method(target, "registerFont", 2, |c| {
        let family = c.text(0)?;
        let descriptors = FontDescriptors {
            weight: weight(c)?,
            italic: c.given(3).map(|_| c.truth(3)).transpose()?,
        };
        // The set that all contexts of this process draw with: a worker has one script or tool.
        Fonts::bundled()
            .register(&family, bytes_of(c, 1)?, descriptors)
            .map_err(|e| c.raise(e))
    })
}

fn weight(c: &Call<'_, '_>) -> Result<Option<f32>> {
    let weight = c.given(2).map(|_| c.number(2)).transpose()?;
    Ok(weight
        .filter(|weight| (1.0..=1000.0).contains(weight))
        .map(|weight| weight as f32))
}
