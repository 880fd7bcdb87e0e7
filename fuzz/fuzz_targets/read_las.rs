#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if let Some([signature @ .., _]) = bytes.first_chunk_mut::<5>() {
        signature.copy_from_slice(b"LASF");
    }
    if let Some(format) = bytes.get_mut(104) {
        *format &= 0x3f;
    }
    planes_fuzz::read(bytes);
});
