#![no_main]

// Checksums would keep nearly every input out, so they are made right first.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if let Some(signature) = bytes.first_chunk_mut() {
        *signature = *b"ASTM-E57";
    }
    for page in bytes.as_chunks_mut::<1024>().0 {
        let sum = crc32c::crc32c(&page[..1020]);
        page[1020..].copy_from_slice(&sum.to_be_bytes());
    }
    planes_fuzz::read(bytes);
});
