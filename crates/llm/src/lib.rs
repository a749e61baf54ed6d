//! Model services
