//! Test tools: scripted host, fake clock, graph builders.
