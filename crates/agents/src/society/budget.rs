//! What a task may cost, and every agent of it: what one spends, all above it have spent as well.
//!
//! What something will cost is known only afterwards. So the most that it may cost is held first, by whoever
//! does it and all above, and when it is over what it did cost takes the place of that. Work that is done at the
//! same time can so never spend the same twice.

use super::{AgentId, SocietyError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a budget is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// Of models, in and out.
    Tokens,
    /// Millionths of the currency that prices are given in.
    Money,
    /// Milliseconds of work.
    Time,
    /// Of tools and models.
    Calls,
    /// Agents made.
    Agents,
    /// Agents above one another.
    Depth,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Tokens => "tokens",
            Kind::Money => "money",
            Kind::Time => "time",
            Kind::Calls => "calls",
            Kind::Agents => "agents",
            Kind::Depth => "depth",
        }
    }
}

/// What is counted by adding it up. Each saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Amounts {
    pub tokens: u64,
    pub money: u64,
    pub time: u64,
    pub calls: u64,
    pub agents: u64,
}

impl Amounts {
    /// Of a tool or a model.
    pub const ONE_CALL: Amounts = Amounts {
        tokens: 0,
        money: 0,
        time: 0,
        calls: 1,
        agents: 0,
    };

    fn parts(&self) -> [(Kind, u64); 5] {
        [
            (Kind::Tokens, self.tokens),
            (Kind::Money, self.money),
            (Kind::Time, self.time),
            (Kind::Calls, self.calls),
            (Kind::Agents, self.agents),
        ]
    }

    fn both(self, other: Amounts, of: impl Fn(u64, u64) -> u64) -> Amounts {
        Amounts {
            tokens: of(self.tokens, other.tokens),
            money: of(self.money, other.money),
            time: of(self.time, other.time),
            calls: of(self.calls, other.calls),
            agents: of(self.agents, other.agents),
        }
    }

    fn plus(self, other: Amounts) -> Amounts {
        self.both(other, u64::saturating_add)
    }

    fn minus(self, other: Amounts) -> Amounts {
        self.both(other, u64::saturating_sub)
    }
}

/// What one may spend, with all below it. `None`: as much as those above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Budget {
    pub tokens: Option<u64>,
    pub money: Option<u64>,
    pub time: Option<u64>,
    pub calls: Option<u64>,
    pub agents: Option<u64>,
    /// How deep agents may stand below it.
    pub depth: Option<u32>,
}

impl Budget {
    /// Of a task of which nobody said anything else: enough for a small program, and no surprise on the bill.
    pub fn usual() -> Self {
        Budget {
            tokens: Some(2_000_000),
            money: None,
            time: Some(4 * 60 * 60 * 1000),
            calls: Some(2_000),
            agents: Some(40),
            depth: Some(4),
        }
    }

    /// What of these amounts is too much, if any is.
    fn exceeded(&self, amounts: Amounts) -> Option<Kind> {
        let limits = [self.tokens, self.money, self.time, self.calls, self.agents];
        let parts = amounts.parts().into_iter().zip(limits);
        parts
            .filter(|((_, amount), limit)| limit.is_some_and(|limit| *amount > limit))
            .map(|((kind, _), _)| kind)
            .next()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Account {
    parent: Option<AgentId>,
    budget: Budget,
    spent: Amounts,
    /// What may be spent by what goes on.
    held: Amounts,
}

const ONE: Amounts = Amounts {
    tokens: 0,
    money: 0,
    time: 0,
    calls: 0,
    agents: 1,
};

/// Room for something that goes on; given back by [`Ledger::settle`].
#[derive(Debug, PartialEq, Eq)]
#[must_use = "what is held is given back when it is settled"]
pub struct Hold {
    agent: AgentId,
    most: Amounts,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    accounts: BTreeMap<AgentId, Account>,
}

impl Ledger {
    /// The root of a task.
    pub fn open(&mut self, root: AgentId, budget: Budget) {
        let account = Account {
            budget,
            ..Account::default()
        };
        self.accounts.insert(root, account);
    }

    /// Whether there may be one more agent below this one. It counts as one of the agents of all above it.
    pub fn may_open_below(&self, parent: AgentId) -> Result<(), SocietyError> {
        for (depth, id) in (1u32..).zip(self.chain(parent)?) {
            let limit = self.accounts.get(&id).and_then(|account| account.budget.depth);
            if limit.is_some_and(|limit| depth > limit) {
                return Err(SocietyError::BudgetExceeded { which: Kind::Depth });
            }
        }
        match self.lacking(parent, ONE)? {
            Some((_, which)) => Err(SocietyError::BudgetExceeded { which }),
            None => Ok(()),
        }
    }

    /// An agent below another, which [`Ledger::may_open_below`] has allowed.
    pub fn open_below(&mut self, parent: AgentId, agent: AgentId, budget: Budget) {
        self.spend(parent, ONE);
        let account = Account {
            parent: Some(parent),
            budget,
            ..Account::default()
        };
        self.accounts.insert(agent, account);
    }

    /// Another budget for one; what was spent stays spent.
    pub fn change(&mut self, agent: AgentId, budget: Budget) {
        if let Some(account) = self.accounts.get_mut(&agent) {
            account.budget = budget;
        }
    }

    /// Whose budget would not hold so much more, and of what: the nearest one above first.
    pub fn lacking(&self, agent: AgentId, most: Amounts) -> Result<Option<(AgentId, Kind)>, SocietyError> {
        for id in self.chain(agent)? {
            let account = self.accounts.get(&id).ok_or(SocietyError::UnknownAgent)?;
            let would = account.spent.plus(account.held).plus(most);
            if let Some(which) = account.budget.exceeded(would) {
                return Ok(Some((id, which)));
            }
        }
        Ok(None)
    }

    /// Keeps room for the most that something may cost, or says of what there is too little, and keeps nothing.
    pub fn hold(&mut self, agent: AgentId, most: Amounts) -> Result<Hold, SocietyError> {
        if let Some((_, which)) = self.lacking(agent, most)? {
            return Err(SocietyError::BudgetExceeded { which });
        }
        let chain = self.chain(agent)?;
        self.each(&chain, |account| account.held = account.held.plus(most));
        Ok(Hold { agent, most })
    }

    /// What is spent, whatever was held.
    pub fn spend(&mut self, agent: AgentId, cost: Amounts) {
        let chain = self.chain(agent).unwrap_or_default();
        self.each(&chain, |account| account.spent = account.spent.plus(cost));
    }

    /// What was held is over and did cost so much. That is counted even where it is more: it is gone.
    pub fn settle(&mut self, hold: Hold, cost: Amounts) {
        // Accounts stay: the chain is the one that was held.
        let chain = self.chain(hold.agent).unwrap_or_default();
        self.each(&chain, |account| {
            account.held = account.held.minus(hold.most);
            account.spent = account.spent.plus(cost);
        });
    }

    /// What an agent has spent, with all below it.
    pub fn spent(&self, agent: AgentId) -> Result<Amounts, SocietyError> {
        let account = self.accounts.get(&agent).ok_or(SocietyError::UnknownAgent)?;
        Ok(account.spent)
    }

    /// What it may still spend of a kind, whoever above it sets the limit; `None` where nobody does.
    pub fn left(&self, agent: AgentId, kind: Kind) -> Result<Option<u64>, SocietyError> {
        let chain = self.chain(agent)?;
        let left = chain.iter().filter_map(|id| {
            let account = self.accounts.get(id)?;
            let limits = account.budget;
            let limit = match kind {
                Kind::Tokens => limits.tokens,
                Kind::Money => limits.money,
                Kind::Time => limits.time,
                Kind::Calls => limits.calls,
                Kind::Agents => limits.agents,
                Kind::Depth => return None,
            }?;
            let used = account.spent.plus(account.held).parts();
            let (_, used) = used.into_iter().find(|(one, _)| *one == kind)?;
            Some(limit.saturating_sub(used))
        });
        Ok(left.min())
    }

    /// An agent and all above it.
    fn chain(&self, agent: AgentId) -> Result<Vec<AgentId>, SocietyError> {
        let mut chain = Vec::new();
        let mut at = Some(agent);
        while let Some(id) = at {
            chain.push(id);
            at = self.accounts.get(&id).ok_or(SocietyError::UnknownAgent)?.parent;
        }
        Ok(chain)
    }

    fn each(&mut self, chain: &[AgentId], mut change: impl FnMut(&mut Account)) {
        for id in chain {
            if let Some(account) = self.accounts.get_mut(id) {
                change(account);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOT: AgentId = AgentId(1);

    fn calls(calls: u64) -> Amounts {
        Amounts {
            calls,
            ..Amounts::default()
        }
    }

    fn exceeded(which: Kind) -> SocietyError {
        SocietyError::BudgetExceeded { which }
    }

    #[test]
    fn a_child_cannot_have_more_than_is_left_above_it() {
        let mut ledger = Ledger::default();
        ledger.open(
            ROOT,
            Budget {
                calls: Some(10),
                agents: Some(2),
                depth: Some(1),
                ..Budget::default()
            },
        );
        let generous = Budget {
            calls: Some(100),
            ..Budget::default()
        };
        ledger.open_below(ROOT, AgentId(2), generous);
        let modest = Budget {
            calls: Some(2),
            ..Budget::default()
        };
        assert_eq!(ledger.may_open_below(ROOT), Ok(()));
        ledger.open_below(ROOT, AgentId(3), modest);
        assert_eq!(ledger.may_open_below(ROOT), Err(exceeded(Kind::Agents)));
        assert_eq!(ledger.may_open_below(AgentId(2)), Err(exceeded(Kind::Depth)));
        assert_eq!(
            ledger.lacking(AgentId(3), calls(3)),
            Ok(Some((AgentId(3), Kind::Calls)))
        );
        assert_eq!(
            ledger.lacking(AgentId(2), calls(11)),
            Ok(Some((ROOT, Kind::Calls)))
        );
        let first = ledger.hold(AgentId(2), calls(8)).unwrap();
        assert_eq!(
            ledger.hold(AgentId(3), calls(3)),
            Err(exceeded(Kind::Calls)),
            "more than its own"
        );
        let second = ledger.hold(AgentId(3), calls(2)).unwrap();
        assert_eq!(
            ledger.hold(AgentId(2), calls(1)),
            Err(exceeded(Kind::Calls)),
            "held above it"
        );
        ledger.settle(first, calls(5));
        assert_eq!(ledger.left(AgentId(2), Kind::Calls), Ok(Some(3)));
        ledger.settle(second, calls(2));
        assert_eq!(
            (
                ledger.spent(ROOT).unwrap().calls,
                ledger.spent(AgentId(3)).unwrap().calls
            ),
            (7, 2)
        );
        assert_eq!(ledger.left(AgentId(3), Kind::Calls), Ok(Some(0)));
        assert_eq!(ledger.left(AgentId(3), Kind::Tokens), Ok(None));
        assert_eq!(ledger.hold(AgentId(9), calls(1)), Err(SocietyError::UnknownAgent));
    }

    #[test]
    fn what_was_dearer_than_thought_is_counted_and_then_it_is_over() {
        let mut ledger = Ledger::default();
        ledger.open(
            ROOT,
            Budget {
                calls: Some(3),
                ..Budget::default()
            },
        );
        let hold = ledger.hold(ROOT, calls(1)).unwrap();
        ledger.settle(hold, calls(5));
        assert_eq!(ledger.spent(ROOT), Ok(calls(5)));
        assert_eq!(ledger.left(ROOT, Kind::Calls), Ok(Some(0)));
        assert_eq!(ledger.hold(ROOT, calls(1)), Err(exceeded(Kind::Calls)));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Open {
            parent: usize,
            limit: Option<u64>,
            depth: Option<u32>,
        },
        Hold {
            agent: usize,
            tokens: u64,
            money: u64,
        },
        /// Of what is held, so much in hundredths of it.
        Settle {
            hold: usize,
            part: u64,
        },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            2 => (0usize..12, prop::option::of(0u64..400), prop::option::of(0u32..4))
                .prop_map(|(parent, limit, depth)| Step::Open { parent, limit, depth }),
            5 => (0usize..12, 0u64..120, 0u64..120)
                .prop_map(|(agent, tokens, money)| Step::Hold { agent, tokens, money }),
            4 => (0usize..12, 0u64..=100).prop_map(|(hold, part)| Step::Settle { hold, part }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Whatever goes on at the same time and in whatever order it ends: nobody and no task spends more than
        /// it may, and what all have spent is what their task has.
        #[test]
        fn no_schedule_spends_more_than_there_is(
            limit in 0u64..800, agents in 0u64..8, steps in prop::collection::vec(step(), 1..100)
        ) {
            let mut ledger = Ledger::default();
            let budget = Budget { tokens: Some(limit), money: Some(limit / 2), agents: Some(agents), ..Budget::default() };
            ledger.open(ROOT, budget);
            let mut open = vec![ROOT];
            let mut holds = Vec::new();
            let mut spent = Amounts::default();
            for step in steps {
                let before = ledger.clone();
                match step {
                    Step::Open { parent, limit, depth } => {
                        let id = AgentId(open.len() as u64 + 1);
                        let budget = Budget { tokens: limit, depth, ..Budget::default() };
                        let parent = open[parent % open.len()];
                        if ledger.may_open_below(parent).is_ok() {
                            ledger.open_below(parent, id, budget);
                            open.push(id);
                            spent.agents += 1;
                        }
                    }
                    Step::Hold { agent, tokens, money } => {
                        let most = Amounts { tokens, money, ..Amounts::default() };
                        match ledger.hold(open[agent % open.len()], most) {
                            Ok(hold) => holds.push(hold),
                            Err(_) => prop_assert_eq!(&ledger, &before),
                        }
                    }
                    Step::Settle { hold, part } if !holds.is_empty() => {
                        let hold = holds.swap_remove(hold % holds.len());
                        let cost = Amounts {
                            tokens: hold.most.tokens * part / 100,
                            money: hold.most.money * part / 100,
                            ..Amounts::default()
                        };
                        spent = spent.plus(cost);
                        ledger.settle(hold, cost);
                    }
                    Step::Settle { .. } => {}
                }
                for account in ledger.accounts.values() {
                    prop_assert_eq!(account.budget.exceeded(account.spent.plus(account.held)), None);
                }
                prop_assert_eq!(ledger.spent(ROOT), Ok(spent));
            }
            for hold in holds {
                ledger.settle(hold, Amounts::default());
            }
            prop_assert!(ledger.accounts.values().all(|account| account.held == Amounts::default()));
        }
    }
}
