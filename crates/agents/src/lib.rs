//! Agent society and browser assistant
