//! The same work for many things, on a few threads of its own: none of the runtime's, of which each
//! thing would take one.

use crate::error::NpmError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// In order of `items`. After an error no more is begun. Blocking.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> Result<R, NpmError> + Sync,
) -> Result<Vec<R>, NpmError> {
    let next = AtomicUsize::new(0);
    let some = || -> Result<Vec<(usize, R)>, NpmError> {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return Ok(done);
            };
            match work(item) {
                Ok(result) => done.push((at, result)),
                Err(error) => {
                    next.store(items.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.min(items.len())).map(|_| scope.spawn(some)).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut all = Vec::with_capacity(items.len());
    for part in parts {
        all.extend(part.map_err(|_| NpmError::Internal("a thread of the install ended".to_owned()))??);
    }
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_an_error_ends_it() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = each(&items, 4, |item| Ok(item * 2)).unwrap();
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(each(&[] as &[usize], 4, |item| Ok(*item)).unwrap().is_empty());
        let begun = AtomicUsize::new(0);
        let failed = each(&items, 1, |item| {
            begun.fetch_add(1, Ordering::Relaxed);
            match item {
                7 => Err(NpmError::Internal("seven".to_owned())),
                _ => Ok(()),
            }
        });
        assert!(matches!(failed, Err(NpmError::Internal(text)) if text == "seven"));
        assert_eq!(begun.into_inner(), 8);
    }
}
