//! PCD files with known points.

use planes::cloud::Chunk;

/// A PCD file to be written.
#[derive(Debug, Clone)]
pub struct Pcd {
    /// `ascii`, `binary` or `binary_compressed`.
    pub data: &'static str,
    /// Letter and size of the coordinates.
    pub kind: (char, usize),
    /// Letter of the packed colour.
    pub colour: char,
    pub count: usize,
    pub height: usize,
    pub promised: Option<u64>,
    pub viewpoint: &'static str,
}

impl Default for Pcd {
    fn default() -> Pcd {
        Pcd {
            data: "binary",
            kind: ('F', 4),
            colour: 'F',
            count: 200,
            height: 1,
            promised: None,
            viewpoint: "0 0 0 1 0 0 0",
        }
    }
}

impl Pcd {
    fn xyz(&self, i: usize) -> [f64; 3] {
        // Points that a camera did not see are NaN.
        if self.kind.0 == 'F' && i % 50 == 7 {
            return [f64::NAN; 3];
        }
        [(i % 100) as f64, (i / 2 % 120) as f64, (i / 7 % 90) as f64]
    }

    fn number(&self, value: f64) -> Vec<u8> {
        let whole = (value as i64).to_le_bytes();
        match self.kind {
            ('F', 4) => (value as f32).to_le_bytes().to_vec(),
            ('F', _) => value.to_le_bytes().to_vec(),
            (_, size) => whole[..size].to_vec(),
        }
    }

    fn rgb(i: usize) -> [u8; 3] {
        [i as u8, 1, 255 - i as u8]
    }

    /// The fields of a point as bytes: normal_x, x, y, _, z, rgb, hist, intensity, label.
    fn fields(&self, i: usize) -> Vec<Vec<u8>> {
        let [x, y, z] = self.xyz(i);
        let [r, g, b] = Pcd::rgb(i);
        vec![
            0.5_f32.to_le_bytes().to_vec(),
            self.number(x),
            self.number(y),
            vec![9; 3],
            self.number(z),
            vec![b, g, r, 0],
            [1_u16, 2].iter().flat_map(|v| v.to_le_bytes()).collect(),
            ((i % 500) as f32).to_le_bytes().to_vec(),
            (i as u32 % 5).to_le_bytes().to_vec(),
        ]
    }

    fn line(&self, i: usize) -> String {
        let [x, y, z] = self.xyz(i).map(|v| v.to_string().replace("NaN", "nan"));
        let [r, g, b] = Pcd::rgb(i);
        let bits = u32::from_le_bytes([b, g, r, 0]);
        let rgb = match self.colour {
            'F' => format!("{:e}", f32::from_bits(bits)),
            _ => bits.to_string(),
        };
        format!("0.5 {x} {y} 9 9 9 {z} {rgb} 1 2 {} {}\n", i % 500, i % 5)
    }

    pub fn header(&self) -> String {
        let ((kind, size), colour) = (self.kind, self.colour);
        let (count, height) = (self.promised.unwrap_or(self.count as u64), self.height as u64);
        format!(
            "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n\
             FIELDS normal_x x y _ z rgb hist intensity label\n\
             SIZE 4 {size} {size} 1 {size} 4 2 4 4\nTYPE F {kind} {kind} U {kind} {colour} U F U\n\
             COUNT 1 1 1 3 1 1 2 1 1\nWIDTH {}\nHEIGHT {height}\nVIEWPOINT {}\nPOINTS {count}\nDATA {}\n",
            count / height,
            self.viewpoint,
            self.data,
        )
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = self.header().into_bytes();
        match self.data {
            "ascii" => out.extend((0..self.count).flat_map(|i| self.line(i).into_bytes())),
            "binary" => out.extend((0..self.count).flat_map(|i| self.fields(i).concat())),
            _ => {
                let rows: Vec<_> = (0..self.count).map(|i| self.fields(i)).collect();
                let columns = (0..9).flat_map(|k| rows.iter().flat_map(move |row| row[k].clone()));
                let columns: Vec<u8> = columns.collect();
                let packed = lzf(&columns);
                out.extend((packed.len() as u32).to_le_bytes());
                out.extend((columns.len() as u32).to_le_bytes());
                out.extend(packed);
            }
        }
        out
    }

    /// Checks all that was read.
    pub fn check(&self, chunk: &Chunk) {
        assert_eq!(chunk.len(), self.count);
        for i in 0..self.count {
            let want = self.xyz(i).map(f64::to_bits);
            let got = [chunk.x[i], chunk.y[i], chunk.z[i]].map(f64::to_bits);
            let is_nan = chunk.x[i].is_nan() && self.xyz(i)[0].is_nan();
            assert!(is_nan || got == want, "point {i} of {self:?}");
            assert_eq!(chunk.colour[i], Pcd::rgb(i), "point {i} of {self:?}");
            assert_eq!(chunk.intensity[i], (i % 500) as u16);
            assert_eq!(chunk.label[i], (i % 5) as i32);
        }
    }
}

/// Bytes as LZF has them: runs, and references to the four bytes before where they repeat.
pub fn lzf(bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut at, mut from) = (Vec::new(), 0, 0);
    let flush = |out: &mut Vec<u8>, run: &[u8]| {
        for run in run.chunks(32) {
            out.push(run.len() as u8 - 1);
            out.extend(run);
        }
    };
    while at < bytes.len() {
        let same = |k: &usize| at >= 4 && bytes.get(at + k) == Some(&bytes[at + k - 4]);
        let length = (0..264).take_while(|k| at + k < bytes.len() && same(k)).count();
        if length < 3 {
            at += 1;
            continue;
        }
        flush(&mut out, &bytes[from..at]);
        match length - 2 {
            short @ 1..=6 => out.extend([(short << 5) as u8, 3]),
            long => out.extend([0xe0, (long - 7) as u8, 3]),
        }
        at += length;
        from = at;
    }
    flush(&mut out, &bytes[from..]);
    out
}
