#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planes_fuzz::read_depth(data));
