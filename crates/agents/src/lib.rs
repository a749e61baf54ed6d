//! The society of agents (seed 004, second half) and the browser assistant (seed 003), built on
//! toolbox, workspace and llm.
//!
//! Societies ([`society`]) whose models other processes may ask ([`queue`]), and what the assistant thinks with
//! ([`assistant`]); its hands, a browser, are the server's.
//!
//! Deliberately not here: cells (`arena`); the two do not know each other.

pub mod assistant;
pub mod queue;
pub mod society;
