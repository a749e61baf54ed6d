//! The browser assistant (seed 003): what is on a page, what a model wants to be done there, what goes wrong.
//!
//! Furnished so far: elements as a page reports them ([`Observation`]), replies of models ([`read`]), the prompt
//! ([`Prompt`]), errors with what helps ([`Trouble`]), steps that a person is asked about ([`Risk`]), and the way from a
//! wish to its end ([`Browse`]) over any [`Page`]. What was answered before is known ([`Answers`]).
//!
//! Deliberately not here: drivers of pages and whoever calls it (`server`), and the script within the page
//! (`ui/src/page`), which shares its world with the page: whatever it says is untrusted.

mod action;
mod answers;
mod browse;
mod change;
mod element;
mod prompt;
mod reply;
mod risk;
mod trouble;

pub use action::{Action, ActionKind, Instruction};
pub use answers::Answers;
pub use browse::{
    AgentResult, Asked, Browse, ExecutionResult, Gave, Limits, News, Page, Person, Thinks, carry_out,
};
pub use element::{Element, Observation, Rect, State};
pub use prompt::{Prompt, Step};
pub use reply::{Decision, ReplyError, read};
pub use risk::Risk;
pub use trouble::{Recovery, Trouble};
