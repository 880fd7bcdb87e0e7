//! Three numbers as a vector.

/// A vector of three.
pub(crate) type Vec3 = [f64; 3];

/// The scalar product.
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
