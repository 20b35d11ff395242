#!/bin/sh
# Cargo calls this in the place of rustc for the workspace's own crates: they alone are instrumented.
exec "$@" -Cinstrument-coverage
