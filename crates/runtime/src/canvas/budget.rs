//! The pixels that all canvases of one script may hold together.
//!
//! The interpreter's memory limit does not see bitmaps; this does. It is not a count of bytes:
//! paths, states and fonts are bounded by the worker around us.

use std::cell::Cell;
use std::rc::Rc;

/// The sum over all living charges, and its ceiling.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    used: Cell<u64>,
    /// How many came since the last collection.
    came: Cell<u64>,
    /// How many may come before the next one.
    patience: Cell<u64>,
}

/// Fewer than these come without a collection: of as many the memory is kept for the next ones.
const PATIENCE: u64 = 3 << 20;

impl Budget {
    pub fn new(limit: u64) -> Rc<Budget> {
        Rc::new(Budget {
            limit,
            used: Cell::new(0),
            came: Cell::new(0),
            patience: Cell::new(PATIENCE),
        })
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    #[cfg(test)]
    pub fn used(&self) -> u64 {
        self.used.get()
    }

    pub fn fits(&self, pixels: u64) -> bool {
        self.used
            .get()
            .checked_add(pixels)
            .is_some_and(|sum| sum <= self.limit)
    }

    /// Whether a collection is worth its while before so many more come. Notes that they do.
    pub fn is_due(&self, pixels: u64) -> bool {
        let came = self.came.get().saturating_add(pixels);
        self.came.set(came);
        came > self.patience.get()
    }

    /// What is left lives: as many may come again, so that collections cost little beside what they look for.
    pub fn collected(&self) {
        self.came.set(0);
        self.patience.set(self.used.get().max(PATIENCE));
    }

    /// `None` when the pixels do not fit.
    pub fn charge(self: &Rc<Self>, pixels: u64) -> Option<Charge> {
        if !self.fits(pixels) {
            return None;
        }
        self.used.set(self.used.get() + pixels);
        Some(Charge {
            budget: Rc::clone(self),
            pixels,
        })
    }
}

/// Pixels in use; given back when dropped.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Rc<Budget>,
    pixels: u64,
}

impl Charge {
    pub fn pixels(&self) -> u64 {
        self.pixels
    }

    /// To another number of pixels; `None`, and no change, when they do not fit.
    pub fn change(&mut self, pixels: u64) -> Option<()> {
        let used = (self.budget.used.get() - self.pixels).checked_add(pixels)?;
        if used > self.budget.limit {
            return None;
        }
        self.budget.used.set(used);
        self.pixels = pixels;
        Some(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget
            .used
            .set(self.budget.used.get().saturating_sub(self.pixels));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_due_by_what_came_and_what_lives() {
        let budget = Budget::new(u64::MAX);
        let living = budget.charge(PATIENCE * 3).unwrap();
        assert!(!budget.is_due(PATIENCE));
        assert!(budget.is_due(1));
        budget.collected();
        assert!(!budget.is_due(PATIENCE * 3));
        assert!(budget.is_due(1));
        drop(living);
        budget.collected();
        assert!(budget.is_due(PATIENCE + 1));
    }

    #[test]
    fn charges_are_given_back_and_the_ceiling_holds() {
        let budget = Budget::new(100);
        let first = budget.charge(60).unwrap();
        assert!(budget.charge(41).is_none());
        let second = budget.charge(40).unwrap();
        assert_eq!((budget.used(), second.pixels()), (100, 40));
        drop(first);
        assert_eq!(budget.used(), 40);
        assert!(budget.charge(u64::MAX).is_none());
        let mut second = second;
        assert_eq!(
            (second.change(101), second.change(u64::MAX), budget.used()),
            (None, None, 40)
        );
        assert_eq!((second.change(7), budget.used()), (Some(()), 7));
    }
}
