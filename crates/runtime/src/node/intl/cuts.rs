//! Where a text can be cut, by ICU4X: found a piece at a time, as far as somebody looks.

use crate::guest::{Charge, State};
use icu_segmenter::options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions};
use icu_segmenter::{GraphemeClusterSegmenter, SentenceSegmenter, WordSegmenter};
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::Constructor;
use rquickjs::{Class, Ctx, Error, Function, JsLifetime, Object, Result};
use std::cell::RefCell;
use std::rc::Rc;

/// Places with whether the piece before is like a word.
type Places = Box<dyn Iterator<Item = (usize, bool)>>;

/// A text on its way through a segmenter.
struct Cuts(RefCell<Open>);

struct Open {
    /// Looks at `units`, and goes first.
    places: Places,
    _units: Box<[u16]>,
    _charge: Charge,
}

pub(super) fn define<'js>(ctx: &Ctx<'js>, native: &Object<'js>, state: &Rc<State>) -> Result<()> {
    let shared = state.clone();
    native.set(
        "cuts",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, granularity: String, text: String| {
                let mut charge = Charge::nothing(shared.gauge.clone());
                let units: Box<[u16]> = text.encode_utf16().collect();
                if !charge.add(size_of_val(&*units)) {
                    return Err(Error::Allocation);
                }
                Class::instance(ctx, Cuts(RefCell::new(open(&granularity, units, charge))))
            },
        )?,
    )?;
    native.set("nextCuts", Function::new(ctx.clone(), next)?)
}

/// `[place, 1 where the piece before it is like a word, place, …]`, in units of UTF-16; fewer than `count`
/// places at the end alone.
fn next<'js>(cuts: Class<'js, Cuts>, count: usize) -> Vec<u32> {
    let cuts = cuts.borrow();
    let mut open = cuts.0.borrow_mut();
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    open.places
        .by_ref()
        .take(count)
        .flat_map(|(at, word)| [number(at), u32::from(word)])
        .collect()
}

#[allow(unsafe_code, reason = "a segmenter borrows the text that is kept beside it")]
fn open(granularity: &str, units: Box<[u16]>, charge: Charge) -> Open {
    // SAFETY: the units are in a box that nobody writes or gives away; the places that look at them go before
    // them (the order of `Open`), and never leave `Open`.
    let text: &'static [u16] = unsafe { &*std::ptr::from_ref(&*units) };
    let places: Places = match granularity {
        "word" => Box::new(
            WordSegmenter::new_auto(WordBreakInvariantOptions::default())
                .segment_utf16(text)
                .iter_with_word_type()
                .map(|(at, kind)| (at, kind.is_word_like())),
        ),
        "sentence" => Box::new(
            SentenceSegmenter::new(SentenceBreakInvariantOptions::default())
                .segment_utf16(text)
                .map(|at| (at, false)),
        ),
        _ => Box::new(
            GraphemeClusterSegmenter::new()
                .segment_utf16(text)
                .map(|at| (at, false)),
        ),
    };
    Open {
        places,
        _units: units,
        _charge: charge,
    }
}

impl<'js> Trace<'js> for Cuts {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: the type holds no JavaScript value and has no lifetime.
#[allow(
    unsafe_code,
    reason = "the interpreter's lifetime trait can only be implemented so"
)]
unsafe impl<'js> JsLifetime<'js> for Cuts {
    type Changed<'to> = Cuts;
}

impl<'js> JsClass<'js> for Cuts {
    const NAME: &'static str = "IntlCuts";
    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}
