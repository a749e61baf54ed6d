//! Path calls on contexts and Path2D objects; filling, stroking, clipping, hit tests.

use super::call::{Call, method};
use super::context::matrix;
use super::objects::PathObject;
use ::canvas::{Context2d, Ellipse, FillRule, Path, Point, Radius};
use rquickjs::{Class, Object, Result};
use std::cell::RefCell;

impl<'js> Call<'_, 'js> {
    /// `f` on the path of `this`.
    fn edit<R>(&self, f: impl FnOnce(&mut Path) -> R) -> Result<R> {
        self.on_this(|this: &Class<PathObject>| {
            let this = this.borrow();
            let mut path = this.path.try_borrow_mut().map_err(|_| self.busy())?;
            Ok(f(&mut path))
        })
    }

    /// A fill rule, `nonzero` when it is not given; other words are a TypeError.
    fn rule(&self, index: usize) -> Result<FillRule> {
        if self.given(index).is_none() {
            return Ok(FillRule::NonZero);
        }
        let word = self.text(index)?;
        FillRule::parse(&word).ok_or_else(|| self.type_error("the fill rule is neither nonzero nor evenodd"))
    }
}

/// The calls that contexts and Path2D share; `$on` runs a closure on the one or the other.
macro_rules! path_calls {
    ($target:expr, $on:ident) => {{
        method($target, "closePath", 0, |c| c.$on(|p| p.close_path()))?;
        method($target, "moveTo", 2, |c| {
            let [x, y] = c.numbers(0)?;
            c.$on(|p| p.move_to(x, y))
        })?;
        method($target, "lineTo", 2, |c| {
            let [x, y] = c.numbers(0)?;
            c.$on(|p| p.line_to(x, y))
        })?;
        method($target, "quadraticCurveTo", 4, |c| {
            let [cpx, cpy, x, y] = c.numbers(0)?;
            c.$on(|p| p.quadratic_curve_to(cpx, cpy, x, y))
        })?;
        method($target, "bezierCurveTo", 6, |c| {
            let [x1, y1, x2, y2, x, y] = c.numbers(0)?;
            c.$on(|p| p.bezier_curve_to(x1, y1, x2, y2, x, y))
        })?;
        method($target, "rect", 4, |c| {
            let [x, y, w, h] = c.numbers(0)?;
            c.$on(|p| p.rect(x, y, w, h))
        })?;
        method($target, "arc", 5, |c| {
            let [x, y, radius, start, end] = c.numbers(0)?;
            let back = c.truth(5)?;
            c.$on(|p| p.arc(x, y, radius, start, end, back))?
                .map_err(|e| c.raise(e))
        })?;
        method($target, "arcTo", 5, |c| {
            let [x1, y1, x2, y2, radius] = c.numbers(0)?;
            c.$on(|p| p.arc_to(x1, y1, x2, y2, radius))?
                .map_err(|e| c.raise(e))
        })?;
        method($target, "ellipse", 7, |c| {
            let [x, y, rx, ry, rotation, start, end] = c.numbers(0)?;
            let counterclockwise = c.truth(7)?;
            let (center, radii) = (Point::new(x, y), Point::new(rx, ry));
            let ellipse = Ellipse {
                center,
                radii,
                rotation,
                start,
                end,
                counterclockwise,
            };
            c.$on(|p| p.ellipse(&ellipse))?.map_err(|e| c.raise(e))
        })?;
    }};
}

pub(super) fn define_on_contexts(target: &Object<'_>) -> Result<()> {
    path_calls!(target, draw);
    method(target, "beginPath", 0, |c| c.draw(|d| d.begin_path()))?;
    painting(target)?;
    hit_tests(target)
}

pub(super) fn define_on_paths(target: &Object<'_>) -> Result<()> {
    path_calls!(target, edit);
    Ok(())
}

/// Members that JavaScript wraps: construction, and the calls with dictionaries.
pub(super) fn define_internal(target: &Object<'_>) -> Result<()> {
    method(target, "newPath", 2, |c| {
        let path = match c.maybe_object::<PathObject>(1) {
            Some(other) => copy_of(c, &other)?,
            None if c.given(1).is_some() => Path::from_svg(&c.text(1)?),
            None => Path::new(),
        };
        Class::instance_proto(
            PathObject {
                path: RefCell::new(path),
            },
            c.plain_object(0)?,
        )
    })?;
    method(target, "addPath", 8, |c| {
        let transform = matrix(c.numbers(2)?);
        let other = copy_of(c, &c.object::<PathObject>(1, "a Path2D")?)?;
        let this = c.object::<PathObject>(0, "a Path2D")?;
        let this = this.borrow();
        this.path
            .try_borrow_mut()
            .map_err(|_| c.busy())?
            .add_path(&other, transform);
        Ok(())
    })?;
    // (target, x, y, w, h, [rx, ry, …])
    method(target, "roundRect", 6, |c| {
        let [x, y, w, h] = c.numbers(1)?;
        let flat: Vec<f64> = c.value(5).get()?;
        let radii: Vec<Radius> = flat
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[x, y]| Radius { x, y })
            .collect();
        let done = match c.maybe_object::<PathObject>(0) {
            Some(path) => {
                let path = path.borrow();
                let mut path = path.path.try_borrow_mut().map_err(|_| c.busy())?;
                path.round_rect(x, y, w, h, &radii)
            }
            None => c
                .drawing(0)?
                .borrow()
                .with(c, |d| d.round_rect(x, y, w, h, &radii))?,
        };
        done.map_err(|e| c.raise(e))
    })
}

/// A copy, so that a path can be added to itself.
fn copy_of<'js>(c: &Call<'_, 'js>, path: &Class<'js, PathObject>) -> Result<Path> {
    let path = path.borrow();
    let copy = path.path.try_borrow().map_err(|_| c.busy())?.clone();
    Ok(copy)
}

/// `fill(rule?)`, `fill(path, rule?)` and their like.
fn painting(target: &Object<'_>) -> Result<()> {
    method(target, "fill", 0, |c| match path_first(c)? {
        Some(path) => {
            let rule = c.rule(1)?;
            with_path(c, &path, |d, p| d.fill_path(p, rule))
        }
        None => {
            let rule = c.rule(0)?;
            c.draw(|d| d.fill(rule))
        }
    })?;
    method(target, "clip", 0, |c| match path_first(c)? {
        Some(path) => {
            let rule = c.rule(1)?;
            with_path(c, &path, |d, p| d.clip_path(p, rule))
        }
        None => {
            let rule = c.rule(0)?;
            c.draw(|d| d.clip(rule))
        }
    })?;
    method(target, "stroke", 0, |c| {
        if c.len() == 0 {
            return c.draw(|d| d.stroke());
        }
        let path = c.object::<PathObject>(0, "a Path2D")?;
        with_path(c, &path, |d, p| d.stroke_path(p))
    })
}

/// WebIDL's choice between the two forms: with two arguments the first must be a path.
fn path_first<'js>(c: &Call<'_, 'js>) -> Result<Option<Class<'js, PathObject>>> {
    match c.len() {
        0 => Ok(None),
        1 => Ok(c.maybe_object(0)),
        _ => c.object(0, "a Path2D").map(Some),
    }
}

fn with_path<'js, R>(
    c: &Call<'_, 'js>,
    path: &Class<'js, PathObject>,
    f: impl FnOnce(&mut Context2d, &Path) -> R,
) -> Result<R> {
    let path = path.borrow();
    let path = path.path.try_borrow().map_err(|_| c.busy())?;
    c.draw(|d| f(d, &path))
}

fn hit_tests(target: &Object<'_>) -> Result<()> {
    method(target, "isPointInPath", 2, |c| {
        match c.maybe_object::<PathObject>(0) {
            Some(path) if c.len() >= 3 => {
                let [x, y] = c.numbers(1)?;
                let rule = c.rule(3)?;
                with_path(c, &path, |d, p| d.is_point_in_this_path(p, x, y, rule))
            }
            _ if c.len() >= 4 => Err(c.type_error("argument 1 is not a Path2D")),
            _ => {
                let [x, y] = c.numbers(0)?;
                let rule = c.rule(2)?;
                c.draw(|d| d.is_point_in_path(x, y, rule))
            }
        }
    })?;
    method(target, "isPointInStroke", 2, |c| {
        if c.len() >= 3 {
            let path = c.object::<PathObject>(0, "a Path2D")?;
            let [x, y] = c.numbers(1)?;
            return with_path(c, &path, |d, p| d.is_point_in_this_stroke(p, x, y));
        }
        let [x, y] = c.numbers(0)?;
        c.draw(|d| d.is_point_in_stroke(x, y))
    })
}
