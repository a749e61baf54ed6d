//! The prompt library
