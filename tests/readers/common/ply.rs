//! PLY files with known points.

use planes::cloud::Chunk;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Body {
    Ascii,
    Little,
    Big,
}

/// A PLY file to be written.
#[derive(Debug, Clone)]
pub struct Ply {
    pub body: Body,
    /// Type of the coordinates.
    pub kind: &'static str,
    pub count: usize,
    pub promised: Option<u64>,
    /// Whether vertices have lists among their properties.
    pub lists: bool,
    /// Whether other elements stand before and behind the vertices.
    pub around: bool,
    pub crlf: bool,
    /// Whether the first point is NaN, infinity and 1e30.
    pub special: bool,
}

impl Default for Ply {
    fn default() -> Ply {
        Ply {
            body: Body::Little,
            kind: "float",
            count: 200,
            promised: None,
            lists: false,
            around: false,
            crlf: false,
            special: false,
        }
    }
}

impl Ply {
    fn number(&self, out: &mut Vec<u8>, kind: &str, value: f64) {
        if self.body == Body::Ascii {
            out.extend(format!("{value} ").bytes());
            return;
        }
        let from = out.len();
        match kind {
            "char" | "int8" => out.extend((value as i8).to_be_bytes()),
            "uchar" | "uint8" => out.extend((value as u8).to_be_bytes()),
            "short" | "int16" => out.extend((value as i16).to_be_bytes()),
            "ushort" | "uint16" => out.extend((value as u16).to_be_bytes()),
            "int" | "int32" => out.extend((value as i32).to_be_bytes()),
            "uint" | "uint32" => out.extend((value as u32).to_be_bytes()),
            "int64" => out.extend((value as i64).to_be_bytes()),
            "uint64" => out.extend((value as u64).to_be_bytes()),
            "float" | "float32" => out.extend((value as f32).to_be_bytes()),
            "double" | "float64" => out.extend(value.to_be_bytes()),
            _ => panic!("{kind}"),
        }
        if self.body == Body::Little {
            out[from..].reverse();
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.body == Body::Ascii {
            out.extend(if self.crlf { &b"\r\n"[..] } else { b"\n" });
        }
    }

    /// Lists of different lengths.
    fn others(&self, out: &mut Vec<u8>) {
        for n in 0..4 {
            self.number(out, "ushort", f64::from(n));
            for item in 0..n {
                self.number(out, "short", f64::from(-item));
            }
            self.number(out, "double", 0.5);
            self.end(out);
        }
    }

    fn header(&self) -> String {
        let format = match self.body {
            Body::Ascii => "ascii",
            Body::Little => "binary_little_endian",
            Body::Big => "binary_big_endian",
        };
        let others = "property list ushort short items\nproperty double weight\n";
        let mut text = format!("ply\nformat {format} 1.0\ncomment by hand\nobj_info none\n");
        if self.around {
            text += &format!("element camera 4\n{others}");
        }
        let count = self.promised.unwrap_or(self.count as u64);
        text += &format!("element vertex {count}\nproperty short first\n");
        if self.lists {
            text += "property list uchar double before\n";
        }
        let kind = self.kind;
        text += &format!("property {kind} z\nproperty {kind} x\nproperty uchar red\n");
        text += "property uchar green\nproperty uchar blue\nproperty float intensity\n";
        text += &format!("property {kind} y\n");
        if self.lists {
            text += "property list int uchar between\n";
        }
        text += "property int plane_id\n";
        if self.around {
            text += &format!("element face 4\n{others}");
        }
        text += "end_header\n";
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// Coordinates that every type holds exactly.
    fn xyz(&self, i: usize) -> [f64; 3] {
        if self.special && i == 0 {
            return [f64::NAN, f64::INFINITY, 1e30];
        }
        [(i % 128) as f64, (i / 2 % 128) as f64, (i / 7 % 100) as f64]
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = self.header().into_bytes();
        if self.around {
            self.others(&mut out);
        }
        for i in 0..self.count {
            let [x, y, z] = self.xyz(i);
            self.number(&mut out, "short", -5.0);
            if self.lists {
                self.number(&mut out, "uchar", (i % 3) as f64);
                (0..i % 3).for_each(|_| self.number(&mut out, "double", 1e10));
            }
            self.number(&mut out, self.kind, z);
            self.number(&mut out, self.kind, x);
            for value in Ply::colour(i) {
                self.number(&mut out, "uchar", f64::from(value));
            }
            self.number(&mut out, "float", (i % 500) as f64);
            self.number(&mut out, self.kind, y);
            if self.lists {
                self.number(&mut out, "int", 1.0);
                self.number(&mut out, "uchar", 8.0);
            }
            self.number(&mut out, "int", Ply::label(i).into());
            self.end(&mut out);
        }
        if self.around {
            self.others(&mut out);
        }
        out
    }

    fn colour(i: usize) -> [u8; 3] {
        [i as u8, 0, 255 - i as u8]
    }

    fn label(i: usize) -> i32 {
        (i % 4) as i32 - 1
    }

    /// Checks all that was read.
    pub fn check(&self, chunk: &Chunk) {
        assert_eq!(chunk.len(), self.count, "{self:?}");
        for i in 0..self.count {
            assert_eq!([chunk.x[i], chunk.y[i], chunk.z[i]], self.xyz(i), "{self:?}");
            assert_eq!(chunk.colour[i], Ply::colour(i), "{self:?}");
            assert_eq!(chunk.intensity[i], (i % 500) as u16, "{self:?}");
            assert_eq!(chunk.label[i], Ply::label(i), "{self:?}");
        }
    }
}
