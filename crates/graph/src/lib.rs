//! The graph document: types, node catalogue, parsing, diagnostics, semantic hash.
