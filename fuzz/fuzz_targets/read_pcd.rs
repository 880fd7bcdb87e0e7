#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    planes_fuzz::read([b"# .PCD v0.7\n", data].concat());
});
