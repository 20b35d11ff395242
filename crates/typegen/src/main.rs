//! `mnemograph-typegen FOLDER`: writes `types.ts`, `codes.ts` and `graph.schema.json` into the folder.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use mnemograph_typegen::{all_codes, all_types, codes_module};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .ok_or("the folder to write to is missing")?;
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("types.ts"), all_types().finish()?)?;
    fs::write(folder.join("codes.ts"), codes_module(all_codes()))?;
    let schema = serde_json::to_string(&mnemograph_graph::schema())?;
    fs::write(folder.join("graph.schema.json"), schema)?;
    Ok(())
}
