//! The society of agents (seed 004, second half) and the browser assistant (seed 003), built on
//! toolbox, workspace and llm.
//!
//! Furnished so far: societies ([`society`]) whose models other processes may ask ([`queue`]), and what the assistant
//! thinks with ([`assistant`]). *Not furnished*: its hands, and whoever calls it.
//!
//! Deliberately not here: cells (`arena`); the two do not know each other.

pub mod assistant;
pub mod queue;
pub mod society;
