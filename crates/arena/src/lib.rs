//! ACP Canvas (seed 001): lenient reader, canonical writer, cell graph, engine. The room stands
//! empty.
//!
//! Deliberately not here, when it is furnished: the HTML canvas, which is `canvas`.
