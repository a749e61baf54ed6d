//! ACP Canvas: reader, writer, cell graph, engine
