//! feTurbulence (Filter Effects 1, 9.20): Perlin's noise, in the pixels of the canvas.
//!
//! What is drawn before it does not matter: it fills all there is.

use super::Layer;
use super::primitives::premultiplied;

/// feTurbulence with numbers as a script has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turbulence {
    /// Across and down, not negative.
    pub frequency: [f64; 2],
    pub octaves: u32,
    pub seed: f64,
    /// The edges of the canvas fit each other.
    pub stitched: bool,
    /// Otherwise turbulence.
    pub fractal: bool,
}

/// Each octave counts half as much as the one before: those beyond show in no pixel.
const MAX_OCTAVES: u32 = 12;
const SIZE: usize = 256;
/// Keeps coordinates above zero.
const OFFSET: f64 = 4096.0;

/// The tables of the specification's reference code, which seeds them so.
struct Lattice {
    order: [u8; SIZE],
    gradients: [[[f64; 2]; SIZE]; 4],
}

/// Where noise begins anew: after so many cells, at this one.
#[derive(Clone, Copy)]
struct Stitch {
    cells: [i64; 2],
    wrap: [i64; 2],
}

struct Random(i64);

impl Random {
    const MOST: i64 = i32::MAX as i64;

    fn new(seed: f64) -> Random {
        // As the reference code has it, of a number that is truncated.
        let seed = seed.trunc().clamp(-1e15, 1e15) as i64;
        let positive = match seed {
            ..=0 => -(seed % (Self::MOST - 1)) + 1,
            seed => seed,
        };
        Random(positive.min(Self::MOST - 1))
    }

    fn next(&mut self) -> i64 {
        let next = 16807 * (self.0 % 127_773) - 2836 * (self.0 / 127_773);
        self.0 = if next <= 0 { next + Self::MOST } else { next };
        self.0
    }
}

impl Lattice {
    fn new(seed: f64) -> Lattice {
        let mut random = Random::new(seed);
        let size = SIZE as i64;
        let mut lattice = Lattice {
            order: std::array::from_fn(|i| i as u8),
            gradients: [[[0.0; 2]; SIZE]; 4],
        };
        for gradient in lattice.gradients.iter_mut().flatten() {
            let pair = [(); 2].map(|()| (random.next() % (2 * size) - size) as f64 / size as f64);
            let length = pair[0].hypot(pair[1]);
            *gradient = match length > 0.0 {
                true => pair.map(|v| v / length),
                false => pair,
            };
        }
        for i in (1..SIZE).rev() {
            lattice.order.swap(i, (random.next() % size) as usize);
        }
        lattice
    }

    fn at(&self, channel: usize, x: i64, y: i64) -> [f64; 2] {
        let wrapped = |v: i64| v.rem_euclid(SIZE as i64) as usize;
        let column = i64::from(self.order[wrapped(x)]);
        self.gradients[channel][usize::from(self.order[wrapped(column + wrapped(y) as i64)])]
    }

    fn noise(&self, channel: usize, point: [f64; 2], stitch: Option<Stitch>) -> f64 {
        let place = point.map(|v| v + OFFSET);
        let whole = place.map(f64::floor);
        let part = [place[0] - whole[0], place[1] - whole[1]];
        // Of frequencies beyond what numbers can hold there is no place between two cells.
        if !part.iter().all(|v| v.is_finite()) {
            return 0.0;
        }
        let near = whole.map(|v| v as i64);
        let far = near.map(|v| v.saturating_add(1));
        let wrapped = |at: usize, v: i64| match stitch {
            Some(stitch) if v >= stitch.wrap[at] => v - stitch.cells[at],
            _ => v,
        };
        let ([x0, y0], [x1, y1]) = (
            [wrapped(0, near[0]), wrapped(1, near[1])],
            [wrapped(0, far[0]), wrapped(1, far[1])],
        );
        let [rx, ry] = part;
        let dot = |[a, b]: [f64; 2], x: f64, y: f64| a * x + b * y;
        let curve = |t: f64| t * t * (3.0 - 2.0 * t);
        let mix = |t: f64, a: f64, b: f64| a + t * (b - a);
        let upper = mix(
            curve(rx),
            dot(self.at(channel, x0, y0), rx, ry),
            dot(self.at(channel, x1, y0), rx - 1.0, ry),
        );
        let lower = mix(
            curve(rx),
            dot(self.at(channel, x0, y1), rx, ry - 1.0),
            dot(self.at(channel, x1, y1), rx - 1.0, ry - 1.0),
        );
        mix(curve(ry), upper, lower)
    }
}

impl Turbulence {
    /// The frequency at which a side of the canvas is whole cells long.
    fn fitting(frequency: f64, side: f64) -> f64 {
        if frequency == 0.0 || side == 0.0 {
            return frequency;
        }
        let (low, high) = (
            (side * frequency).floor() / side,
            (side * frequency).ceil() / side,
        );
        match frequency / low < high / frequency {
            true => low,
            false => high,
        }
    }

    fn sum(&self, lattice: &Lattice, channel: usize, point: [f64; 2], mut stitch: Option<Stitch>) -> f64 {
        let (mut point, mut share, mut sum) = (point, 1.0, 0.0);
        for _ in 0..self.octaves.min(MAX_OCTAVES) {
            let noise = lattice.noise(channel, point, stitch);
            sum += share * if self.fractal { noise } else { noise.abs() };
            point = point.map(|v| v * 2.0);
            share /= 2.0;
            if let Some(stitch) = &mut stitch {
                stitch.cells = stitch.cells.map(|v| v.saturating_mul(2));
                stitch.wrap = stitch
                    .wrap
                    .map(|v| v.saturating_mul(2).saturating_sub(OFFSET as i64));
            }
        }
        if self.fractal { (sum + 1.0) / 2.0 } else { sum }
    }
}

impl Layer {
    pub(super) fn fill_with_noise(&mut self, turbulence: &Turbulence) {
        let lattice = Lattice::new(turbulence.seed);
        let sides = self.canvas.map(f64::from);
        let mut frequency = turbulence.frequency;
        let mut stitch = None;
        if turbulence.stitched {
            frequency = [0, 1].map(|i| Turbulence::fitting(frequency[i], sides[i]));
            let cells = [0, 1].map(|i| (sides[i] * frequency[i]).round() as i64);
            let wrap = cells.map(|v| v.saturating_add(OFFSET as i64));
            stitch = Some(Stitch { cells, wrap });
        }
        let width = self.rect.width();
        for (i, p) in self.data.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let x = f64::from(self.rect.x0) + (i % width) as f64;
            let y = f64::from(self.rect.y0) + (i / width) as f64;
            let point = [x * frequency[0], y * frequency[1]];
            let straight = std::array::from_fn(|c| turbulence.sum(&lattice, c, point, stitch) as f32);
            *p = premultiplied(straight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use crate::context::{Context2d, FilterPrimitive, Filters};
    use proptest::prelude::*;
    use std::sync::Arc;

    const SIDE: u32 = 40;

    fn noise(turbulence: Turbulence) -> Vec<u8> {
        let mut c = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
        let filters = Filters::of_primitives(&[FilterPrimitive::Turbulence(turbulence)]).unwrap();
        c.set_filters(Arc::new(filters));
        c.fill_rect(10.0, 10.0, 5.0, 5.0);
        c.get_image_data(0, 0, SIDE as i32, SIDE as i32).unwrap().data
    }

    fn plain() -> Turbulence {
        Turbulence {
            frequency: [0.05, 0.1],
            octaves: 3,
            seed: 7.0,
            stitched: false,
            fractal: false,
        }
    }

    /// The same filter in an SVG, which another library draws.
    fn in_svg(turbulence: &Turbulence) -> Vec<u8> {
        let kind = if turbulence.fractal {
            "fractalNoise"
        } else {
            "turbulence"
        };
        let [x, y] = turbulence.frequency;
        let svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{SIDE}' height='{SIDE}'>\
             <filter id='f' filterUnits='userSpaceOnUse' color-interpolation-filters='sRGB' x='0' y='0' width='{SIDE}' height='{SIDE}'>\
             <feTurbulence type='{kind}' baseFrequency='{x} {y}' numOctaves='{}' seed='{}'/></filter>\
             <rect width='{SIDE}' height='{SIDE}' filter='url(#f)'/></svg>",
            turbulence.octaves, turbulence.seed
        );
        let picture = crate::decode(svg.as_bytes(), 1 << 20, &crate::Fonts::bundled()).unwrap();
        let crate::Picture::Vector(vector) = picture else {
            panic!("an SVG")
        };
        let mut c = Context2d::new(Canvas::new(SIDE, SIDE).unwrap());
        let whole = crate::RectF::new(0.0, 0.0, f64::from(SIDE), f64::from(SIDE));
        c.draw_vector(&vector, whole, whole);
        c.get_image_data(0, 0, SIDE as i32, SIDE as i32).unwrap().data
    }

    #[test]
    fn noise_is_that_of_the_same_filter_in_an_svg() {
        for turbulence in [
            plain(),
            Turbulence {
                fractal: true,
                seed: -3.0,
                ..plain()
            },
            Turbulence {
                frequency: [0.3, 0.02],
                octaves: 1,
                seed: 1e12,
                ..plain()
            },
        ] {
            let (ours, theirs) = (noise(turbulence), in_svg(&turbulence));
            let far = ours.chunks(4).zip(theirs.chunks(4)).map(|(a, b)| {
                // Where little is seen a colour is little more than a guess.
                let seen = f64::from(a[3].max(b[3])) / 255.0;
                a.iter()
                    .zip(b)
                    .map(|(a, b)| f64::from(a.abs_diff(*b)) * seen)
                    .fold(0.0, f64::max)
            });
            let worst = far.fold(0.0, f64::max);
            assert!(worst < 3.0, "{turbulence:?}: {worst}");
        }
    }

    #[test]
    fn all_of_the_canvas_is_filled_and_seeds_differ() {
        let fractal = Turbulence {
            fractal: true,
            ..plain()
        };
        let pixels = noise(fractal);
        assert!(pixels.chunks(4).all(|p| p[3] > 0));
        assert_ne!(pixels, noise(Turbulence { seed: 8.0, ..fractal }));
        assert_eq!(noise(Turbulence { seed: 7.9, ..fractal }), pixels);
        let none = noise(Turbulence {
            octaves: 0,
            ..plain()
        });
        assert!(none.iter().all(|v| *v == 0));
    }

    #[test]
    fn stitched_edges_fit_each_other() {
        let lattice = Lattice::new(1.0);
        let cells = [5, 5];
        let stitch = Stitch {
            cells,
            wrap: cells.map(|v| v + OFFSET as i64),
        };
        for i in 0..20 {
            let y = f64::from(i) / 7.0;
            let at = |x: f64| lattice.noise(0, [x, y], Some(stitch));
            assert!((at(0.0) - at(5.0)).abs() < 1e-9);
        }
        assert_eq!(Turbulence::fitting(0.06, 40.0), 0.05);
        assert_eq!(Turbulence::fitting(0.01, 40.0), 0.025);
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(100))]
        #[test]
        fn any_numbers_are_answered(
            x in prop_oneof![0.0..2.0, Just(1e308), Just(f64::MIN_POSITIVE)],
            y in prop_oneof![0.0..2.0, Just(1e17)],
            octaves: u32, seed: f64, stitched: bool, fractal: bool,
        ) {
            let turbulence = Turbulence { frequency: [x, y], octaves, seed, stitched, fractal };
            let filter = FilterPrimitive::Turbulence(turbulence);
            prop_assert_eq!(Filters::of_primitives(&[filter]).is_ok(), seed.is_finite());
            if seed.is_finite() && octaves < 40 {
                noise(turbulence);
            }
        }
    }
}
