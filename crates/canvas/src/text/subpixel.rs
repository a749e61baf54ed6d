//! Where in a pixel a glyph begins: by quarters, so that what was drawn for one place serves for all that
//! look the same.

use crate::matrix::Matrix;

/// Places inside a pixel, in each direction.
const PHASES: f64 = 4.0;

/// With the glyph, what is drawn: the linear part of the transform, and the quarters.
pub(crate) type PlaceKey = ([u32; 4], [u8; 2]);

pub(crate) struct Subpixel {
    /// That of the glyph's origin.
    pub pixel: [i32; 2],
    pub key: PlaceKey,
}

impl Subpixel {
    /// `None` when an em square is larger than so many device pixels, or lies too far out.
    pub fn of(device: &Matrix, max_em: f64) -> Option<Self> {
        let em = (device.a.abs() + device.c.abs()).max(device.b.abs() + device.d.abs());
        // NaN is no such number either.
        if !(em <= max_em && device.e.abs() < 1e8 && device.f.abs() < 1e8) {
            return None;
        }
        let split = |v: f64| {
            let steps = (v * PHASES).round() as i64;
            let phases = PHASES as i64;
            (steps.div_euclid(phases) as i32, steps.rem_euclid(phases) as u8)
        };
        let ((x, phase_x), (y, phase_y)) = (split(device.e), split(device.f));
        let linear = [device.a, device.b, device.c, device.d].map(|v| (v as f32).to_bits());
        Some(Subpixel {
            pixel: [x, y],
            key: (linear, [phase_x, phase_y]),
        })
    }

    /// The transform, from that pixel on.
    pub fn place(&self, device: &Matrix) -> Matrix {
        let [e, f] = self.key.1.map(|phase| f64::from(phase) / PHASES);
        Matrix { e, f, ..*device }
    }
}
