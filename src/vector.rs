//! Three numbers as a vector.

/// A vector of three.
pub(crate) type Vec3 = [f64; 3];

/// The dot product.
#[inline(always)]
pub(crate) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `v` at length 1; zero stays zero.
pub(crate) fn normalized(v: Vec3) -> Vec3 {
    let length = dot(v, v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { v }
}

#[inline(always)]
pub(crate) fn minus(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}

#[inline(always)]
pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Two unit vectors that span the plane across `normal`.
pub(crate) fn axes(normal: Vec3) -> (Vec3, Vec3) {
    let least = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let mut u: Vec3 = std::array::from_fn(|a| -normal[least] * normal[a]);
    u[least] += 1.0;
    let u = normalized(u);
    let v = std::array::from_fn(|a| {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        normal[b] * u[c] - normal[c] * u[b]
    });
    (u, v)
}
