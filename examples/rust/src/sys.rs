//! `freeridge.h` as Rust: every type, constant and call, with the names of C. The header is the manual.
//!
//! `build.rs` makes this module of the table `declarations.txt`.
#![allow(non_camel_case_types)]

include!(concat!(env!("OUT_DIR"), "/sys.rs"));
