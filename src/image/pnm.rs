//! Tells a PNM image from a text whose points are called `P1`, `P2` and so on.

/// Bytes that are looked at.
const HEAD: usize = 4096;

/// Whether a file that starts with these bytes, of which the first two are `P1` to `P6`, is an image.
pub(super) fn is_pnm(head: &[u8]) -> bool {
    let Some((&[_, kind], rest)) = head[..head.len().min(HEAD)].split_first_chunk() else {
        return false;
    };
    rest.first().is_some_and(u8::is_ascii_whitespace) && has_header(kind, rest) && !has_points(rest)
}

/// Whether what follows the first two bytes is the size of an image, as far as it is there.
fn has_header(kind: u8, mut rest: &[u8]) -> bool {
    for index in 0..3 {
        rest = rest.trim_ascii_start();
        while rest.starts_with(b"#") {
            let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            rest = rest[end..].trim_ascii_start();
        }
        if index == 2 && kind == b'4' {
            return true;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        let number = || std::str::from_utf8(word).ok()?.parse::<u64>().ok();
        let fits = match (index, kind) {
            _ if word.is_empty() => return true,
            // The pixels of a bitmap need no white space between them.
            (2, b'1') => word.iter().all(|byte| b"01".contains(byte)),
            (2, _) if end.is_some() => number().is_some_and(|most| (1..1 << 16).contains(&most)),
            _ => word.iter().all(u8::is_ascii_digit),
        };
        if !fits {
            return false;
        }
        rest = after;
    }
    true
}

/// Whether the first line goes on with three numbers, and the next one is a name and three numbers.
fn has_points(rest: &[u8]) -> bool {
    let lines = rest.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.enumerate().filter(|(index, line)| *index == 0 || !line.is_empty());
    let three = |line: &[u8]| {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.take(3).filter(|word| fast_float2::parse::<f64, _>(word).is_ok()).count() == 3
    };
    let is_point = |line: &[u8]| {
        let name = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (name, rest) = line.split_at(name);
        name.iter().any(u8::is_ascii_alphabetic) && three(rest)
    };
    lines.next().is_some_and(|(_, line)| three(line))
        && lines.next().is_some_and(|(_, line)| is_point(line))
}

#[cfg(test)]
mod tests {
    use super::is_pnm;

    #[test]
    fn images_are_told_from_points_with_names() {
        for head in [
            "P1 2 2 1 0 0 1",
            "P1\n2 2\n1001",
            "P2\n# by hand\n2 2\n# grey\n255\n1 2\n3 4\n",
            "P2 2 2 255\n1 2 3 4\n",
            "P3 1 1 255 7 8 9\n",
            "P4 8 2\n\u{1}\u{2}",
            "P5 2 2 65535\n\u{1}",
            "P6\n40 30\n25",
            "P6\n40",
        ] {
            assert!(is_pnm(head.as_bytes()), "{head:?}");
        }
        for head in [
            "P1 1 2 3\nP2 2 3 4\n",
            "P1 1 2 1\nP2 2 3 4\n",
            "P1\t1.5\t2\t3\n",
            "P2 1 2 3.5\n",
            "P2 1 2 0\n",
            "P3 1 2 3\r\n\r\nP4 2 3 4\r\n",
            "P4 10 20 30.5\nP5 11 20 30.5\n",
            "P5 1 2 3\nwall-7 2 3 4 5\n",
            "P6 -1 2 3\n",
            "P6;1;2;3\n",
            "P6",
        ] {
            assert!(!is_pnm(head.as_bytes()), "{head:?}");
        }
    }
}
