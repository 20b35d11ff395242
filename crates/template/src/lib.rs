//! Templates and expressions: a documented subset of Jinja.
