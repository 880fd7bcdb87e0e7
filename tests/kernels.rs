//! The PTX that ships is what the compiler makes of the kernels.
//!
//! It needs NVRTC 12.0 where the loader finds it (`CONTRIBUTING.md` says how); with
//! `PLANES_WRITE_PTX=1` the files are written, not compared, and the headers of the constants with them.

#[path = "../src/shared.rs"]
mod shared;

use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts, sys};
use std::path::{Path, PathBuf};

/// What each file says of its compiler: this one makes PTX that drivers from 525 on understand.
const RELEASE: &str = "release 12.0, V12.0.140";

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// The compiler swaps two registers now and then: of so many attempts one gives the file that is kept.
const ATTEMPTS: usize = 20;

/// Every `.cu` file and the place of its PTX.
fn sources() -> Vec<(PathBuf, PathBuf)> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(kernels())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    sources.sort();
    let ptx = |source: PathBuf| {
        let name = Path::new(source.file_name().unwrap()).with_extension("ptx");
        (source, kernels().join("ptx").join(name))
    };
    sources.into_iter().map(ptx).collect()
}

fn compile(source: &Path) -> String {
    let options = CompileOptions {
        // Only what is written as fused is fused, as on the CPU.
        fmad: Some(false),
        arch: Some("compute_75"),
        include_paths: vec![kernels().display().to_string()],
        options: vec!["--std=c++17".into()],
        name: Some(source.file_name().unwrap().to_str().unwrap().into()),
        ..Default::default()
    };
    let text = std::fs::read_to_string(source).unwrap();
    let ptx = compile_ptx_with_opts(text, options).unwrap_or_else(|e| panic!("{e:?}"));
    ptx.to_src()
}

#[test]
fn the_ptx_is_current() {
    // SAFETY: this opens the library, if there is one, and closes it again.
    if !unsafe { sys::is_culib_present() } {
        println!("skipped: NVRTC was not found");
        return;
    }
    let write = std::env::var_os("PLANES_WRITE_PTX").is_some();
    for (header, text) in shared::headers().into_iter().filter(|_| write) {
        std::fs::write(kernels().join(header), text).unwrap();
    }
    let sources = sources();
    assert!(!sources.is_empty());
    for (source, ptx) in sources {
        let compiled = compile(&source);
        if !compiled.contains(RELEASE) {
            println!("skipped: this NVRTC is not {RELEASE}");
            return;
        }
        if write {
            std::fs::write(&ptx, compiled).unwrap();
            continue;
        }
        let kept = std::fs::read_to_string(&ptx).unwrap_or_default();
        let current = kept == compiled || (1..ATTEMPTS).any(|_| kept == compile(&source));
        assert!(current, "{} is not what {} says", ptx.display(), source.display());
    }
}

#[test]
fn every_ptx_has_its_source_and_runs_on_old_drivers() {
    let expected: Vec<PathBuf> = sources().into_iter().map(|(_, ptx)| ptx).collect();
    let mut kept: Vec<PathBuf> =
        std::fs::read_dir(kernels().join("ptx")).unwrap().map(|e| e.unwrap().path()).collect();
    kept.sort();
    assert_eq!(kept, expected);
    for path in kept {
        let ptx = std::fs::read_to_string(&path).unwrap();
        for line in [".version 8.0", ".target sm_75"] {
            assert!(ptx.contains(line), "{} has no {line}", path.display());
        }
    }
}
