//! Links with libqueuecore.so as any C program would: so all languages of a process share one library, and with it the
//! trackers. It has to be built before (`make build`), in
//! the same profile, or stand in the folder `QUEUECORE_LIB_DIR`.

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=QUEUECORE_LIB_DIR");
    let folder = if let Ok(folder) = env::var("QUEUECORE_LIB_DIR") {
        PathBuf::from(folder)
    } else {
        // OUT_DIR is <profile folder>/build/<package>/out.
        let out = PathBuf::from(env::var("OUT_DIR")?);
        out.ancestors().nth(3).ok_or("OUT_DIR is too short")?.to_path_buf()
    };
    println!("cargo::rustc-link-search=native={}", folder.display());
    if env::var("CARGO_CFG_TARGET_OS")? == "linux" {
        // The two libraries stand in one folder. This one stays loaded once it is: the thread that delivers for
        // trackers of other languages waits inside it.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN,-z,nodelete");
    }
    Ok(())
}
