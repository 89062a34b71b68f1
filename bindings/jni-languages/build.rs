//! Compiles the side in C++, and links with libqueuecore.so: the very one that the JNI library uses.

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/threads.cpp");
    println!("cargo::rerun-if-changed=../../include");
    println!("cargo::rerun-if-env-changed=QUEUECORE_LIB_DIR");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .include("../../include")
        .file("src/threads.cpp")
        .compile("threads");
    let folder = if let Ok(folder) = env::var("QUEUECORE_LIB_DIR") {
        PathBuf::from(folder)
    } else {
        // OUT_DIR is <profile folder>/build/<package>/out.
        let out = PathBuf::from(env::var("OUT_DIR")?);
        out.ancestors().nth(3).ok_or("OUT_DIR is too short")?.to_path_buf()
    };
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    Ok(())
}
