//! The only door to other processes
