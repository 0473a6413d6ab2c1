//! Finds the library: in the folder FREERIDGE_LIB_DIR, or where pkg-config says (PKG_CONFIG names another pkg-config).
//! With FREERIDGE_STATIC=1 the static library is linked, with all that it needs, and so into every program that depends
//! on this crate. Else the tests and examples of this crate find the shared library by their run path; cargo does not
//! hand a run path on to a program that depends on this crate: its own build script makes one of DEP_FREERIDGE_LIB_DIR
//! (README.md), where the system's loader does not find the library.
//!
//! And makes the module sys of the table declarations.txt.

mod declarations;

use std::process::{exit, Command};
use std::{env, fs};

fn main() {
    for name in ["build.rs", "declarations.rs", "declarations.txt"] {
        println!("cargo:rerun-if-changed={name}");
    }
    write_sys().unwrap_or_else(|reason| {
        eprintln!("the module sys cannot be made of declarations.txt: {reason}");
        exit(1)
    });
    for name in ["FREERIDGE_LIB_DIR", "FREERIDGE_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let folder = env::var("FREERIDGE_LIB_DIR").ok();
    if env::var("FREERIDGE_STATIC").map_or(false, |text| !matches!(text.as_str(), "" | "0")) {
        return link_static(folder);
    }
    let folders = folder.map_or_else(|| words(&["--libs-only-L"], None, "-L"), |folder| vec![folder]);
    for folder in &folders {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-lib=dylib=freeridge");
    println!("cargo:lib_dir={}", folders.join(":")); // DEP_FREERIDGE_LIB_DIR
}

fn write_sys() -> Result<(), Box<dyn std::error::Error>> {
    // cargo runs this in the folder of the crate.
    let table = fs::read_to_string("declarations.txt").map_err(|reason| {
        format!(
            "{reason}; it is a link into the sources of freeridge: use the crate there (path = \".../examples/rust\"), \
             copy it by cp -rL, or take what cargo package makes of it"
        )
    })?;
    Ok(fs::write(env::var("OUT_DIR")? + "/sys.rs", declarations::module(&table))?)
}

/// libfreeridge.a is in the folder, or where pkg-config says, and freeridge.pc beside it has what it needs.
fn link_static(folder: Option<String>) {
    for path in words(&["--static", "--libs-only-L"], folder.as_deref(), "-L").iter().chain(&folder) {
        println!("cargo:rustc-link-search=native={path}");
    }
    println!("cargo:rustc-link-lib=static=freeridge");
    for name in words(&["--static", "--libs-only-l"], folder.as_deref(), "-l") {
        if name != "freeridge" {
            println!("cargo:rustc-link-lib=dylib={name}");
        }
    }
}

/// What pkg-config answers: its words that begin so, without the beginning.
fn words(question: &[&str], folder: Option<&str>, beginning: &str) -> Vec<String> {
    pkg_config(question, folder)
        .unwrap_or_else(|reason| {
            eprintln!(
                "the library freeridge was not found: set FREERIDGE_LIB_DIR to its folder, or install it ({reason})"
            );
            exit(1)
        })
        .split_whitespace()
        .filter_map(|word| word.strip_prefix(beginning))
        .map(str::to_string)
        .collect()
}

/// `folder`: that of the library, where its freeridge.pc is looked for first.
fn pkg_config(question: &[&str], folder: Option<&str>) -> Result<String, String> {
    let name = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let mut command = Command::new(&name);
    command.args(question).arg("freeridge >= 0.1");
    if let Some(folder) = folder {
        let others = env::var("PKG_CONFIG_PATH").map_or(String::new(), |others| format!(":{others}"));
        command.env("PKG_CONFIG_PATH", format!("{folder}/pkgconfig{others}"));
    }
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_string());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
