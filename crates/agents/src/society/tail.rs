//! Whether the last things that happened are the same few over and over: a tool called again with the same
//! result, two agents who send each other the same words.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// So long may be what repeats itself.
const PERIOD: usize = 4;
/// So often it happens before it is a circle.
const TIMES: usize = 4;

/// The end of what happened in one place: an agent's calls, or what two agents say to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    last: VecDeque<u64>,
}

impl Tail {
    /// Something has happened. `true`: it and what was before it have now happened too often in a row. What is
    /// told differs where the outcome does: who waits for something and asks again hears something new at last.
    pub fn happened(&mut self, what: impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        if self.last.len() == PERIOD * TIMES {
            self.last.pop_front();
        }
        self.last.push_back(hasher.finish());
        (1..=PERIOD).any(|period| self.repeats(period))
    }

    fn repeats(&self, period: usize) -> bool {
        let Some(begin) = self.last.len().checked_sub(period * TIMES) else {
            return false;
        };
        let end = self.last.range(begin..);
        end.clone().zip(end.skip(period)).all(|(one, next)| one == next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_same_again_and_again_is_a_circle() {
        let mut tail = Tail::default();
        let told: Vec<bool> = (0..5).map(|_| tail.happened(("read", "a.txt", "gone"))).collect();
        assert_eq!(told, [false, false, false, true, true]);
        // Something else, and it begins anew.
        assert!(!tail.happened(("read", "b.txt", "there")));
        let told: Vec<bool> = (0..4).map(|nth| tail.happened(("poll", "x", nth))).collect();
        assert_eq!(told, [false; 4], "each time something else came of it");
    }

    #[test]
    fn two_who_send_each_other_the_same_are_one() {
        let mut tail = Tail::default();
        let said = ["thanks", "you are welcome"].iter().cycle().take(8);
        let told: Vec<bool> = said.map(|words| tail.happened(words)).collect();
        assert_eq!(told.iter().position(|circle| *circle), Some(7));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Exactly what repeats a part of at most `PERIOD` steps `TIMES` times at its end is a circle.
        #[test]
        fn circles_are_found_and_nothing_else(steps in prop::collection::vec(0u8..3, 1..60)) {
            let mut tail = Tail::default();
            for end in 1..=steps.len() {
                let told = tail.happened(steps[end - 1]);
                let before = &steps[..end];
                let circle = (1..=PERIOD).any(|period| {
                    before.len() >= period * TIMES
                        && before[before.len() - period * TIMES..]
                            .chunks(period)
                            .all(|part| part == &before[before.len() - period..])
                });
                prop_assert_eq!(told, circle);
            }
        }
    }
}
