//! QuickJS workers: guest side and host side
