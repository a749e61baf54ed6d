//! The table of calls, their types and the client that speaks them
