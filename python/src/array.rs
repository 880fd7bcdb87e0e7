//! Points in NumPy arrays, where they are.

use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use planes::PointCloud;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The coordinates x, y and z, each an array of one dimension: columns of an array (n, 3), or fields.
pub struct ArrayPoints {
    axes: [Axis; 3],
    len: usize,
    row_length: Option<u32>,
}

/// One coordinate of all points.
struct Axis {
    data: *const u8,
    /// Bytes from one point to the next.
    stride: isize,
    is_single: bool,
    /// Keeps the memory. Dropped on a thread without Python's lock, it is given back when Python next has it.
    _owner: Py<PyAny>,
}

// SAFETY: the memory is read by atomic loads alone, which any number of threads may do at once.
unsafe impl Send for Axis {}
// SAFETY: as above.
unsafe impl Sync for Axis {}

impl ArrayPoints {
    /// The points whose coordinates these arrays of `float64` or `float32` are, with the length of their rows if they are
    /// pixels.
    pub fn new(axes: [&Bound<'_, PyAny>; 3], row_length: Option<u32>) -> PyResult<ArrayPoints> {
        let [x, y, z] = axes.map(|axis| Axis::new::<f64>(axis).or_else(|| Axis::new::<f32>(axis)));
        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
            let message = "coordinates are arrays of float64 or float32, aligned";
            return Err(PyTypeError::new_err(message));
        };
        let [(x, n), (y, n_y), (z, n_z)] = [x, y, z];
        if n_y != n || n_z != n {
            return Err(PyValueError::new_err(format!("there are {n} x, {n_y} y and {n_z} z")));
        }
        Ok(ArrayPoints { axes: [x, y, z], len: n, row_length })
    }
}

impl Axis {
    /// An aligned array of this type, and its length.
    fn new<T: Element>(array: &Bound<'_, PyAny>) -> Option<(Axis, usize)> {
        let array = array.cast::<PyArray1<T>>().ok()?;
        let (data, len, stride) = (array.data(), array.len(), array.strides()[0]);
        let size = size_of::<T>();
        let is_aligned =
            data.is_aligned() && (len < 2 || stride.unsigned_abs().is_multiple_of(size));
        let axis = Axis {
            data: data.cast_const().cast(),
            stride,
            is_single: size == size_of::<f32>(),
            _owner: array.clone().into_any().unbind(),
        };
        is_aligned.then_some((axis, len))
    }

    /// Copies coordinates from that of point `first` on.
    ///
    /// # Safety
    /// There are so many points.
    unsafe fn copy(&self, first: usize, to: &mut [f64]) {
        let mut at = self.data.wrapping_offset(self.stride.wrapping_mul(first as isize));
        // Whoever writes to the array at the same time may spoil the numbers, and nothing else.
        for value in to {
            *value = if self.is_single {
                // SAFETY: the place is one of the array, aligned, and kept; it is read atomically.
                let bits = unsafe { AtomicU32::from_ptr(at.cast_mut().cast()) }.load(Relaxed);
                f32::from_bits(bits).into()
            } else {
                // SAFETY: as above.
                let bits = unsafe { AtomicU64::from_ptr(at.cast_mut().cast()) }.load(Relaxed);
                f64::from_bits(bits)
            };
            at = at.wrapping_offset(self.stride);
        }
    }
}

impl PointCloud for ArrayPoints {
    fn len(&self) -> usize {
        self.len
    }

    fn point(&self, index: usize) -> [f64; 3] {
        let mut point = [[0.0]; 3];
        let [x, y, z] = &mut point;
        self.copy(index, [x, y, z]);
        point.map(|[v]| v)
    }

    fn row_length(&self) -> Option<u32> {
        self.row_length
    }

    fn copy(&self, first: usize, to: [&mut [f64]; 3]) {
        for (axis, to) in self.axes.iter().zip(to) {
            assert!(first <= self.len && to.len() <= self.len - first, "no such points");
            // SAFETY: that was checked.
            unsafe { axis.copy(first, to) };
        }
    }
}
