//! Windows of newest-first lists.

use wire::Page;

/// Rows of one page at most.
pub(super) const PAGE: u32 = 500;

pub(super) fn window(page: Page) -> store::Window {
    store::Window {
        offset: page.offset,
        limit: page.limit.min(PAGE),
    }
}
