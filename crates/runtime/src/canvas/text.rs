//! Measured texts and their clusters: `js/text.js` has the interfaces.

use super::call::{Call, method};
use super::objects::MeasuredObject;
use ::canvas::{MeasuredText, TextAlign, TextBaseline, TextCluster};
use rquickjs::convert::List;
use rquickjs::{Class, Object, Result};

/// What JavaScript knows of a cluster, in this order.
type Values = List<(u32, u32, f64, f64, &'static str, &'static str)>;

pub(super) fn define_internal(target: &Object<'_>) -> Result<()> {
    // (context, text)
    method(target, "measured", 2, |c| {
        let text = c.text(1)?;
        let text = c.drawing(0)?.borrow().with(c, |d| d.measured(&text))?;
        Class::instance(c.ctx().clone(), MeasuredObject { text })
    })?;
    method(target, "textLength", 1, |c| {
        Ok(number(text(c)?.borrow().text.length()))
    })?;
    method(target, "textIndexAt", 2, |c| {
        let offset = c.number(1)?;
        Ok(number(text(c)?.borrow().text.index_at(offset)))
    })?;
    // (text, start, end)
    method(target, "textSelection", 3, |c| {
        let boxes = text(c)?.borrow().text.selection(units(c)?);
        Ok(boxes.concat())
    })?;
    method(target, "textInk", 3, |c| {
        Ok(text(c)?.borrow().text.ink(units(c)?).to_vec())
    })?;
    // (text, start, end, align?, baseline?)
    method(target, "textClusters", 3, |c| {
        let (align, baseline) = (align(c, 3)?, baseline(c, 4)?);
        let clusters = text(c)?.borrow().text.clusters(units(c)?, align, baseline);
        let values = |one: &TextCluster| -> Values {
            let (align, baseline) = (one.align.as_str(), one.baseline.as_str());
            List((number(one.start), number(one.end), one.x, one.y, align, baseline))
        };
        Ok(clusters.iter().map(values).collect::<Vec<_>>())
    })?;
    // (context, text, start, x, y, the cluster's x and y, align, baseline)
    method(target, "fillTextCluster", 9, |c| {
        draw(c, |context, text, cluster, x, y| {
            context.fill_text_cluster(text, cluster, x, y)
        })
    })?;
    method(target, "strokeTextCluster", 9, |c| {
        draw(c, |context, text, cluster, x, y| {
            context.stroke_text_cluster(text, cluster, x, y)
        })
    })
}

fn draw(
    c: &Call<'_, '_>,
    work: impl FnOnce(&mut ::canvas::Context2d, &MeasuredText, &TextCluster, f64, f64),
) -> Result<()> {
    let text = c.object::<MeasuredObject>(1, "a measured text")?;
    let [x, y, own_x, own_y] = c.numbers(3)?;
    let start = c.size(2)? as usize;
    let cluster = TextCluster {
        start,
        end: start,
        x: own_x,
        y: own_y,
        align: align(c, 7)?.unwrap_or_default(),
        baseline: baseline(c, 8)?.unwrap_or_default(),
    };
    let text = text.borrow();
    c.drawing(0)?
        .borrow()
        .with(c, |context| work(context, &text.text, &cluster, x, y))
}

fn text<'js>(c: &Call<'_, 'js>) -> Result<Class<'js, MeasuredObject>> {
    c.object(0, "a measured text")
}

fn units(c: &Call<'_, '_>) -> Result<std::ops::Range<usize>> {
    Ok(c.size(1)? as usize..c.size(2)? as usize)
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// JavaScript has checked the words.
fn align(c: &Call<'_, '_>, index: usize) -> Result<Option<TextAlign>> {
    match c.given(index) {
        None => Ok(None),
        Some(_) => Ok(TextAlign::parse(&c.text(index)?)),
    }
}

fn baseline(c: &Call<'_, '_>, index: usize) -> Result<Option<TextBaseline>> {
    match c.given(index) {
        None => Ok(None),
        Some(_) => Ok(TextBaseline::parse(&c.text(index)?)),
    }
}
