//! Model services: one shape over several protocols, streaming, tool calls, usage. The room stands
//! empty until something talks to a model.
//!
//! Deliberately not here, when it is furnished: what is said (agents, arena, prompts).
