//! Finds the shared library: in the folder FREERIDGE_LIB_DIR, or where pkg-config says (PKG_CONFIG names another
//! pkg-config). The tests and examples of this crate find it again when they run, by their run path; a program that
//! depends on this crate needs the library where the system's loader looks, or a run path of its own.

use std::env;
use std::process::{exit, Command};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["FREERIDGE_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let folders = match env::var("FREERIDGE_LIB_DIR") {
        Ok(folder) => vec![folder],
        Err(_) => pkg_config().unwrap_or_else(|reason| {
            eprintln!(
                "the library freeridge was not found: set FREERIDGE_LIB_DIR to its folder, or install it ({reason})"
            );
            exit(1)
        }),
    };
    for folder in folders {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-lib=dylib=freeridge");
}

/// The folder of an installed library; none when it is where the linker looks anyway.
fn pkg_config() -> Result<Vec<String>, String> {
    let command = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let output = Command::new(&command)
        .args(["--libs-only-L", "freeridge >= 0.1"])
        .output()
        .map_err(|error| format!("{command}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_string());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.split_whitespace().filter_map(|word| word.strip_prefix("-L")).map(str::to_string).collect())
}
