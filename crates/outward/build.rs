//! Keeps the program small, on Linux. The linker leaves out symbols: Cargo does so only for packages without a profile of their own. And
//! it writes relocations in their short form (DT_RELR), a twentieth of the size, if both the linker and this machine's C library know
//! it. Otherwise the program is 4 MB larger, and no different.

use std::path::Path;
use std::process::Command;

const NO_SYMBOLS: &str = "-Wl,--strip-all";
const SHORT_RELOCATIONS: &str = "-Wl,-z,pack-relative-relocs";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg-bins={NO_SYMBOLS}");
        if knows_short_relocations() == Some(true) {
            println!("cargo::rustc-link-arg-bins={SHORT_RELOCATIONS}");
        }
    }
}

/// Whether a program that is linked with them runs; nothing where that cannot be tried.
fn knows_short_relocations() -> Option<bool> {
    let variable = |name: &str| std::env::var(name).ok();
    if variable("HOST")? != variable("TARGET")? {
        return None;
    }
    let folder = variable("OUT_DIR")?;
    let (source, program) = (Path::new(&folder).join("probe.rs"), Path::new(&folder).join("probe"));
    // A table of addresses, so that there is something to relocate.
    std::fs::write(
        &source,
        "static NAMES: [&str; 2] = [\"a\", \"b\"];\nfn main() { print!(\"{}\", NAMES.join(\"\")); }\n",
    )
    .ok()?;
    let mut rustc = Command::new(variable("RUSTC")?);
    rustc.args(variable("CARGO_ENCODED_RUSTFLAGS")?.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.args(variable("RUSTC_LINKER").map(|linker| format!("-Clinker={linker}")));
    rustc.arg(format!("-Clink-arg={SHORT_RELOCATIONS}")).arg("-o").arg(&program).arg(&source);
    let linked = rustc.output().ok()?.status.success();
    Some(linked && Command::new(&program).output().ok()?.stdout == b"ab")
}
