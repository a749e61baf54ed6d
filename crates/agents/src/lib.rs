//! The society of agents (seed 004, second half) and the browser assistant (seed 003), built on
//! toolbox, workspace and llm. The room stands empty.
//!
//! Deliberately not here, when it is furnished: cells (`arena`); the two do not know each other.
