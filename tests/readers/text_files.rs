//! Text: the many ways to write points.

use crate::*;

fn xyz(text: &str) -> Vec<[f64; 3]> {
    let chunk = all(&source(text.as_bytes().to_vec()), Fields::ALL);
    (0..chunk.len()).map(|i| [chunk.x[i], chunk.y[i], chunk.z[i]]).collect()
}

const TWO: [[f64; 3]; 2] = [[1.0, -2.5, 3e5], [4.0, 5.0, 6.0]];

#[test]
fn the_ways_to_write_two_points() {
    for text in [
        "1 -2.5 3e5\n4 5 6\n",
        "1 -2.5 3e5\n4 5 6",
        "  1\t-2.5   +3.0E+5 \r\n\r\n4 5 6\r\n",
        "1,-2.5,300000\n4, 5 ,6\n",
        "1;-2.5;300000;tree\n4;5;6;house\n",
        "x,y,z\n1,-2.5,3e5\n4,5,6\n",
        "\"X [m]\";\"Y [m]\";\"Z [m]\"\n1;-2.5;3e5\n4;5;6\n",
        "//X,Y,Z\n1,-2.5,3e5\n# in between\n4,5,6\n",
        "# z y x\n3e5 -2.5 1\n6 5 4\n",
        "id,z,y,x,name\nA7,3e5,-2.5,1,a b c\nA8,6,5,4,\n",
        "2\n1 -2.5 3e5\n4 5 6\n",
        "\u{feff}1 -2.5 3e5\n4 5 6\n",
        "longitude latitude depth\n1 -2.5 3e5\n4 5 6\n",
        "1 -2.5 3e5 0.1 0.2 -0.3\n4 5 6 0 0 1\n",
    ] {
        assert_eq!(xyz(text), TWO, "{text:?}");
    }
}

#[test]
fn columns_without_names() {
    let chunk = all(&source("1 2 3 -1272 10 20 30\n".into()), Fields::ALL);
    assert_eq!((chunk.colour[0], chunk.intensity[0]), ([10, 20, 30], 0));
    let chunk = all(&source("1 2 3 10 20 30\n".into()), Fields::ALL);
    assert_eq!((chunk.colour[0], chunk.intensity.len()), ([10, 20, 30], 0));
    let chunk = all(&source("1 2 3 5.0\n1 2 3 -1\n".into()), Fields::ALL);
    assert_eq!((chunk.label, chunk.intensity.len()), (vec![5, -1], 0));
    let chunk = all(&source("1 2 3 5.5\n1 2 3 7\n".into()), Fields::ALL);
    assert_eq!((chunk.label.len(), chunk.intensity), (0, vec![5, 7]));
}

#[test]
fn columns_with_names() {
    let text = "x y z r g b intensity plane_id\n1 2 3 0.5 1 0 0.25 4\n1 2 3 0 0 0 1 -1\n";
    let chunk = all(&source(text.into()), Fields::ALL);
    assert_eq!(chunk.colour, [[128, 255, 0], [0; 3]]);
    assert_eq!(chunk.intensity, [16384, 65535]);
    assert_eq!(chunk.label, [4, -1]);
    let chunk = all(&source(text.into()), Fields::NONE);
    assert_eq!((chunk.colour.len(), chunk.intensity.len(), chunk.label.len()), (0, 0, 0));
}

#[test]
fn values_that_are_not_finite_or_huge() {
    let got = xyz("nan 1e30 -inf\n-NaN Infinity 1e400\n-1.#IND 1.#INF 1e-400\nnan(ind) 1 2\n");
    assert!(got[0][0].is_nan() && got[1][0].is_nan() && got[2][0].is_nan() && got[3][0].is_nan());
    assert_eq!(got[0][1..], [1e30, f64::NEG_INFINITY]);
    assert_eq!(got[1][1..], [f64::INFINITY, f64::INFINITY]);
    assert!(!got[2][1].is_finite());
    assert_eq!(got[2][2], 0.0);
    assert_eq!(got[3][1..], [1.0, 2.0]);
}

#[test]
fn faults_name_their_line() {
    assert_eq!(error("# a\n\n1 2 3\n1 2\n"), "line 4: column 3 is missing");
    assert_eq!(error("1 2 3\n1 2 3x\n"), "line 2: column 3: '3x' is not a number");
    assert_eq!(error("1,2,3\n1,,3\n"), "line 2: column 2 is missing");
    assert_eq!(error("5\n1 2 3\n"), "line 1: 5 points are promised, the file holds 1");
    assert_eq!(error("1\n1 2 3\n4 5 6\n"), "line 1: 1 points are promised, there are more");
    let huge = format!("{}\n1 2 3\n", 1_u64 << 60);
    assert_eq!(error(huge), "line 1: 1152921504606846976 points are promised, the file holds 1");
    let long = format!("1 2 3\n1 2 3 {}\n", "a".repeat(2 << 20));
    assert_eq!(error(long), "line 2: the line is longer than 1 MiB");
    let binary = [b"1 2 3\n".repeat(2000), b"\0\x01\n".to_vec()].concat();
    assert_eq!(error(binary), "line 2001: column 1: '\u{fffd}\u{fffd}…' is not a number");
}

#[test]
fn a_fault_far_into_the_file_names_its_line() {
    let mut text = "1.25 2.5 3.75 a comment at the end of each line\n".repeat(400_000);
    text.push_str("1.25 2.5 oops\n");
    text.push_str(&"1 2 3\n".repeat(100_000));
    assert_eq!(error(text), "line 400001: column 3: 'oops' is not a number");
}

#[test]
fn many_blocks_keep_the_order() {
    let count = 700_000_usize;
    let text: String = (0..count).map(|i| format!("{i} {}.5 -7\n", i % 1000)).collect();
    assert!(text.len() > 8 << 20);
    let chunk = all(&source(text.into_bytes()), Fields::NONE);
    assert_eq!(chunk.len(), count);
    assert!(chunk.x.iter().enumerate().all(|(i, &x)| x == i as f64));
}
