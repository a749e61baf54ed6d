//! The memory that patterns take. The rasteriser draws one tile of a pattern into pixels of its own, as large as
//! the file says, whatever of it is seen: it is counted before anything is drawn.

use resvg::tiny_skia::Transform;
use resvg::usvg::{Group, ImageKind, Node, Paint, Path, Pattern, filter};

/// Nodes that are drawn into tiles, each time that they are: tiles of tiles of tiles are a few lines of a file.
const MAX_DRAWN: u32 = 1 << 18;

/// What is needed to draw a picture in its own size.
pub struct Tiles {
    /// Pixels of the tiles that are there at once.
    pub pixels: f64,
    /// Width and height of the largest, in pixels.
    pub largest: (f64, f64),
}

/// `None` where so many things are drawn inside of tiles that it does not end.
pub fn tiles(root: &Group) -> Option<Tiles> {
    let mut walk = Walk {
        left: MAX_DRAWN,
        in_tile: false,
        largest: (0.0, 0.0),
    };
    let pixels = walk.group(root, Transform::identity())?;
    Some(Tiles {
        pixels,
        largest: walk.largest,
    })
}

/// Goes where the rasteriser goes, with the same scales.
struct Walk {
    left: u32,
    in_tile: bool,
    largest: (f64, f64),
}

impl Walk {
    fn group(&mut self, group: &Group, outer: Transform) -> Option<f64> {
        let transform = outer.pre_concat(group.transform());
        let mut most = self.children(group, transform)?;
        let mut mask = group.mask();
        while let Some(now) = mask {
            most = most.max(self.children(now.root(), transform)?);
            mask = now.mask();
        }
        for primitive in group.filters().iter().flat_map(|filter| filter.primitives()) {
            if let filter::Kind::Image(image) = primitive.kind() {
                most = most.max(self.group(image.root(), transform)?);
            }
        }
        Some(most)
    }

    fn children(&mut self, group: &Group, transform: Transform) -> Option<f64> {
        let mut most = 0.0f64;
        for node in group.children() {
            self.left = self.left.checked_sub(u32::from(self.in_tile))?;
            most = most.max(match node {
                Node::Group(group) => self.group(group, transform)?,
                Node::Path(path) => self.path(path, transform)?,
                Node::Text(text) => self.group(text.flattened(), transform)?,
                Node::Image(image) => match image.kind() {
                    ImageKind::SVG(tree) => self.group(tree.root(), transform)?,
                    _ => 0.0,
                },
            });
        }
        Some(most)
    }

    fn path(&mut self, path: &Path, transform: Transform) -> Option<f64> {
        let paints = [
            path.fill().map(|fill| fill.paint()),
            path.stroke().map(|stroke| stroke.paint()),
        ];
        let mut most = 0.0f64;
        for paint in paints.into_iter().flatten() {
            if let Paint::Pattern(pattern) = paint {
                most = most.max(self.tile(pattern, transform)?);
            }
        }
        Some(most)
    }

    /// Its own pixels and those of tiles inside of it, which are made while its own are there.
    fn tile(&mut self, pattern: &Pattern, transform: Transform) -> Option<f64> {
        let (sx, sy) = transform.pre_concat(pattern.transform()).get_scale();
        let rect = pattern.rect();
        let side = |length: f32, scale: f32| f64::from(length) * f64::from(scale) + 1.0;
        let (width, height) = (side(rect.width(), sx), side(rect.height(), sy));
        if width * height > self.largest.0 * self.largest.1 {
            self.largest = (width, height);
        }
        let outer = std::mem::replace(&mut self.in_tile, true);
        let inside = self.children(pattern.root(), Transform::from_scale(sx, sy))?;
        self.in_tile = outer;
        Some(width * height + inside)
    }
}
